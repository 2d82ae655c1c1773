"""Background requests under the phase lane: a thin lane each, or one row that tells how many were at work."""

from __future__ import annotations

from collections.abc import Sequence

from tui.domain.rivals import Rival, Turn
from tui.plot.glyphs import Fill
from tui.plot.lane import Lane
from tui.plot.rows import Canvas, Row

_WAITS, _WRITES = "waiting", "decode"
_LOST = frozenset({"error", "reset"})


def rival_row(lane: Lane, rival: Rival, now_ns: int, fill: Fill) -> Row:
    """One rival's requests, half a row high and dimmed: hatched until its first text, then solid."""
    signs = fill.glyphs
    canvas = Canvas(lane.width)
    for turn in rival.turns:
        waits, writes = _cells(lane, turn, now_ns)
        canvas.fill(waits.start, waits.stop, signs.phase(_WAITS), f"{_WAITS} dim")
        canvas.fill(writes.start, writes.stop, signs.thin, f"{_WRITES}-dim")
        if turn.how in _LOST and waits:
            canvas.put(waits.stop - 1, signs.failed, "failed")
    return canvas.row()


def rivals_row(lane: Lane, rivals: Sequence[Rival], now_ns: int, fill: Fill) -> Row:
    """One row for all: as high as the share of them that writes then; hatched where all of them wait."""
    signs = fill.glyphs
    writing, waiting = [0] * lane.width, [False] * lane.width
    for rival in rivals:
        for turn in rival.turns:
            waits, writes = _cells(lane, turn, now_ns)
            for cell in waits:
                waiting[cell] = True
            for cell in writes:
                writing[cell] += 1
    canvas = Canvas(lane.width)
    for cell, number in enumerate(writing):
        if number:
            share = min(1.0, number / len(rivals))
            canvas.put(cell, signs.bars[max(1, round(share * 8))], f"{_WRITES}-dim")
        elif waiting[cell]:
            canvas.put(cell, signs.phase(_WAITS), f"{_WAITS} dim")
    return canvas.row()


def _cells(lane: Lane, turn: Turn, now_ns: int) -> tuple[range, range]:
    """The cells in which it waits and those in which it writes; what happened has one cell at least."""
    end_ns = now_ns if turn.ended_ns is None else turn.ended_ns
    if end_ns <= lane.start_ns or turn.sent_ns >= lane.end_ns:
        return range(0), range(0)
    start = min(int(lane.column(turn.sent_ns)), lane.width - 1)
    stop = max(start + 1, round(lane.column(end_ns)))
    if turn.first_ns is None:
        return range(start, stop), range(0)
    first = min(max(start, round(lane.column(turn.first_ns))), stop - 1)
    return range(start, first), range(first, stop)
