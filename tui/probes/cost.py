"""What the sampling itself costs: `python -m tui.probes.cost [seconds [readings a second]]` prints it."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable

import psutil

from tui.probes.sampler import Sampler

SETTLED_S = 2.0  # loading the modules and opening the drivers is over by then
LOOK_S = 0.1
SECONDS, HZ = 10.0, 10.0


def cost(
    sampler: Sampler, seconds: float, settled_s: float, used_s: Callable[[], float]
) -> tuple[float, int]:
    """Percent of one core, and how many readings it was for. `used_s` tells the CPU time used so far."""
    _take(sampler, settled_s)
    before_s, start_s = used_s(), time.monotonic()
    readings = _take(sampler, seconds)
    return 100 * (used_s() - before_s) / (time.monotonic() - start_s), readings


def _take(sampler: Sampler, seconds: float) -> int:
    """The readings of some time. They have to be taken: a child whose pipe is full stops."""
    end_s, readings = time.monotonic() + seconds, 0
    while time.monotonic() < end_s:
        time.sleep(min(LOOK_S, seconds))
        readings += len(sampler.drain())
    return readings


def main(arguments: list[str]) -> str:
    """The line that is printed."""
    told = [float(one) for one in arguments]
    seconds, hz = [*told, *(SECONDS, HZ)[len(told) :]][:2]
    sampler = Sampler()
    sampler.start()
    sampler.rate(hz)
    if sampler.pid is None:
        return sampler.reason
    child = psutil.Process(sampler.pid)
    share, readings = cost(sampler, seconds, SETTLED_S, lambda: sum(child.cpu_times()[:2]))
    sampler.close()
    return f"sampling takes {share:.2f} % of a core at {hz:g} Hz ({readings} readings in {seconds:g} s)"


if __name__ == "__main__":
    print(main(sys.argv[1:]))
