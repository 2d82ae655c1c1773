"""Where on the time axis the machine stood in the way: a sign, a line as long as it lasted, and a word."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from tui.plot.cells import width
from tui.plot.glyphs import Fill
from tui.plot.lane import Lane
from tui.plot.rows import Row, Span, join, overlay

_STYLES = {"info": "secondary", "warn": "text bold", "crit": "stall bold"}
_SIGNS = {"info": "●", "warn": "▲", "crit": "✖"}
_ORDER = ("crit", "warn", "info")


class Trouble(NamedTuple):
    """ns since sent; `level` is info, warn or crit; `words` from long to short, clean."""

    start_ns: int
    end_ns: int
    level: str
    words: tuple[str, ...]


class _Place(NamedTuple):
    start: int
    stop: int  # of its line
    words: str
    trouble: Trouble

    @property
    def end(self) -> int:
        """Behind all that is written."""
        told = self.start + 2 + width(self.words) if self.words else self.start + 1
        return max(self.stop, told)


def troubles_over(row: Row, lane: Lane, troubles: Iterable[Trouble], fill: Fill) -> Row:
    """The row of the lane's width with the troubles over it; where two meet, the graver one is seen.

    The longest words are taken that stay free of the others; a trouble too close to another keeps its sign.
    """
    for place in sorted(_placed(lane, list(troubles)), key=lambda place: -_ORDER.index(place.trouble.level)):
        row = overlay(row, place.start, _spans(place, fill))
    return row


def _placed(lane: Lane, troubles: Sequence[Trouble]) -> list[_Place]:
    taken: list[_Place] = []
    for trouble in sorted(troubles, key=lambda one: (_ORDER.index(one.level), one.start_ns)):
        if trouble.end_ns < lane.start_ns or trouble.start_ns > lane.end_ns:
            continue
        start, stop = _free(_cells(lane, trouble), taken)
        if stop <= start:
            continue
        bare = _Place(start, stop, "", trouble)
        tried = [*(bare._replace(words=words) for words in trouble.words), bare]
        fits = [one for one in tried if one.end <= lane.width and not any(_meet(one, two) for two in taken)]
        taken.append(fits[0] if fits else bare)
    return taken


def _cells(lane: Lane, trouble: Trouble) -> range:
    start = min(int(lane.column(trouble.start_ns)), lane.width - 1)
    return range(start, max(start + 1, min(lane.width, round(lane.column(trouble.end_ns)))))


def _free(cells: range, taken: Sequence[_Place]) -> tuple[int, int]:
    """The widest stretch of these cells that nothing graver lies on, a cell away from it."""
    stretches = [(cells.start, cells.stop)]
    for place in taken:
        stretches = [
            part
            for start, stop in stretches
            for part in ((start, min(stop, place.start - 1)), (max(start, place.end + 1), stop))
            if part[1] > part[0]
        ]
    return max(stretches, key=lambda part: part[1] - part[0], default=(0, 0))


def _meet(one: _Place, two: _Place) -> bool:
    return one.start < two.end + 1 and two.start < one.end + 1


def _spans(place: _Place, fill: Fill) -> Row:
    """A sign, the words, and a line for as long as it lasts."""
    style = _STYLES[place.trouble.level]
    sign: Span = (_SIGNS[place.trouble.level], style)
    words: Row = ((f" {place.words}", style),) if place.words else ()
    used = 1 + sum(width(text) for text, _ in words)
    rest = place.stop - place.start - used
    line: Row = (
        ((" " * bool(words), style), (fill.glyphs.gauge * (rest - bool(words)), style)) if rest > 1 else ()
    )
    return join((sign,), words, line)
