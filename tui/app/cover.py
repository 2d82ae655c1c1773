"""The very first frame: the monitor's face, drawn before anything that takes long is imported."""

from __future__ import annotations

from collections.abc import Sequence

from textual.app import ComposeResult
from textual.screen import Screen
from textual.strip import Strip
from textual.widget import Widget

from tui.app.labels import ALL, places
from tui.app.layout import Form, plan
from tui.app.panels.titles import titled
from tui.app.stage.contrast import band_ink
from tui.app.stage.headings import HEADINGS
from tui.app.stage.plan import stage_plan
from tui.app.theming import Ink
from tui.plot.band import band_rows
from tui.plot.giant import Giant, giant_rows
from tui.plot.glyphs import Fill
from tui.plot.numbers import ABSENT
from tui.plot.rows import Canvas, Row

_TITLED = ("phases", "memory", "answer")


class Face(Widget):
    """The rows of the first frame."""

    DEFAULT_CSS = "Face { width: 100%; height: 100%; }"

    def __init__(self, ink: Ink, staged: bool = False) -> None:
        super().__init__()
        self._ink = band_ink(ink) if staged else ink
        self._staged = staged
        self._rows: Sequence[Row] = ()
        self._width = 0

    def render_line(self, y: int) -> Strip:
        width, height = self.size
        if len(self._rows) != height or self._width != width:
            staged = on_stage(width, height, self._ink.fill) if self._staged else None
            self._width, self._rows = width, staged or face(width, height, self._ink.fill)
        return self._ink.strip(self._rows[y], width)


class Cover(Screen[None], inherit_bindings=False):
    """Shown until the board is there."""

    AUTO_FOCUS = None

    def __init__(self, ink: Ink, staged: bool = False) -> None:
        super().__init__()
        self._ink = ink
        self._staged = staged

    def compose(self) -> ComposeResult:
        yield Face(self._ink, self._staged)


def on_stage(width: int, height: int, fill: Fill) -> Sequence[Row] | None:
    """The band and the headings of the stage; None where it has no room."""
    boxes = stage_plan(width, height)
    if boxes is None:
        return None
    band, figures = boxes.boxes["band"], boxes.boxes["giants"]
    above = band_rows("Starting", (), "waiting", width, band.height, fill)
    below = giant_rows([Giant(*heading) for heading in HEADINGS[1:]], width, figures.height, fill)
    rows: list[Row] = [()] * height
    rows[: band.height] = above
    rows[figures.y : figures.y + figures.height] = below
    return rows


def face(width: int, height: int, fill: Fill) -> Sequence[Row]:
    """Name, names of the figures and titles where the board will have them."""
    boxes = plan(width, height)
    rows = [Canvas(width) for _ in range(height)]
    for name, box in boxes.boxes.items():
        if name == "header":
            rows[box.y].put(1, "toklane", "text bold")
        elif name == "sentence":
            rows[box.y].put(1, "○ Starting", "waiting bold")
        elif name == "figures" and boxes.form in (Form.LARGE, Form.SMALL):
            wide = boxes.form is Form.LARGE
            for (long, short), column in zip(ALL, places(box.width, wide), strict=True):
                rows[box.y].put(column, long if wide else short, "secondary")
                rows[box.y + 2].put(column, ABSENT, "secondary")
        elif name in _TITLED and boxes.form is Form.LARGE:
            column = box.x
            for text, style in titled(name, box.width, fill):
                rows[box.y].put(column, text, style)
                column += len(text)
    return [row.row() for row in rows]
