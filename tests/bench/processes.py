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
    """A program at one moment: processor time and memory of its first process, and of all of them."""

    at_s: float
    own_cpu_s: float
    all_cpu_s: float
    own_rss_bytes: int
    all_rss_bytes: int

    def own_percent(self, before: Cost) -> float:
        """Of one core since `before`, the first process."""
        return 100 * (self.own_cpu_s - before.own_cpu_s) / (self.at_s - before.at_s)

    def all_percent(self, before: Cost) -> float:
        """Of one core since `before`, all processes together."""
        return 100 * (self.all_cpu_s - before.all_cpu_s) / (self.at_s - before.at_s)


def cost(pid: int) -> Cost:
    """The program's cost so far."""
    own = psutil.Process(pid)
    everyone = [own, *own.children(recursive=True)]
    at_s = time.monotonic()
    times = [process.cpu_times() for process in everyone]
    spent = [one.user + one.system for one in times]
    rss = [process.memory_info().rss for process in everyone]
    return Cost(at_s, spent[0], sum(spent), rss[0], sum(rss))


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
