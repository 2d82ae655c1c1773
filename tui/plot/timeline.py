"""The phase lane: solid phases, prefill notches, now, what is expected, stalls, and how it ended."""

from __future__ import annotations

from collections.abc import Sequence

from tui.plot.glyphs import Fill
from tui.plot.inscriptions import inscribe
from tui.plot.lane import Lane, Piece
from tui.plot.marks import Marks, Notch, expected_cells, placed_notches
from tui.plot.paint import area, inside, on_track
from tui.plot.rows import Canvas, Row, Span


def lane_rows(lane: Lane, rows: int, marks: Marks, fill: Fill) -> tuple[Row, ...]:
    """The lane, `rows` high; the middle one carries the text."""
    notches = placed_notches(lane, marks.notches)
    canvas = _painted(lane, marks, notches, fill)
    bare = canvas.row()
    inscribe(canvas, lane, marks, notches, fill)
    written = canvas.row()
    return tuple(written if i == rows // 2 else bare for i in range(rows))


def _painted(lane: Lane, marks: Marks, notches: Sequence[Notch], fill: Fill) -> Canvas:
    signs = fill.glyphs
    canvas = Canvas(lane.width, " ", on_track("text", fill))
    for i, piece in enumerate(lane.pieces):
        canvas.fill(piece.whole.start, piece.whole.stop, *_area(piece.role, marks, fill))
        after = lane.pieces[i + 1].role if i + 1 < len(lane.pieces) else None
        _paint_edge(canvas, piece, after, marks, fill)
    for start_ns, end_ns in marks.stalls:
        hole = lane.hole(start_ns, end_ns)
        style = "stall on decode-dim" if fill is Fill.COLOUR else "stall"
        canvas.fill(hole.start, hole.stop, signs.stall, style)
    for notch in notches:
        canvas.put(notch.cell, signs.notch, inside("prefill", fill))
    expected = expected_cells(lane, marks)
    canvas.fill(expected.start, expected.stop, signs.expected, on_track("prefill-dim", fill))
    if marks.ending is not None and lane.pieces:
        sign, role = (signs.failed, "failed") if marks.ending.failed else (signs.cancelled, "secondary")
        canvas.put(lane.mark(lane.pieces[-1].end_ns), sign, on_track(role, fill))
    elif marks.now_ns is not None:
        canvas.put(lane.mark(marks.now_ns), signs.now, on_track("text", fill))
    return canvas


def _area(role: str, marks: Marks, fill: Fill) -> Span:
    """One cell of a phase; a guessed one is hatched against the direction of `waiting`."""
    if role not in marks.guessed:
        return area(role, fill)
    return fill.glyphs.supposed, on_track(role, fill)


def _paint_edge(canvas: Canvas, piece: Piece, after: str | None, marks: Marks, fill: Fill) -> None:
    """The cell that a piece shares with the next: eighths between plain colours, else the larger part."""
    cell, eighths = divmod(piece.right, 8)
    if not eighths:
        return
    glyph, style = _area(piece.role, marks, fill)
    next_glyph, next_style = _area(after, marks, fill) if after else (" ", "")
    if fill is Fill.COLOUR and glyph == next_glyph == " ":
        canvas.put(cell, fill.glyphs.lefts[eighths], f"{piece.role} on {after or 'track'}")
    elif after is None or eighths >= 4:
        canvas.put(cell, glyph, style)
    else:
        canvas.put(cell, next_glyph, next_style)
