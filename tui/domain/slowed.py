"""How much of a phase a GPU ran below its clock, and for which reason: the worst one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tui.domain.gpu_use import working
from tui.domain.machine import Gpu, Reading
from tui.domain.series import growth, thinned
from tui.domain.throttle import REASONS, Throttle, throttle

LEAST_SHARE = 0.005  # of the phase; less is a hiccup
_COUNTERS = {
    "too hot (hardware)": "too_hot_ns",
    "power brake (PSU)": "power_brake_ns",
    "hot": "hot_ns",
    "power cap": "power_cap_ns",
    "voltage limit": "voltage_ns",
}


@dataclass(frozen=True, slots=True)
class Slowed:
    """The worst reason with its share of the phase (0 to 1); `counted`: by the driver's own counters."""

    throttle: Throttle
    share: float
    counted: bool


def slowed(start_ns: int, end_ns: int, readings: Sequence[Reading]) -> Slowed | None:
    """The worst reason on any working GPU; None when there was none or nothing was told."""
    if not readings or end_ns <= start_ns:
        return None
    by_counter = _by_counters(start_ns, end_ns, readings)
    by_sample = _by_samples(start_ns, end_ns, readings)
    ranks = [reason for _, reason in REASONS]
    found = [one for one in (by_counter, by_sample) if one is not None]
    return min(found, key=lambda one: (ranks.index(one.throttle), not one.counted), default=None)


def _by_counters(start_ns: int, end_ns: int, readings: Sequence[Reading]) -> Slowed | None:
    uuids = [gpu.uuid for gpu in working(readings[-1])]
    for _, reason in REASONS:
        field = _COUNTERS.get(reason.word)
        if field is None:
            continue
        shares = [_counted(start_ns, end_ns, readings, uuid, field) for uuid in uuids]
        share = max((one for one in shares if one is not None), default=0.0)
        if share >= LEAST_SHARE:
            return Slowed(reason, min(share, 1.0), True)
    return None


def _counted(start_ns: int, end_ns: int, readings: Sequence[Reading], uuid: str, field: str) -> float | None:
    def gpu(reading: Reading) -> Gpu | None:
        return next((one for one in reading.gpus if one.uuid == uuid and not one.reason), None)

    def pick(reading: Reading) -> float | None:
        one = gpu(reading)
        return getattr(one, field) if one else None

    def age(reading: Reading) -> int:
        one = gpu(reading)
        return (one.energy_age_ns if one.throttle_age_ns is None else one.throttle_age_ns) if one else 0

    grew = growth(start_ns, end_ns, readings, pick, age)
    return None if grew is None else grew / (end_ns - start_ns)


def _by_samples(start_ns: int, end_ns: int, readings: Sequence[Reading]) -> Slowed | None:
    seen = 0
    counts: dict[Throttle, int] = {}
    for reading in thinned(readings):
        masks = [
            gpu.throttle_mask
            for gpu in working(reading)
            if gpu.throttle_mask is not None
            and not gpu.reason
            and start_ns <= reading.at_ns - gpu.age_ns <= end_ns
        ]
        if not masks:
            continue
        seen += 1
        for worst in {one for one in map(throttle, masks) if one is not None}:
            counts[worst] = counts.get(worst, 0) + 1
    for _, reason in REASONS:
        if counts.get(reason, 0) >= max(LEAST_SHARE * seen, 1):
            return Slowed(reason, counts[reason] / seen, False)
    return None
