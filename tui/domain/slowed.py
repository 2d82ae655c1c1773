"""How much of a phase a GPU ran below its clock, and for which reason: the worst one."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

from tui.domain.band import Span
from tui.domain.boards import Board, throttle_age
from tui.domain.columns import Columns
from tui.domain.throttle import REASONS, Throttle

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


def slowed(span: Span, columns: Columns, boards: Sequence[Board]) -> Slowed | None:
    """The worst reason on any of the working `boards`; None when there was none or nothing was told."""
    by_counter = _by_counters(span, boards)
    by_sample = _by_samples(span, columns)
    ranks = [reason for _, reason in REASONS]
    found = [one for one in (by_counter, by_sample) if one is not None]
    return min(found, key=lambda one: (ranks.index(one.throttle), not one.counted), default=None)


def _by_counters(span: Span, boards: Sequence[Board]) -> Slowed | None:
    span_ns = span.end_ns - span.start_ns
    for _, reason in REASONS:
        field = _COUNTERS.get(reason.word)
        if field is None:
            continue
        grew = [board.growth(span.start_ns, span.end_ns, field, throttle_age) for board in boards]
        share = max((one / span_ns for one in grew if one is not None), default=0.0)
        if share >= LEAST_SHARE:
            return Slowed(reason, min(share, 1.0), True)
    return None


def _by_samples(span: Span, columns: Columns) -> Slowed | None:
    one = bisect_left(columns.slow_taken, span.first_ns)
    other = bisect_right(columns.slow_taken, span.last_ns)
    start_ns, end_ns = span.start_ns, span.end_ns
    seen = 0
    counts: dict[Throttle, int] = {}
    for oldest_ns, newest_ns, each in columns.slow[one:other]:
        if start_ns <= oldest_ns and newest_ns <= end_ns:
            within = each
        else:
            within = tuple(told for told in each if start_ns <= told[0] <= end_ns)
            if not within:
                continue
        seen += 1
        for worst in {reason for _, reason in within if reason is not None}:
            counts[worst] = counts.get(worst, 0) + 1
    for _, reason in REASONS:
        if counts.get(reason, 0) >= max(LEAST_SHARE * seen, 1):
            return Slowed(reason, counts[reason] / seen, False)
    return None
