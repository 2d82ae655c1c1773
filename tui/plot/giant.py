"""Figures for a room: a heading of plain words and digits that are many cells high."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tui.plot.cells import width as cells_of
from tui.plot.digits import rows_of, stage_digits
from tui.plot.glyphs import Fill
from tui.plot.numbers import ABSENT
from tui.plot.rows import Canvas, Row

LEFT = 3
_APART = 1
_USUAL = "8.88"  # three significant digits, as every figure has
_SCALES = (6, 5, 4, 3, 2)
_MOST = 3


@dataclass(frozen=True, slots=True)
class Giant:
    """One figure. `number` "" = not known, then `why` says why."""

    heading: str
    role: str
    number: str = ""
    unit: str = ""
    mark: str = ""
    why: str = ""


def spots(count: int, cells: int) -> list[int]:
    """First column of each of `count` figures."""
    return [LEFT + round(n * (cells - 2) / count) for n in range(count)]


def scale_for(cells: int, height: int) -> int:
    """The largest digits with which three figures stand in so many cells, below a row of headings."""
    room = (cells - 2) // _MOST - _APART
    fits = (s for s in _SCALES if rows_of(s) < height and _wide(_USUAL, s) <= room)
    return next(fits, 1)


def giant_rows(figures: Sequence[Giant], cells: int, height: int, fill: Fill) -> tuple[Row, ...]:
    """Headings, air if there is some, digits. Of two figures the unit stands beside the digits."""
    columns = spots(len(figures), cells)
    rights = [*columns[1:], cells]
    beside = len(figures) < _MOST
    scale = _scale(figures, columns, rights, scale_for(cells, height), fill)
    rows = [Canvas(cells) for _ in range(height)]
    first = min(height - rows_of(scale), 2)
    for figure, left, right in zip(figures, columns, rights, strict=True):
        rows[0].put(left, figure.heading, f"{figure.role} bold")
        if figure.number and not beside:
            rows[0].put(left + cells_of(figure.heading) + 1, f"{figure.unit} {figure.mark}", "text")
        if figure.number:
            _digits(rows[first:], figure, left, scale, beside, fill)
        else:
            _absent(rows[first + rows_of(scale) // 2], figure, left, right)
    return tuple(row.row() for row in rows)


def _scale(
    figures: Sequence[Giant], columns: Sequence[int], rights: Sequence[int], usual: int, fill: Fill
) -> int:
    """One scale for all; numbers longer than usual make it smaller. Plain ASCII has no half rows."""
    for scale in range(usual, 1, -1):
        fits = all(
            _wide(figure.number, scale) < right - left
            for figure, left, right in zip(figures, columns, rights, strict=True)
        )
        if fits and not (fill is Fill.ASCII and scale % 2):
            return scale
    return 1


def _wide(number: str, scale: int) -> int:
    return len(stage_digits(number, scale)[0])


def _digits(rows: Sequence[Canvas], figure: Giant, left: int, scale: int, beside: bool, fill: Fill) -> None:
    halved = scale == 1 and fill is Fill.ASCII
    pixels = (figure.number,) if halved else stage_digits(figure.number, scale)
    for row, text in zip(rows, pixels, strict=False):
        row.put(left, text, f"{figure.role} bold")
    if beside:
        rows[len(pixels) - 1].put(left + len(pixels[0]) + 2, f"{figure.unit} {figure.mark}", "text")


def _absent(row: Canvas, figure: Giant, left: int, right: int) -> None:
    row.put(left, ABSENT, "secondary")
    if figure.why and cells_of(figure.why) <= right - left - 4:
        row.put(left + 2, figure.why, "secondary")
