"""How busy the GPUs were in a phase, from gauges that average over a window of the driver's own.

A gauge is never told as the value of a phase shorter than two of its windows: then only "at least", and below
one window nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from tui.domain.flow import SECOND_NS
from tui.domain.machine import Gpu, Reading
from tui.domain.series import Point, inside, mean, thinned

WINDOW_NS = SECOND_NS  # of the drivers' gauges, where they don't tell
POWER_NOW_NS = SECOND_NS // 10


@dataclass(frozen=True, slots=True)
class Band:
    """Least, mean and most; with `at_least` only `mean` is set and means "at least". `why`: there is none."""

    least: float | None = None
    mean: float | None = None
    most: float | None = None
    at_least: bool = False
    window_ns: int = WINDOW_NS
    why: str = ""


def working(reading: Reading) -> tuple[Gpu, ...]:
    """The GPUs the server works on: those that hold its memory, else the only one; none when unknown."""
    if len(reading.gpus) < 2:
        return reading.gpus
    return tuple(gpu for gpu in reading.gpus if gpu.server_bytes or gpu.serving)


def gauges(
    readings: Sequence[Reading], value: Callable[[Gpu], float | None], age: Callable[[Gpu], int | None]
) -> list[Point]:
    """The mean of a gauge over the working GPUs with the time it was read, each driver reading once."""
    return list(_gauges(readings, value, age))


def _gauges(
    readings: Sequence[Reading], value: Callable[[Gpu], float | None], age: Callable[[Gpu], int | None]
) -> Iterator[Point]:
    seen = None
    for reading in thinned(readings):
        told = [
            (age(gpu) or 0, one)
            for gpu in working(reading)
            if not gpu.reason and (one := value(gpu)) is not None
        ]
        if told and (read_ns := reading.at_ns - max(a for a, _ in told)) != seen:
            seen = read_ns
            yield read_ns, sum(one for _, one in told) / len(told)


def use(start_ns: int, end_ns: int, readings: Sequence[Reading]) -> Band:
    """Utilisation of the working GPUs, percent: the driver's own finer samples where it keeps some."""
    fine = _recent(readings)
    window_ns = _window(readings, fine)
    known = fine or gauges(readings, lambda gpu: gpu.util_pct, lambda gpu: gpu.age_ns)
    return band(start_ns, end_ns, window_ns, known)


def band(start_ns: int, end_ns: int, window_ns: int, known: Sequence[Point]) -> Band:
    """The band of a gauge that averages over `window_ns`."""
    if not known:
        return Band(window_ns=window_ns, why="not readable here")
    span_ns = end_ns - start_ns
    values = inside(start_ns, end_ns, window_ns, known)
    if span_ns < window_ns:
        why = f"too short to say: the driver averages over {window_ns / SECOND_NS:.1f} s"
        return Band(window_ns=window_ns, why=why)
    if not values:
        return Band(window_ns=window_ns, why="no reading lies inside")
    if span_ns < 2 * window_ns:
        return Band(mean=max(values), at_least=True, window_ns=window_ns)
    return Band(min(values), mean(values), max(values), window_ns=window_ns)


def _recent(readings: Sequence[Reading]) -> list[Point]:
    """The samples that the only working GPU's driver kept itself."""
    found: dict[int, float] = {}
    for reading in readings:
        gpus = working(reading)
        if len(gpus) == 1 and not gpus[0].reason:
            found |= {reading.at_ns - age_ns: pct for age_ns, pct in gpus[0].util_recent}
    return sorted(found.items())


def _window(readings: Sequence[Reading], fine: Sequence[Point]) -> int:
    told = [gpu.util_window_ns for r in readings for gpu in working(r) if gpu.util_window_ns]
    if told:
        return max(told)
    if len(fine) > 1:
        steps = sorted(later - sooner for (sooner, _), (later, _) in pairwise(fine))
        return max(min(steps[len(steps) // 2], WINDOW_NS), 1)
    return WINDOW_NS


def power(start_ns: int, end_ns: int, readings: Sequence[Reading]) -> float | None:
    """Mean watts of all working GPUs together, by their gauges; None for a phase too short for them."""
    for window_ns, value in ((POWER_NOW_NS, _power_now), (WINDOW_NS, _power)):
        told = gauges(readings, value, lambda gpu: gpu.age_ns)
        found = band(start_ns, end_ns, window_ns, told)
        if found.mean is not None and not found.at_least:
            return found.mean * max(len(working(readings[-1])), 1)
    return None


def _power_now(gpu: Gpu) -> float | None:
    return gpu.power_now_w


def _power(gpu: Gpu) -> float | None:
    return gpu.power_w


def dram(start_ns: int, end_ns: int, readings: Sequence[Reading]) -> float | None:
    """Measured share of the memory bandwidth, percent, mean of the working GPUs."""
    window_ns = max((gpu.activity_ns or 0 for r in readings for gpu in working(r)), default=0) or WINDOW_NS
    told = gauges(readings, lambda gpu: gpu.dram_pct, lambda gpu: gpu.activity_age_ns or gpu.age_ns)
    found = band(start_ns, end_ns, window_ns, told)
    return None if found.at_least else found.mean
