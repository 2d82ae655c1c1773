"""How fast the first and the last quarter of an answer were written: whether depth has slowed it down."""

from __future__ import annotations

from bisect import bisect_left

from tui.domain.values import Provenance, Value, absent
from tui.domain.view import View

_LEAST = 16  # tokens; a quarter of fewer says nothing
_FORMULA = "tokens after the first one of that quarter / (its last arrival − its first)"


def quarter_rates(view: View) -> tuple[Value, Value]:
    """(first, last) quarter in tok/s by the engine's count and our clock; absent while it runs."""
    columns, reads = view.track.columns, view.track.reads
    counts, at = columns.tokens[:reads], columns.at
    if view.total_ns is None:
        return _both("the answer is not whole yet")
    if not reads or not counts[0] or counts[-1] < _LEAST:
        return _both(f"it takes {_LEAST} tokens that the engine counts one by one")
    if "buffered_delivery" in view.warnings:
        return _both("it was delivered in lumps")
    whole = counts[-1]
    first_ends = bisect_left(counts, whole / 4)
    last_begins = bisect_left(counts, 3 * whole / 4)

    def between(start: int, end: int) -> Value:
        took_ns = at[end] - at[start]
        if took_ns <= 0:
            return absent("tok/s", "all of it came at once")
        return Value((counts[end] - counts[start]) * 1e9 / took_ns, "tok/s", Provenance.OBSERVED, _FORMULA)

    return between(0, first_ends), between(last_begins, reads - 1)


def _both(why: str) -> tuple[Value, Value]:
    return absent("tok/s", why), absent("tok/s", why)
