"""A driver that never answers and one that brings its process down: the real child with such a module."""

from __future__ import annotations

import os
import select
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tui.domain.machine import Reading, reading_from
from tui.probes.sampler import Sampler

PATIENCE_S = 20.0
MODULE = """
import os, time
nvmlMemory_v2 = 1
class NVMLError(Exception): value = 3
class NVMLLibraryMismatchError(Exception): pass
def nvmlDeviceGetCount(): return 0
def nvmlSystemGetDriverVersion(): return "999.1"
"""
STUCK = (
    MODULE
    + """
def nvmlInit():
    open({path!r}, "a").close()
    time.sleep(1000)
"""
)
DEADLY = (
    MODULE
    + """
import resource
def nvmlInit():
    with open({path!r}, "a") as file: file.write("x")
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    os.abort()
"""
)

pytestmark = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="the fake module is for Linux")


def readings(sampler: Sampler, enough: Callable[[list[Reading]], bool]) -> list[Reading]:
    """All readings until they are enough. Taking them never takes long."""
    seen: list[Reading] = []
    late = time.monotonic() + PATIENCE_S
    while not enough(seen):
        assert time.monotonic() < late, seen[-1:]
        if sampler._child is not None and not sampler.reason:
            select.select([sampler._pipe()], [], [], 0.2)
        seen += [reading_from(mono_ns, fields) for mono_ns, fields in sampler.drain()]
    return seen


@pytest.fixture
def with_module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], Path]:
    """Puts a module of this text in the place of the driver's; the file it leaves when it is called."""

    def put(text: str) -> Path:
        called = tmp_path / "called"
        (tmp_path / "pynvml.py").write_text(text.format(path=str(called)))
        monkeypatch.setenv(
            "PYTHONPATH", os.pathsep.join(filter(None, (str(tmp_path), os.environ.get("PYTHONPATH"))))
        )
        return called

    return put


def test_while_the_driver_never_answers_readings_go_on_and_the_end_does_not_wait(
    with_module: Callable[[str], Path],
) -> None:
    called = with_module(STUCK)
    sampler = Sampler()
    sampler.start()
    sampler.rate(20)
    seen = readings(sampler, lambda seen: called.exists() and len(seen) > 12)
    sampler.mark()
    seen += readings(sampler, lambda marked: any(one.host for one in marked))
    assert all(one.ram_available_bytes for one in seen)
    assert all("asking the NVIDIA driver" in one.gpu_reason for one in seen)
    child, start = sampler._child, time.monotonic()
    sampler.close()
    assert time.monotonic() - start < PATIENCE_S, "the driver sleeps 1000 s"
    assert child is not None and child.returncode is not None


def test_a_driver_that_brings_its_process_down_costs_its_own_values_only(
    with_module: Callable[[str], Path],
) -> None:
    called = with_module(DEADLY)
    sampler = Sampler()
    sampler.start()
    sampler.rate(20)
    seen = readings(sampler, lambda seen: "crashed" in (seen[-1].gpu_reason if seen else ""))
    seen += readings(sampler, lambda more: len(more) > 3)
    sampler.close()
    assert called.read_text() == "x"  # the second process left it alone
    assert seen[-1].ram_available_bytes
    assert seen[-1].gpus == ()
    assert sampler.reason == ""
