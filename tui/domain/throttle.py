"""Why a GPU runs below its clock: the driver's reason bits in words."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

MERGE_NS = 1_000_000_000  # marks of one reason closer than this are one mark


@dataclass(frozen=True, slots=True)
class Throttle:
    """One reason. `level` is "info", "warn" or "crit"; a power cap at full load is normal."""

    word: str
    level: str


# NVML's nvmlClocksEventReason* bits, worst first. Idle (0x1) and the display clock (0x100) slow nothing down.
REASONS: tuple[tuple[int, Throttle], ...] = (
    (0x40, Throttle("too hot (hardware)", "crit")),
    (0x80, Throttle("power brake (PSU)", "crit")),
    (0x08, Throttle("hardware slowdown", "crit")),
    (0x20, Throttle("hot", "warn")),
    (0x04, Throttle("power cap", "info")),
    (0x02, Throttle("clocks set by user", "info")),
    (0x10, Throttle("sync boost", "info")),
    (0x600, Throttle("voltage limit", "info")),
)
_SLOWDOWN, _ITS_CAUSES = 0x08, 0xC0  # the slowdown bit is also set when heat or the power brake caused it


def reasons(mask: int | None) -> tuple[Throttle, ...]:
    """All reasons in `mask`, worst first; none for None (not told) or 0."""
    if not mask:
        return ()
    if mask & _ITS_CAUSES:
        mask &= ~_SLOWDOWN
    return tuple(throttle for bits, throttle in REASONS if mask & bits)


@lru_cache(maxsize=256)
def throttle(mask: int | None) -> Throttle | None:
    """The worst reason in `mask`, the only one to show."""
    return next(iter(reasons(mask)), None)
