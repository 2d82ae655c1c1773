"""Where each phase gets its place in the lane.

Phases thinner than a cell become one whole cell, paid for by the widest ones, so the mapping from time to
column is piecewise linear.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import accumulate
from typing import NamedTuple

from tui.plot.lane import Lane, Piece, Segment

_CELL = 1 << 20  # widths are whole numbers of 1/2^20 cell, so that sums are exact
_EIGHTH = _CELL // 8
_MOST_WIDENED = 6
_MOST_WIDENED_SHARE = 0.10
_SEEN_SHARE = 0.05


def layout(segments: Iterable[Segment], end_ns: int, width: int, start_ns: int | None = None) -> Lane:
    """Give every phase its place in `width` cells (at least 1) that end at `end_ns`.

    Time zero is "sent". Without `start_ns` the lane starts there, or with the connection's set-up before it
    where that is at least one cell or 5 % of the request. With `start_ns` it is a window (zoom). Holes
    between segments count as `unattributed`; the part of a segment that an earlier one covers is dropped.
    """
    ordered = list(segments)
    start = _start(ordered, end_ns, width) if start_ns is None else start_ns
    end = max(end_ns, start + 1)
    tiles = _tiles(ordered, start, end)
    scale = _Scale(start, end, width)
    groups = _groups(tiles, scale)
    rights = _rights(*_paid(groups, scale), width)
    pieces: list[Piece] = []
    left = 0
    for group, right in zip(groups, rights, strict=True):
        longest = max(group, key=lambda tile: tile.end_ns - tile.start_ns)
        names = tuple(dict.fromkeys(tile.name for tile in group))
        first, last = group[0].start_ns, group[-1].end_ns
        pieces.append(Piece(names, longest.name, first, last, left, right, scale.cells(first, last) < _CELL))
        left = right
    times = [start, *(piece.end_ns for piece in pieces)]
    eighths = [0, *rights]
    if times[-1] < end:
        times.append(end)
        eighths.append(width * 8)
    return Lane(width, start, end, tuple(pieces), tuple(times), tuple(eighths))


class _Scale(NamedTuple):
    """True widths on a lane, before anything is widened."""

    start_ns: int
    end_ns: int
    width: int

    def cells(self, first_ns: int, last_ns: int) -> int:
        """From one moment to another in 1/2^20 cells; neighbours sum exactly."""
        whole = self.width * _CELL
        span = self.end_ns - self.start_ns
        return (last_ns - self.start_ns) * whole // span - (first_ns - self.start_ns) * whole // span


def _start(segments: Sequence[Segment], end_ns: int, width: int) -> int:
    """0, or the start of what came before it if that is wide enough to be seen."""
    if not segments or segments[0].start_ns >= 0:
        return 0
    before = -segments[0].start_ns
    request = segments[-1].end_ns + before
    one_cell = before * width >= end_ns + before
    return -before if one_cell or before >= request * _SEEN_SHARE else 0


def _tiles(segments: Iterable[Segment], start: int, end: int) -> list[Segment]:
    """The segments inside the window, end to end, without empty ones."""
    tiles: list[Segment] = []
    at = start
    for name, first, last in segments:
        first, last = max(first, at), min(last, end)  # noqa: PLW2901
        if last <= first:
            continue
        if first > at:
            tiles.append(Segment("unattributed", at, first))
        tiles.append(Segment(name, first, last))
        at = last
    return tiles


def _groups(tiles: Sequence[Segment], scale: _Scale) -> list[list[Segment]]:
    """Each tile alone; where too many would be widened, thin neighbours together."""
    thin = [scale.cells(tile.start_ns, tile.end_ns) < _CELL for tile in tiles]
    groups: list[list[Segment]] = []
    too_many = sum(thin) > min(_MOST_WIDENED, scale.width * _MOST_WIDENED_SHARE)
    for i, tile in enumerate(tiles):
        if too_many and i and thin[i] and thin[i - 1]:
            groups[-1].append(tile)
        else:
            groups.append([tile])
    while len(groups) > scale.width:
        groups[-2:] = [groups[-2] + groups[-1]]
    return groups


def _paid(groups: Sequence[Sequence[Segment]], scale: _Scale) -> tuple[list[int], list[bool], int]:
    """Width of each group, at least a cell; which are widened; width of the empty rest.

    What the thin ones take, the widest give, but never below one cell; the rest gives what is still missing.
    """
    true = [scale.cells(group[0].start_ns, group[-1].end_ns) for group in groups]
    widths = [max(_CELL, cells) for cells in true]
    whole = scale.width * _CELL
    debt = sum(widths) - sum(true)
    for i in sorted(range(len(widths)), key=widths.__getitem__, reverse=True):
        gift = min(debt, widths[i] - _CELL)
        widths[i] -= gift
        debt -= gift
    return widths, [cells < _CELL for cells in true], whole - sum(widths)


def _rights(widths: Sequence[int], widened: Sequence[bool], rest: int, width: int) -> list[int]:
    """Right edge of each group in eighths. Widened ones are whole cells, the others share what is between.

    Edges are rounded, not widths: so everything sums exactly and no edge trembles while the request runs.
    """
    rights: list[int] = []
    true_at = cell = 0
    i = 0
    while i < len(widths):
        if widened[i]:
            true_at += _CELL
            cell += 1
            rights.append(cell * 8)
            i += 1
            continue
        stop = next((j for j in range(i, len(widths)) if widened[j]), len(widths))
        run = [*widths[i:stop]]
        ends_here = stop == len(widths)
        true_at += sum(run) + (rest if ends_here else 0)
        cells = (width if ends_here else (true_at + _CELL // 2) // _CELL) - cell
        rights += [cell * 8 + edge for edge in _edges(run, rest if ends_here else 0, cells)]
        cell += cells
        i = stop
    return rights


def _edges(run: Sequence[int], rest: int, cells: int) -> list[int]:
    """Right edges in eighths of neighbours that fill `cells` together with `rest`; each keeps a cell."""
    extra = [each - _CELL for each in run]
    spare = sum(extra) + rest
    room = (cells - len(run)) * _CELL
    sums = accumulate(extra)
    return [
        (n * _CELL + (total * room // spare if spare else 0) + _EIGHTH // 2) // _EIGHTH
        for n, total in enumerate(sums, start=1)
    ]
