"""Text coloured by how long it was waited for: the steps of the scale, their styles, and the legend."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from math import floor, log10, sqrt

from tui.plot.numbers import duration
from tui.plot.rows import Row

USUAL = 1.5  # times the median: up to here nothing is coloured
STALL_NS, STALL_TIMES = 250_000_000, 5
STYLES = ("text", "slow bold", "slower reverse", "stall bold reverse")
"""By step. Each also differs in weight or ground, so that they are told apart where there is no colour."""
TOGETHER = "underline"
"""Added to what came with others in one read."""


@dataclass(frozen=True, slots=True)
class Scale:
    """The greatest gap (ns) of each step but the last."""

    borders_ns: tuple[int, ...] = ()

    def step(self, gap_ns: int | None) -> int:
        """0 (as usual, or no gap at all) to 3 (as long as a stall)."""
        return 0 if gap_ns is None else bisect_left(self.borders_ns, gap_ns)


def scale(median_ns: float | None) -> Scale:
    """The scale of an answer by the median of its gaps; without one everything is plain.

    From 1.5 medians to max(250 ms, 5 medians), from which a gap is a stall, with the geometric mean between
    them; the two lower borders are rounded to two digits.
    """
    if not median_ns:
        return Scale()
    low, high = USUAL * median_ns, max(STALL_NS, STALL_TIMES * median_ns)
    return Scale((_round(low), _round(sqrt(low * high)), round(high)))


def _round(ns: float) -> int:
    step: int = 10 ** max(0, floor(log10(ns)) - 1)
    return round(ns / step) * step


def style(step: int, together: bool = False) -> str:
    """The style of a piece."""
    return f"{STYLES[step]} {TOGETHER}" if together else STYLES[step]


def legend(scale: Scale, cells: int) -> Row:
    """Each step in its own looks with its border, and what is underlined; shorter in less room."""
    if not scale.borders_ns:
        return ()
    low, middle, high = (duration(ns) for ns in scale.borders_ns)
    names = (f"up to {low}", f"to {middle}", f"to {high}", "longer: a stall")
    short = (f"≤{low}", f"≤{middle}", f"≤{high}", f">{high}")
    for told, together in ((names, "came in one read"), (short, "one read"), (short, "")):
        spans = [(" ", "text")]
        for n, name in enumerate(told):
            spans += [(name, STYLES[n]), ("  ", "text")]
        spans = [*spans, (together, f"text {TOGETHER}")] if together else spans[:-1]
        if sum(len(text) for text, _ in spans) <= cells:
            return tuple(spans)
    return ()
