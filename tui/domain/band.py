"""How busy the GPUs were in a phase, from gauges that average over a window of the driver's own.

A gauge is never told as the value of a phase shorter than two of its windows: then only "at least", and below
one window nothing.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from tui.domain.columns import Columns
from tui.domain.flow import SECOND_NS
from tui.domain.gpu_use import WINDOW_NS
from tui.domain.series import inside, mean

POWER_NOW_NS = SECOND_NS // 10
NOT_READ = "not readable here"


@dataclass(frozen=True, slots=True)
class Band:
    """Least, mean and most; with `at_least` only `mean` is set and means "at least". `why`: there is none."""

    least: float | None = None
    mean: float | None = None
    most: float | None = None
    at_least: bool = False
    window_ns: int = WINDOW_NS
    why: str = ""


@dataclass(frozen=True, slots=True)
class Span:
    """A phase from `start_ns` to `end_ns`, whose readings were made from `first_ns` to `last_ns`."""

    start_ns: int
    end_ns: int
    first_ns: int
    last_ns: int


def use(span: Span, columns: Columns) -> Band:
    """Utilisation of the working GPUs, percent: the driver's own finer samples where it keeps some."""
    read, values = _recent(span, columns)
    window_ns = _window(span, columns, read)
    if not values:
        read, values = columns.gauges["util_pct"].between(span.first_ns, span.last_ns)
    return band(span, window_ns, read, values)


def band(span: Span, window_ns: int, read: Sequence[int], values: Sequence[float]) -> Band:
    """The band of a gauge that averages over `window_ns`."""
    if not values:
        return Band(window_ns=window_ns, why=NOT_READ)
    span_ns = span.end_ns - span.start_ns
    if span_ns < window_ns:
        why = f"too short to say: the driver averages over {window_ns / SECOND_NS:.1f} s"
        return Band(window_ns=window_ns, why=why)
    found = inside(span.start_ns, span.end_ns, window_ns, read, values)
    if not found:
        return Band(window_ns=window_ns, why="no reading lies inside")
    if span_ns < 2 * window_ns:
        return Band(mean=max(found), at_least=True, window_ns=window_ns)
    return Band(min(found), mean(found), max(found), window_ns=window_ns)


def _recent(span: Span, columns: Columns) -> tuple[Sequence[int], Sequence[float]]:
    """The samples that the only working GPU's driver kept itself, in order, each moment once."""
    one = bisect_left(columns.fine_taken, span.first_ns)
    other = bisect_right(columns.fine_taken, span.last_ns)
    if columns.fine_ordered:
        return columns.fine_read[one:other], columns.fine[one:other]
    found = dict(zip(columns.fine_read[one:other], columns.fine[one:other], strict=True))
    read = sorted(found)
    return read, [found[at_ns] for at_ns in read]


def _window(span: Span, columns: Columns, fine: Sequence[int]) -> int:
    _, told = columns.windows.between(span.first_ns, span.last_ns)
    if told:
        return round(max(told))
    if len(fine) > 1:
        steps = sorted(later - sooner for sooner, later in pairwise(fine))
        return max(min(steps[len(steps) // 2], WINDOW_NS), 1)
    return WINDOW_NS


def power(span: Span, columns: Columns, gpus: int) -> float | None:
    """Mean watts of all `gpus` together, by their gauges; None for a phase too short for them."""
    for window_ns, name in ((POWER_NOW_NS, "power_now_w"), (WINDOW_NS, "power_w")):
        found = band(span, window_ns, *columns.gauges[name].between(span.first_ns, span.last_ns))
        if found.mean is not None and not found.at_least:
            return found.mean * max(gpus, 1)
    return None


def dram(span: Span, columns: Columns) -> float | None:
    """Measured share of the memory bandwidth, percent, mean of the working GPUs."""
    _, told = columns.activity.between(span.first_ns, span.last_ns)
    window_ns = round(max(told)) if told else WINDOW_NS
    found = band(span, window_ns, *columns.dram.between(span.first_ns, span.last_ns))
    return None if found.at_least else found.mean


def mean_mhz(span: Span, columns: Columns, name: str) -> float | None:
    """Mean of a clock, `sm_mhz` or `sm_max_mhz`, as it was in the phase."""
    read, values = columns.gauges[name].between(span.first_ns, span.last_ns)
    start_ns, end_ns = span.start_ns, span.end_ns
    return mean([mhz for at_ns, mhz in zip(read, values, strict=True) if start_ns <= at_ns <= end_ns])
