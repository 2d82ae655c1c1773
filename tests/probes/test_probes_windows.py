"""Windows: the commit charge and what psutil tells of a process, from the samples of two machines."""

from __future__ import annotations

import json
import struct
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import psutil
import pytest

from tui.domain.machine import Reading
from tui.domain.pressure import Pressure, step
from tui.probes.portable import use_of
from tui.probes.windows import WindowsSource, commit, pages_read

SECOND = 1_000_000_000


def sample(panels: Path, name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((panels / "windows" / "psutil_samples.json").read_text())[name]
    return found


def structure(commit_limit: int, pages: int) -> bytes:
    """SYSTEM_PERFORMANCE_INFORMATION with these two of its fields."""
    raw = bytearray(344)
    struct.pack_into("<I", raw, 52, commit_limit & 0xFFFFFFFF)
    struct.pack_into("<I", raw, 80, pages)
    return bytes(raw)


class PaperWindows:
    """A Windows that a sample describes."""

    def __init__(self, told: dict[str, int], pages: int) -> None:
        self._told, self._pages = told, pages

    def performance(self) -> dict[str, int]:
        return self._told

    def system(self) -> bytes:
        return structure(self._told["CommitLimit"], self._pages)


@pytest.mark.parametrize("name", ["comfortable", "commit_exhausted"])
def test_a_machine_is_judged_by_what_it_promised(
    panels: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = sample(panels, name)
    for call in ("virtual_memory", "swap_memory"):
        monkeypatch.setattr(psutil, call, lambda call=call: SimpleNamespace(**told[call]))
    source = WindowsSource(PaperWindows(told["performance_info"], 7))
    pressure = Pressure()
    for at_ns in (0, SECOND // 10):
        one = Reading(at_ns=at_ns, **source.read(at_ns))
        pressure = step(pressure, one, decoding=False)
    assert one.ram_available_bytes == told["virtual_memory"]["available"]
    assert one.commit_bytes == told["performance_info"]["CommitTotal"] * 4096
    assert one.commit_limit_bytes == told["performance_info"]["CommitLimit"] * 4096
    assert one.page_read_bytes == 7 * 4096
    assert one.swap_in_bytes is None and "swap_in_bytes" in one.absent  # psutil's is always 0 there
    assert pressure.word.value == told["expected_state"]


@pytest.mark.parametrize("name", ["comfortable", "commit_exhausted"])
def test_a_process_is_charged_for_its_private_bytes(panels: Path, name: str) -> None:
    memory = SimpleNamespace(**sample(panels, name)["server_memory_info"])
    use = use_of("ollama.exe", memory, SimpleNamespace(user=1.5, system=0.5), 9)
    assert (use.rss_bytes, use.private_bytes, use.cpu_s) == (memory.rss, memory.private, 2.0)
    del memory.private
    assert use_of("x", memory, SimpleNamespace(user=0, system=0), 1).private_bytes is None


def test_an_undocumented_structure_that_looks_different_is_not_believed() -> None:
    told = {"PageSize": 4096, "CommitLimit": 2**33 + 5}
    assert pages_read(structure(2**33 + 5, 9), told) == {"page_read_bytes": 9 * 4096}
    assert pages_read(structure(6, 9), told) == {}
    assert pages_read(b"", told) == {}
    assert commit({}) == {}
