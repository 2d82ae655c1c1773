"""The figures in block digits: four side by side, two on narrow screens, else one line of text."""

from __future__ import annotations

from collections.abc import Sequence

from tui.app.figures import Shown, Units, figures, running
from tui.app.labels import places
from tui.app.layout import Form
from tui.app.panels.lines import most, wrapped
from tui.app.panels.panel import SLOW, Panel
from tui.app.scene import Scene
from tui.app.theming import Ink
from tui.plot.cells import width as cells_of
from tui.plot.digits import digits
from tui.plot.glyphs import Fill
from tui.plot.numbers import ABSENT
from tui.plot.rows import Canvas, Row, row_width


class Figures(Panel):
    every = SLOW

    def __init__(self, ink: Ink, name: str) -> None:
        super().__init__(ink, name)
        self._units = Units()

    def rows(self, scene: Scene, width: int, height: int) -> Sequence[Row]:
        shown = figures(scene, self._units)
        match self.plan.form:
            case Form.LARGE:
                spots = places(width, wide=True)
                return blocks(shown, spots, width, self.fill, beside=True)
            case Form.SMALL:
                return blocks(shown, places(width, wide=False), width, self.fill)
            case Form.NARROW:
                pair = shown[1], running(shown, scene.view.stage)
                return blocks(pair, [1, 1 + width // 2], width, self.fill)
            case _:
                return (line(shown, running(shown, scene.view.stage), width),)


def blocks(
    shown: Sequence[Shown], spots: Sequence[int], width: int, fill: Fill, beside: bool = False
) -> Sequence[Row]:
    """Four rows: labels and digits. Unit and mark stand `beside` the digits, else behind the label."""
    rows = [Canvas(width) for _ in range(4)]
    for figure, left, right in zip(shown, spots, [*spots[1:], width], strict=True):
        style = f"{figure.role} bold" if figure.lit else "secondary"
        label = figure.label if beside else figure.short
        rows[0].put(left, label, style)
        if not beside and figure.number:
            rows[0].put(left + cells_of(label) + 1, f"{figure.unit} {figure.mark}", "secondary")
        if figure.number:
            _number(rows, figure, left, right, fill, beside)
        else:
            _absent(rows, figure.why, left, right - left - 3, fill)
    return tuple(row.row() for row in rows)


def _absent(rows: Sequence[Canvas], why: str, left: int, cells: int, fill: Fill) -> None:
    """The sign of what is not known, beside plain numbers or halfway up the digits, and why."""
    told = wrapped(why, cells)
    if len(told) >= len(rows):
        told = wrapped(why.partition(";")[0], cells)  # its main clause, rather than half of the next one
    first = 1 if fill is Fill.ASCII or len(told) > 2 else 2
    rows[first].put(left, ABSENT, "secondary")
    for row, words in zip(rows[first:], told, strict=False):
        row.put(left + 2, words, "secondary")


def _number(rows: Sequence[Canvas], figure: Shown, left: int, right: int, fill: Fill, beside: bool) -> None:
    style = f"{figure.role} bold" if figure.lit or fill is Fill.COLOUR else figure.role
    if fill is Fill.ASCII:
        rows[1].put(left, figure.number, f"{figure.role} bold")
        if beside:
            unit = left + len(figure.number) + 1
            rows[1].put(unit, figure.unit, "text")
            rows[1].put(unit + 1 + cells_of(figure.unit), figure.mark, "secondary")
            rows[2].put(left, figure.about, "secondary")
        return
    pixels = digits(figure.number)
    for row, text in zip(rows[1:], pixels, strict=True):
        row.put(left, text, style)
    end = left + max(len(text) for text in pixels)
    if beside:
        if end + 1 + cells_of(figure.about) < right:
            rows[2].put(end + 1, figure.about, "secondary")
        rows[3].put(end + 1, figure.unit, "text")
        rows[3].put(end + 2 + cells_of(figure.unit), figure.mark, "secondary")


def line(shown: Sequence[Shown], first: Shown, width: int) -> Row:
    """The figures in one row of text, as many as fit; first the one of what happens now."""
    order = [first, *(figure for figure in shown if figure is not first)]
    texts = [((f" {each.short} ", "secondary"), (f"{each.text} ", f"{each.role} bold")) for each in order]
    return most((), texts, width)


def running_figure(scene: Scene, cells: int) -> Row:
    """The one figure of what happens now, as text; without its name, or not at all, where it has no room."""
    shown = running(figures(scene, Units()), scene.view.stage)
    name, number = (f"{shown.short} ", "secondary"), (shown.text, f"{shown.role} bold")
    return (name, number) if row_width((name, number)) <= cells else most((), ((number,),), cells)
