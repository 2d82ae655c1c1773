"""Below the lane: the ghost of another run, the axis with its ticks, and their labels."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from functools import lru_cache

from tui.plot.cells import width
from tui.plot.glyphs import Fill
from tui.plot.lane import Lane, Segment
from tui.plot.numbers import three
from tui.plot.rows import Canvas, Row
from tui.plot.scale import axis_unit, tick_texts

_LABELLED = 3  # of a ghost that is cut: the label covers this part of it at most
_DIMMED = {"prefill": "prefill-dim", "decode": "decode-dim"}


def ghost_row(
    lane: Lane, segments: Sequence[Segment], labels: Sequence[str], fill: Fill, on_line: bool = False
) -> Row:
    """Another run on this lane's axis, half a row high and dimmed, with the longest label that fits.

    `segments` in order; `labels` longest first. Where even the shortest does not fit behind the ghost, it
    stands over its end. `on_line`: the row is also the line of the axis. One that is longer than the axis is
    cut at its end, with a mark.
    """
    signs = fill.glyphs
    canvas = Canvas(lane.width, *((signs.line, "rule") if on_line else (" ", "text")))
    end = round(lane.column(segments[-1].end_ns)) if segments else 0
    for segment in segments:  # up to the end: the next one is painted over what is not this one's
        # a column is the segment's that its middle lies in
        start = bisect_left(range(end), segment.start_ns, key=lambda column: lane.time(column + 0.5))
        sign = signs.ghost.get(segment.name, signs.ghost_other)
        canvas.fill(start, end, sign, _DIMMED.get(segment.name, f"{segment.name} dim"))
    cut = bool(segments) and segments[-1].end_ns > lane.end_ns
    if segments and labels:
        room = lane.width // _LABELLED if cut else lane.width - end - 1
        shown = next((text for text in labels if width(text) <= room), labels[-1])
        if cut:
            canvas.put(lane.width - width(shown) - 3, f" {shown} ", "secondary")
        else:
            canvas.put(min(end + 1, lane.width - width(shown)), shown, "secondary")
    if cut:
        canvas.put(lane.width - 1, signs.right, "text bold")
    return canvas.row()


def axis_row(lane: Lane, ticks_ns: Sequence[int], fill: Fill) -> Row:
    """The line of the axis with a tick at each moment."""
    return _line(lane.width, tuple(_tick_cell(lane, tick) for tick in ticks_ns), fill)


@lru_cache(maxsize=8)
def _line(cells: int, ticks: tuple[int, ...], fill: Fill) -> Row:
    """Kept, as it changes only when the axis grows."""
    canvas = Canvas(cells, fill.glyphs.line, "rule")
    for tick in ticks:
        canvas.put(tick, fill.glyphs.tick, "secondary")
    return canvas.row()


def label_row(
    lane: Lane,
    ticks_ns: Sequence[int],
    fill: Fill,
    now_ns: int | None = None,
    bold: bool = False,
    told_ns: int | None = None,
) -> Row:
    """The labels of the ticks and, under the mark of now, its time; labels that would touch are left out.

    `bold`: right after the axis has grown. `told_ns`: the time that is written there, when that is earlier.
    """
    canvas = Canvas(lane.width)
    taken: list[tuple[int, int]] = []
    if now_ns is not None:
        column, text = _now_label(lane, now_ns, now_ns if told_ns is None else told_ns, fill)
        canvas.put(column, text, "text bold")
        taken.append((column - 1, column + width(text) + 1))
    for tick, text in zip(ticks_ns, tick_texts(tuple(ticks_ns)), strict=True):
        column = max(0, min(_tick_cell(lane, tick) - width(text) // 2, lane.width - width(text)))
        stop = column + width(text)
        if all(stop < left or column > right for left, right in taken):
            canvas.put(column, text, "secondary bold" if bold else "secondary")
            taken.append((column, stop))
    return canvas.row()


def _now_label(lane: Lane, now_ns: int, told_ns: int, fill: Fill) -> tuple[int, str]:
    """The time of now in the unit of the axis; its pointer stands under the mark at either end."""
    unit_ns, unit = axis_unit(lane.end_ns)
    text = f"{three(told_ns / unit_ns)} {unit}"
    column = lane.mark(now_ns)
    if column + 2 + width(text) <= lane.width:
        return column, f"{fill.glyphs.pointer} {text}"
    return column - width(text) - 1, f"{text} {fill.glyphs.pointer}"


def _tick_cell(lane: Lane, time_ns: int) -> int:
    return min(lane.width - 1, int(lane.column(time_ns)))
