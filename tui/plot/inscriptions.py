"""The words and numbers inside the phase lane: initials, notch labels, captions, expectation, ending."""

from __future__ import annotations

from collections.abc import Sequence

from tui.plot.cells import width
from tui.plot.glyphs import INITIALS, JOINED, Fill
from tui.plot.lane import Lane, Piece
from tui.plot.marks import Marks, Notch, expected_cells, prefill_piece
from tui.plot.numbers import count
from tui.plot.paint import area, inside, on_track
from tui.plot.rows import Canvas


def inscribe(canvas: Canvas, lane: Lane, marks: Marks, notches: Sequence[Notch], fill: Fill) -> None:
    """Write on a painted lane; nothing is written that does not fit whole."""
    for piece in lane.pieces:
        _initial(canvas, piece, fill)
    _notch_labels(canvas, lane, notches, fill)
    for piece in lane.pieces:
        if caption := marks.captions.get(piece.role):
            _caption(canvas, piece, caption, fill, piece.role in marks.guessed)
    _expectation(canvas, lane, marks, fill)
    _ending(canvas, lane, marks, fill)


def _initial(canvas: Canvas, piece: Piece, fill: Fill) -> None:
    """Names a cell that is wider than true, or that several phases share."""
    joined = len(piece.names) > 1
    if piece.whole and (piece.widened or joined):
        initial = JOINED if joined else INITIALS.get(piece.role, "?")
        canvas.put(piece.whole.start, initial, inside(piece.role, fill))


def _notch_labels(canvas: Canvas, lane: Lane, notches: Sequence[Notch], fill: Fill) -> None:
    """Tokens read, left of the line, where one cell stays free before them."""
    prefill = prefill_piece(lane)
    if prefill is None:
        return
    before = prefill.whole.start - 1
    for notch in notches:
        label = count(notch.tokens)
        if notch.cell - before >= len(label) + 2:
            canvas.put(notch.cell - len(label), label, inside("prefill", fill))
        before = notch.cell


def _caption(canvas: Canvas, piece: Piece, caption: str, fill: Fill, guessed: bool) -> None:
    """A word in the middle of the widest free stretch of its phase; on a hatch with a space at both sides."""
    hatched = guessed or piece.role == "waiting"
    span = (fill.glyphs.supposed, on_track(piece.role, fill)) if guessed else area(piece.role, fill)
    text = f" {caption} " if hatched else caption
    free = canvas.longest(piece.whole.start, piece.whole.stop, span)
    if len(free) >= width(text) + 2:
        style = on_track("text", fill) if hatched else inside(piece.role, fill)
        canvas.put(free.start + (len(free) - width(text)) // 2, text, f"{style} bold")


def _expectation(canvas: Canvas, lane: Lane, marks: Marks, fill: Fill) -> None:
    """The longest label that fits: inside the expected part at its end, else right after it."""
    if marks.expected is None or marks.now_ns is None:
        return
    cells = expected_cells(lane, marks)
    style = on_track("text", fill)
    for label in marks.expected.labels:
        if width(label) + 4 <= len(cells):
            canvas.put(cells.stop - width(label) - 3, f" {label} ", style)
            return
        if cells.stop + 1 + width(label) <= lane.width:
            canvas.put(cells.stop + 1, label, style)
            return


def _ending(canvas: Canvas, lane: Lane, marks: Marks, fill: Fill) -> None:
    """The longest words that fit behind the sign of failure or cancelling."""
    if marks.ending is None or not lane.pieces:
        return
    column = lane.mark(lane.pieces[-1].end_ns) + 2
    words = next((text for text in marks.ending.words if column + width(text) <= lane.width), "")
    canvas.put(column, words, on_track("text", fill))
