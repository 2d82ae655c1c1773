"""What the reports of an Apple chip mean: energy in its several units, and residency of the GPU's clocks."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

_JOULES = {"nJ": 1e-9, "uJ": 1e-6, "µJ": 1e-6, "mJ": 1e-3, "J": 1.0}
_RESTING = frozenset({"OFF", "IDLE", "DOWN"})
ENERGY, STATES = "Energy Model", ("GPU Stats", "GPU Performance States")
GPU_ENERGY, GPU_STATES = "GPU Energy", "GPUPH"


@dataclass(frozen=True, slots=True)
class Item:
    """The growth of one channel between two samples: a value in its unit, or time spent in each state."""

    group: str
    channel: str
    unit: str = ""
    value: int = 0
    states: tuple[tuple[str, int], ...] = ()


def joules(items: Iterable[Item]) -> float | None:
    """Energy of the GPU, by the chip's own model of itself; the unit differs between chips.

    None when no such channel is there or its unit is unknown.
    """
    for item in items:
        if item.group == ENERGY and item.channel == GPU_ENERGY:
            scale = _JOULES.get(item.unit.strip())
            return None if scale is None or item.value < 0 else item.value * scale
    return None


@dataclass(frozen=True, slots=True)
class Activity:
    """Share of time in which the GPU ran, its mean clock over that time, and its highest clock (MHz)."""

    active_pct: float
    mean_mhz: float | None
    top_mhz: float | None


def activity(items: Iterable[Item], clocks: Sequence[float]) -> Activity | None:
    """From the residencies of the GPU's states; `clocks` in MHz, lowest first, are those that are not rest.

    None when it reported no time. Without a clock for each state only the active share is told.
    """
    for item in items:
        if item.group == STATES[0] and item.channel == GPU_STATES:
            running = [time for name, time in item.states if name not in _RESTING]
            total, active = sum(time for _, time in item.states), sum(running)
            if total <= 0:
                return None
            share, top = 100 * active / total, clocks[-1] if clocks else None
            if len(running) != len(clocks) or not active:
                return Activity(share, None, top)
            mean = sum(time * clock for time, clock in zip(running, clocks, strict=True)) / active
            return Activity(share, mean, top)
    return None
