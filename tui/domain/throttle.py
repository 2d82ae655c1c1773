"""Why a GPU runs below its clock: the driver's reason bits in words, and marks of it on the time axis."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

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


def throttle(mask: int | None) -> Throttle | None:
    """The worst reason in `mask`, the only one to show."""
    return next(iter(reasons(mask)), None)


@dataclass(frozen=True, slots=True)
class Mark:
    """One stretch of time under one reason, in the clock of the series it was made from."""

    start_ns: int
    end_ns: int
    throttle: Throttle


def marks(series: Iterable[tuple[int, int | None]]) -> tuple[Mark, ...]:
    """Stretches of each reason in a series of (time in ns, mask), by start time.

    A reason holds until the sample that no longer has it; one still held at the end lasts to the last sample.
    """
    done: list[Mark] = []
    latest: dict[Throttle, Mark] = {}
    held: tuple[Throttle, ...] = ()
    for at_ns, mask in series:
        for reason in held:
            latest[reason] = replace(latest[reason], end_ns=at_ns)
        now = reasons(mask)
        for reason in now:
            before = latest.get(reason)
            if before is None or at_ns - before.end_ns >= MERGE_NS:
                done += [before] if before else []
                latest[reason] = Mark(at_ns, at_ns, reason)
        held = now
    return tuple(sorted([*done, *latest.values()], key=lambda mark: mark.start_ns))
