"""A Mac that lies in a folder of the fixtures, and the sampler composed on top of it."""

from __future__ import annotations

import json
import platform
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tui.domain.machine import Reading
from tui.probes import apple_report, apple_system, parts
from tui.probes.apple import AppleGpu, Reporter
from tui.probes.apple_channels import Item
from tui.probes.apple_report import Unreported
from tui.probes.machine import Machine, Parts

SECOND = 1_000_000_000
MACHINES = ("m1_8g_pressure", "m2ultra_192g_limit_raised", "m4max_64g_decode", "vm_no_gpu")
_NAMES = {  # the lines of `vm_stat` by their names in vm_statistics64
    "Pages free": "free_count",
    "Pages active": "active_count",
    "Pages inactive": "inactive_count",
    "Pages speculative": "speculative_count",
    "Pages wired down": "wire_count",
    "Pages stored in compressor": "total_uncompressed_pages_in_compressor",
    "Pages occupied by compressor": "compressor_page_count",
    "Decompressions": "decompressions",
    "Compressions": "compressions",
    "Pageins": "pageins",
    "Swapins": "swapins",
    "Swapouts": "swapouts",
}
MIB = 2**20


class PaperMac:
    """A Mac that lies in a folder."""

    def __init__(self, folder: Path, vm: str = "vm_stat.txt") -> None:
        self.folder, self.vm = folder, vm
        lines = (line.partition(": ") for line in (folder / "sysctl.txt").read_text().splitlines())
        self.sysctl = {name: value for name, _, value in lines}
        self.used: dict[int, dict[str, int]] = {}
        self.asked: list[tuple[str, ...]] = []

    def number(self, name: str) -> int | None:
        text = self.sysctl.get(name, "")
        return int(text) if text.isdigit() else None

    def text(self, name: str) -> str:
        return self.sysctl.get(name, "")

    def swap(self) -> tuple[int, int] | None:
        return _swap_usage(self.sysctl["vm.swapusage"])

    def pages(self) -> dict[str, int]:
        return _vm_stat((self.folder / self.vm).read_text())

    def thermal(self) -> int | None:
        return int((self.folder / "notifyutil_thermal.txt").read_text().split()[-1])

    def usage(self, pid: int) -> dict[str, int]:
        return self.used.get(pid, {})

    def registry(self, *arguments: str) -> bytes:
        self.asked.append(arguments)
        if "pmgr" in arguments:
            return b""
        return (self.folder / "ioreg_IOAccelerator.plist").read_bytes()


def _vm_stat(text: str) -> dict[str, int]:
    """What the program `vm_stat` prints, by the names of vm_statistics64, with the page size of its header.

    Its "Pages free" leaves out the speculative ones, which the kernel counts as free.
    """
    size = re.search(r"page size of (\d+) bytes", text)
    told = {"page_size": int(size[1])} if size else {}
    for line in text.splitlines():
        name, _, value = line.partition(":")
        digits = value.strip().rstrip(".")
        if name in _NAMES and digits.isdigit():
            told[_NAMES[name]] = int(digits)
    if "free_count" in told:
        told["free_count"] += told.get("speculative_count", 0)
    return told


def _swap_usage(text: str) -> tuple[int, int] | None:
    """Total and used bytes in the text form of `vm.swapusage`."""
    found = {name: float(size.replace(",", ".")) for name, size in re.findall(r"(\w+) = ([\d.,]+)M", text)}
    return (
        (round(found["total"] * MIB), round(found["used"] * MIB)) if {"total", "used"} <= set(found) else None
    )


def told(panels: Path, name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((panels / "macos" / name / "expected.json").read_text())
    return found


def delta(panels: Path) -> tuple[list[Item], tuple[float, ...]]:
    """The growth of the reports over a second, and the clocks of the states."""
    raw_delta = json.loads((panels / "macos" / "m4max_64g_decode" / "ioreport_delta.json").read_text())
    items = [
        Item(
            one["group"],
            one["channel"],
            one["unit"],
            one.get("value", 0),
            tuple((name, time) for name, time in one.get("states", [])),
        )
        for one in raw_delta["items"]
    ]
    return items, tuple(raw_delta["gpu_freqs_mhz"])


class Told:
    """Reports that give the same growth each time."""

    def __init__(self, items: list[Item]) -> None:
        self._items = items

    def items(self) -> list[Item]:
        return self._items


def no_reports() -> Reporter:
    raise Unreported("not here")


def composed(mac: PaperMac, patch: pytest.MonkeyPatch, reports: Callable[[], Reporter] = no_reports) -> Parts:
    """What the sampler composes on a system of this name, with a Mac of paper in place of the live one."""
    patch.setattr(platform, "system", lambda: "Darwin")
    patch.setattr(apple_system, "LiveMac", lambda: mac)
    patch.setattr(apple_report, "Reports", reports)
    return parts.here()


def reading(sources: Parts) -> Reading:
    """One reading, with one round of each lane that keeps its own pace."""
    (gpu,) = sources.gpus
    assert isinstance(gpu, AppleGpu)
    for lane in gpu._lanes:
        lane.step()
    return Machine(sources).read(facts=True)
