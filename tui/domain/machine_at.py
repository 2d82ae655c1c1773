"""The machine at one moment of a request, from the readings next to it; what they don't tell stays None."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass

from tui.domain.flow import SECOND_NS, flow
from tui.domain.gpu_use import working
from tui.domain.machine import Gpu, Reading
from tui.domain.stretch import ram_used, vram_used

NEAR_NS = SECOND_NS  # a reading farther away says nothing about a moment


@dataclass(frozen=True, slots=True)
class MachineAt:
    """Loads in percent, memory in bytes, power in watts. `age_ns`: how far away the reading is, either way.

    cpu_pct: of all cores, over the time between two readings. gpu_pct: the mean of the working GPUs by their
    drivers, which average it over up to a second. remote: it is the wrong machine, so nothing is told.
    """

    age_ns: int | None = None
    cpu_pct: float | None = None
    gpu_pct: float | None = None
    ram_bytes: float | None = None
    ram_total_bytes: int | None = None
    vram_bytes: float | None = None
    power_w: float | None = None
    remote: bool = False


def machine_at(readings: Sequence[Reading], at_ns: int) -> MachineAt:
    """The machine at `at_ns` (since sent), in the clock of the readings."""
    after = bisect_left(readings, at_ns, key=lambda reading: reading.at_ns)
    near = [n for n in (after - 1, after) if 0 <= n < len(readings)]
    best = min(near, key=lambda n: abs(readings[n].at_ns - at_ns), default=None)
    if best is None or abs(readings[best].at_ns - at_ns) > NEAR_NS:
        return MachineAt()
    reading = readings[best]
    if reading.remote:
        return MachineAt(remote=True)
    gpus = [gpu for gpu in working(reading) or reading.gpus if not gpu.reason and not gpu.stale]
    return MachineAt(
        age_ns=abs(reading.at_ns - at_ns),
        cpu_pct=_cpu(readings, after if 0 < after < len(readings) else best),
        gpu_pct=_mean([gpu.util_pct for gpu in gpus]),
        ram_bytes=ram_used(reading),
        ram_total_bytes=reading.ram_total_bytes,
        vram_bytes=vram_used(reading),
        power_w=_sum([_watts(gpu) for gpu in gpus]),
    )


def _cpu(readings: Sequence[Reading], later: int) -> float | None:
    """Between a reading and the one before it."""
    between = flow(readings[later - 1], readings[later]) if later else None
    cores = readings[later].cpu_cores
    if between is None or between.cpu_busy_cores is None or not cores:
        return None
    return 100 * between.cpu_busy_cores / cores


def _watts(gpu: Gpu) -> float | None:
    return gpu.power_w if gpu.power_now_w is None else gpu.power_now_w


def _mean(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else None


def _sum(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) if known and len(known) == len(values) else None
