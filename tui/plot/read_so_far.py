"""How far the prompt is read, in words: only in the unit that the engine tells, marked where inferred."""

from __future__ import annotations

from tui.domain.prefill import Report
from tui.domain.values import Provenance
from tui.plot.numbers import count, percent


def read_so_far(report: Report, unit: bool = True) -> str:
    """`512 of 4,096 tokens`, `256 of 887 new tokens` where reused ones are not counted, or `42 %`.

    unit False leaves out the word tokens, for narrow places.
    """
    mark = f"{Provenance.ESTIMATED.mark} " if report.estimated else ""
    if report.unit == "share":
        return f"{mark}{percent(100 * report.processed // report.total if report.total else 0)}"
    new = "" if report.whole else " new"
    return f"{mark}{count(report.processed)} of {count(report.total)}{new}{' tokens' if unit else ''}"


def counted_notches(reports: tuple[Report, ...]) -> list[tuple[int, int]]:
    """(when, tokens read) of the reports that the time lane may mark: what the engine counted itself."""
    return [(r.at_ns, r.processed) for r in reports if r.worked and r.unit == "tokens" and not r.estimated]
