"""The row above the lane: the name and time of every phase, each as near to its phase as there is room."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from tui.plot.cells import width
from tui.plot.glyphs import INITIALS, JOINED, Fill
from tui.plot.lane import Lane, Piece
from tui.plot.numbers import duration
from tui.plot.rows import Canvas, Row

_BETWEEN = 2
_QUIET = frozenset({"connect", "send", "finish"})  # named only when they count
_SEEN_SHARE = 0.05
_NOTHING: Mapping[str, str] = {}


class Tag(NamedTuple):
    """A name, what follows it, the role that colours it, and the column where it would like to start."""

    name: str
    more: str
    role: str
    column: int


def names_row(
    lane: Lane, fill: Fill, times: Mapping[str, str] = _NOTHING, marks: Mapping[str, str] = _NOTHING
) -> Row:
    """Names with times (default: what the lane shows) and provenance marks, by phase name.

    What does not fit goes in this order: the marks, times of thin phases, all times, names to initials. The
    last text moves left first, the others only as far as they must.
    """
    pieces = [piece for piece in lane.pieces if _named(piece, lane)]
    canvas = Canvas(lane.width)
    for tags in _variants(pieces, times, marks):  # the first one fits nearly always, so they come one by one
        columns = _columns(tags, lane.width)
        if columns is not None:
            for tag, column in zip(tags, columns, strict=True):
                canvas.put(column, tag.name, f"{tag.role} bold")
                canvas.put(column + width(tag.name), tag.more, "text")
            break
    return canvas.row()


def _named(piece: Piece, lane: Lane) -> bool:
    if not _QUIET.issuperset(piece.names) or not piece.widened:
        return True
    request = lane.pieces[-1].end_ns - lane.pieces[0].start_ns
    return piece.end_ns - piece.start_ns >= _SEEN_SHARE * request


def _variants(
    pieces: Sequence[Piece], times: Mapping[str, str], marks: Mapping[str, str]
) -> Iterator[list[Tag]]:
    """The same tags from long to short."""

    def time(piece: Piece) -> str:
        return " " + times.get(piece.label, duration(piece.end_ns - piece.start_ns))

    def mark(piece: Piece) -> str:
        return f" {marks[piece.label]}" if piece.label in marks else ""

    def initials(piece: Piece) -> str:
        return JOINED.join(INITIALS.get(name, name[:1]) for name in piece.names)

    def tags(more: Sequence[str], short: bool = False) -> list[Tag]:
        return [
            Tag(initials(p) if short else p.label, extra, p.role, p.left // 8)
            for p, extra in zip(pieces, more, strict=True)
        ]

    yield tags([time(p) + mark(p) for p in pieces])
    yield tags([time(p) for p in pieces])
    yield tags(["" if p.widened else time(p) for p in pieces])
    bare = [""] * len(pieces)
    yield tags(bare)
    yield tags(bare, short=True)


def _columns(tags: Sequence[Tag], cells: int) -> list[int] | None:
    """Where each tag starts: at its phase, or pushed right by the one before; None if they can't all fit."""
    columns: list[int] = []
    free = 0
    for tag in tags:
        columns.append(max(tag.column, free))
        free = columns[-1] + width(tag.name + tag.more) + _BETWEEN
    limit = cells
    for i in range(len(tags) - 1, -1, -1):
        columns[i] = min(columns[i], limit - width(tags[i].name + tags[i].more))
        limit = columns[i] - _BETWEEN
    return columns if not columns or columns[0] >= 0 else None
