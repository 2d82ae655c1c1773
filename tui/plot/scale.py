"""Ends and ticks of axes: steps of 1-2-5 while something grows, finer steps once it stands still.

Ticks are kept: they change only with the end of the axis, and every frame asks for them.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

_COARSE = (10, 20, 50)
_FINE = (10, 15, 20, 25, 30, 40, 50, 60, 80)  # tenths, so that all steps are whole numbers
_S = 1_000_000_000
FIRST_END_NS = _S
_REACH = 0.96  # "now" stays left of this part of the axis


def step(at_least: float) -> int:
    """The smallest 1, 2 or 5 times a power of ten that is not below `at_least` (from 1 on)."""
    return _step(at_least, _COARSE)


def fine_step(at_least: float) -> int:
    """The smallest of 1 1.5 2 2.5 3 4 5 6 8 times a power of ten that is not below `at_least` (from 1 on)."""
    return _step(at_least, _FINE)


def _step(at_least: float, series: Sequence[int]) -> int:
    decade = 1
    while True:
        for tenths in series:
            if tenths * decade % 10 == 0 and tenths * decade // 10 >= at_least:
                return tenths * decade // 10
        decade *= 10


def running_end(elapsed_ns: int, *, ghost_ns: int = 0, estimate_ns: int = 0, previous_ns: int = 0) -> int:
    """End of the time axis while a request runs, ns; never below `previous_ns` (0: the first call).

    `ghost_ns`: end of the ghost or of the usual run; `estimate_ns`: when the first token is expected.
    """
    start = 0 if ghost_ns or estimate_ns else FIRST_END_NS
    return max(previous_ns, step(max(elapsed_ns / _REACH, ghost_ns, estimate_ns, start)))


def settled_end(run_ns: int, ghost_ns: int = 0) -> int:
    """End of the time axis once the request is over, ns: holds the run and its ghost."""
    return fine_step(max(run_ns, ghost_ns))


def grown_top(median_ns: float, previous_ns: int = 0) -> int:
    """Top of the gap scale, ns: the normal gap is about half of it. Only grows during a run."""
    return max(previous_ns, fine_step(2 * median_ns))


@lru_cache(maxsize=16)
def ticks(end_ns: int, most: int = 8, start_ns: int = 0) -> tuple[int, ...]:
    """Moments to write on an axis, ns: a 1-2-5 step, at most `most` besides zero.

    An axis that starts at zero gets a step that meets its end, so that the end carries a number.
    """
    each = step((end_ns - start_ns) / most)
    meeting = each
    while start_ns == 0 and end_ns % meeting and meeting < end_ns:
        meeting = step(meeting + 1)
    each = meeting if meeting < end_ns else each
    first = -(-start_ns // each)
    return tuple(n * each for n in range(first, end_ns // each + 1))


@lru_cache(maxsize=16)
def tick_texts(ticks_ns: tuple[int, ...]) -> tuple[str, ...]:
    """One unit for the whole axis: `0`, `0.5 s`, `1 s`. Zero has no unit."""
    unit_ns, unit = axis_unit(max((abs(tick) for tick in ticks_ns), default=0))
    return tuple(f"{_short(tick / unit_ns)} {unit}" if tick else "0" for tick in ticks_ns)


def axis_unit(end_ns: int) -> tuple[int, str]:
    """The unit of an axis with this end, as ns and as text."""
    if end_ns >= _S:
        return _S, "s"
    return (1_000_000, "ms") if end_ns >= 1_000_000 else (1_000, "µs")


def _short(number: float) -> str:
    return f"{number:.6f}".rstrip("0").rstrip(".")
