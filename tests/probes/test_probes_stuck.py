"""The sampler child with a driver that hangs for ever, one that aborts its process, and files that hang."""

from __future__ import annotations

import select
import sys
import time
from collections.abc import Callable
from pathlib import Path

from tui.domain.machine import Reading, reading_from
from tui.probes.parts import CRASHED
from tui.probes.sampler import Sampler

ROOT = Path(__file__).parents[2]
PATIENCE_S = 20.0
DRIVER = """
import os, sys, threading, time
sys.path.insert(0, {root!r})
from tui.domain.machine import Gpu
from tui.probes import child, parts
from tui.probes.lane import Paced

class Driver:
    driver = ""
    def __init__(self):
        self.pace = Paced("driver", lambda edge, idle: {does}, time.monotonic_ns)
        self.start, self.rate, self.mark = self.pace.start, self.pace.rate, self.pace.mark
    def gpus(self, now_ns, server_pids):
        return (Gpu("card"),), ""

parts._nvidia = lambda ram_bytes: [Driver()]
child.main()
"""


def sampler(does: str, more: str = "") -> Sampler:
    code = DRIVER.format(root=str(ROOT), does=does).replace("child.main()", more + "\nchild.main()")
    started = Sampler((sys.executable, "-c", code))
    started.start()
    started.rate(20)
    return started


def until(one: Sampler, enough: Callable[[Reading], bool]) -> Reading:
    late = time.monotonic() + PATIENCE_S
    while time.monotonic() < late:
        if one._child is not None:
            select.select([one._pipe()], [], [], 0.2)
        for mono_ns, fields in one.drain():
            if enough(reading := reading_from(mono_ns, fields)):
                return reading
    raise AssertionError("no such reading")


def test_a_driver_that_never_answers_holds_up_neither_the_readings_nor_the_end() -> None:
    one = sampler("threading.Event().wait()")
    first = until(one, lambda reading: True)
    one.mark()
    later = until(one, lambda reading: reading.at_ns > first.at_ns + 200_000_000)
    assert later.ram_available_bytes is not None
    start = time.monotonic()
    one.close()
    assert time.monotonic() - start < PATIENCE_S, "the driver answers never"


def test_a_driver_that_aborts_takes_the_child_once_and_the_memory_panel_goes_on() -> None:
    one = sampler("os.abort()")
    last = until(one, lambda reading: not reading.gpus and reading.gpu_reason != "")
    one.close()
    assert last.gpu_reason.startswith(CRASHED)
    assert last.ram_available_bytes is not None


def test_files_that_never_answer_are_told_and_hold_up_no_end() -> None:
    more = "from tui.probes.linux import LinuxSource; wait = threading.Event().wait\n"
    more += "here = parts.linux\ndef stuck(drivers):\n    made = here(drivers)\n"
    more += "    LinuxSource.read = lambda *_: wait()\n    return made\n"
    more += "parts.linux = stuck"
    one = sampler("None", more)
    told = until(one, lambda reading: "ram_available_bytes" in reading.absent)
    assert told.absent["ram_available_bytes"].startswith("no answer since")
    assert [gpu.name for gpu in told.gpus] == ["card"]
    start = time.monotonic()
    one.close()
    assert time.monotonic() - start < PATIENCE_S, "the files answer never"
