"""The gutter of the time block: what stands at the left of its rows."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from tui.app.layout import Form
from tui.app.panels.lines import column
from tui.domain.view import View
from tui.plot.numbers import duration
from tui.plot.rows import Row, join, merge

_SURE_FROM = 20  # gaps from which the median is called p50


@dataclass(frozen=True, slots=True)
class Gutter:
    """The names at the left of the rows and the cells they take."""

    width: int
    phases: str
    margin: int = 1

    def put(self, text: str, row: Row, style: str = "secondary") -> Row:
        if not self.width:
            return row
        lead = _lead(" " + text if self.width > 6 else text, self.width, style)
        return join(lead, row) if row and row[0][1] == style else (*lead, *row)


@lru_cache(maxsize=64)
def _lead(text: str, cells: int, style: str) -> Row:
    """Kept: nearly all of them are the same in every frame."""
    return merge((column(text, cells, style),))


_WIDE, _TIGHT, _NONE = Gutter(8, "phases"), Gutter(6, "phase"), Gutter(0, "", 0)


def gutter_of(form: Form) -> Gutter:
    """The one of a form."""
    return _WIDE if form is Form.LARGE else _NONE if form in (Form.LINE, Form.STAGE) else _TIGHT


def gap_names(view: View, gutter: Gutter, height: int) -> list[tuple[str, str]]:
    """The gutter's texts of the gap rows: what it is, the median's name, the median."""
    middle = view.gaps.p50_ns
    told = duration(round(middle)) if middle is not None else ""
    told = told.replace(" ", "") if gutter.width < 8 else told
    name = "p50" if view.gaps.n >= _SURE_FROM else "med"
    names = [
        ("gaps", "secondary"),
        (name if middle is not None and height > 2 else "", "secondary"),
        (told, "text"),
    ]
    if height < 3:
        names = [("gaps", "secondary"), (told, "text")][:height]
    return names + [("", "secondary")] * (height - len(names))
