"""What a program costs: processor time and memory of its process and of those it started."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import psutil


@dataclass(frozen=True, slots=True)
class Cost:
    """A program at one moment: seconds of processor time of all its processes, memory of the first one."""

    at_s: float
    cpu_s: float
    own_rss_bytes: int
    all_rss_bytes: int

    def cpu_share(self, before: Cost) -> float:
        """Percent of one core since `before`."""
        return 100 * (self.cpu_s - before.cpu_s) / (self.at_s - before.at_s)


def cost(pid: int) -> Cost:
    """The program's cost so far."""
    own = psutil.Process(pid)
    everyone = [own, *own.children(recursive=True)]
    at_s = time.monotonic()
    spent = [process.cpu_times() for process in everyone]
    rss = [process.memory_info().rss for process in everyone]
    return Cost(at_s, sum(times.user + times.system for times in spent), rss[0], sum(rss))


@contextmanager
def busy_cores(number: int | None = None) -> Iterator[None]:
    """Keep every core (or so many) busy, as an engine does that runs on the processor."""
    burners = [
        subprocess.Popen([sys.executable, "-c", "while True: pass"])
        for _ in range(number or os.cpu_count() or 1)
    ]
    try:
        yield
    finally:
        for burner in burners:
            burner.kill()
            burner.wait()
