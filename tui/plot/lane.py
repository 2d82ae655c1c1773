"""The one mapping from time to column: where a moment lies in the lane, in eighths of a cell.

Lane, ghost, axis, gaps, load, cursor and "now" all place by it and therefore line up.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple


class Segment(NamedTuple):
    """A phase of the request: ns since it was sent."""

    name: str
    start_ns: int
    end_ns: int


@dataclass(frozen=True, slots=True)
class Piece:
    """A phase, or neighbours joined into one cell, from eighth `left` up to eighth `right` of the lane.

    `names` in order; `role` is the longest one's name and stands for its colour. `widened`: drawn wider than
    true, exactly one whole cell.
    """

    names: tuple[str, ...]
    role: str
    start_ns: int
    end_ns: int
    left: int
    right: int
    widened: bool

    @property
    def label(self) -> str:
        return "+".join(self.names)

    @property
    def whole(self) -> range:
        """The cells that belong to this piece alone."""
        return range(-(-self.left // 8), self.right // 8)


@dataclass(frozen=True, slots=True)
class Lane:
    """`width` cells from `start_ns` to `end_ns`, holding `pieces` in order; the rest is empty track."""

    width: int
    start_ns: int
    end_ns: int
    pieces: tuple[Piece, ...]
    _times: tuple[int, ...]
    _eighths: tuple[int, ...]

    def column(self, time_ns: float) -> float:
        """Where a moment lies, in cells from the left; held inside the lane."""
        if time_ns <= self.start_ns:
            return 0.0
        if time_ns >= self.end_ns:
            return float(self.width)
        return _between(self._times, self._eighths, time_ns) / 8

    def time(self, column: float) -> int:
        """The moment at a column, ns since sent: the inverse of `column`."""
        if column <= 0:
            return self.start_ns
        if column >= self.width:
            return self.end_ns
        return round(_between(self._eighths, self._times, column * 8))

    def edges(self) -> list[int]:
        """The moments at the right edges of all columns: `time` of each, in one go."""
        moments: list[int] = []
        i = 1
        for column in range(8, self.width * 8, 8):
            while self._eighths[i] <= column:
                i += 1
            x0, x1 = self._eighths[i - 1], self._eighths[i]
            y0, y1 = self._times[i - 1], self._times[i]
            moments.append(round(y0 + (y1 - y0) * (column - x0) / (x1 - x0)))
        return [*moments, self.end_ns]

    def mark(self, time_ns: float) -> int:
        """The cell for a mark right after everything before `time_ns`: where `┃` stands."""
        return self.cell(self.column(time_ns))

    def cell(self, column: float) -> int:
        """The cell for a mark at a column."""
        return min(self.width - 1, -(-round(column * 8) // 8))

    def hole(self, start_ns: int, end_ns: int) -> range:
        """The whole cells of a stall, at least one; one that still lasts reaches up to the mark of now."""
        lasts = not self.pieces or end_ns >= self.pieces[-1].end_ns
        stop = self.mark(end_ns) if lasts else int(self.column(end_ns) + 0.5)
        start = min(int(self.column(start_ns) + 0.5), self.width - 1)
        return range(start, max(start + 1, stop))


def _between(xs: Sequence[int], ys: Sequence[int], x: float) -> float:
    i = bisect_right(xs, x)
    x0, x1, y0, y1 = xs[i - 1], xs[i], ys[i - 1], ys[i]
    return y0 + (y1 - y0) * (x - x0) / (x1 - x0)
