"""The rows that the panels of the machine are made of: gauges, facts, histories, and whose machine it is."""

from __future__ import annotations

from collections.abc import Sequence

from tui.app.panels.lines import column, measured, most, whole, wrapped
from tui.app.scene import Scene
from tui.domain.machine import Reading
from tui.plot.cells import width as cells_of
from tui.plot.gauge import gauge as drawn
from tui.plot.gauge import sparkline
from tui.plot.glyphs import Fill
from tui.plot.rows import Row, join, row_width

NAME = 8
NOT_YET = "not read yet"
ELSEWHERE = "this computer, not the server"
STYLES = {"info": "secondary", "warn": "text bold", "crit": "stall bold"}
SIGNS = {"info": "●", "warn": "▲", "crit": "✖"}
EACH = "1 s a cell"
"""Stands behind a history that has no number of its own."""
_NUMBER = 11  # cells kept for the number of a gauge
_LOUD = ("stall bold", "text bold", "text", "gauge")


def not_read(scene: Scene) -> str:
    """Why there will never be a reading; "" where there is one or may be."""
    return "" if scene.replay is None or scene.replay.sampled else "the recording holds no machine samples"


def unread(scene: Scene, width: int) -> list[Row]:
    """What stands in a panel without a reading."""
    return [((f" {line}", "secondary"),) for line in wrapped(not_read(scene) or NOT_YET, width - 2)]


def whose(name: str, now: Reading | None, width: int) -> str:
    """The title of a panel; with the server elsewhere it says so, as far as there is room."""
    if now is None or not now.remote:
        return name
    title = f"{name} · {ELSEWHERE}"
    return title if cells_of(title) + 4 <= width else f"{name} · not the server's"


def dimmed(rows: Sequence[Row]) -> list[Row]:
    """Rows about something that is not what one wants to know, or that is no longer true: all in grey."""
    return [tuple((text, "secondary" if style in _LOUD else style) for text, style in row) for row in rows]


def gauged(name: str, share: float | None, text: str, width: int, fill: Fill, role: str = "text") -> Row:
    """A name, a gauge as wide as there is room, and a number at the right edge."""
    cells = gauge_cells(text, width)
    bar: Row = drawn(share, cells, fill, role) if share is not None else ((" " * cells, "text"),)
    return numbered(name, bar, text, width)


def gauge_cells(text: str, width: int) -> int:
    """Cells of a gauge before a number at the right edge."""
    return max(0, width - 1 - NAME - 2 - max(_NUMBER, cells_of(text)))


def numbered(name: str, bar: Row, text: str, width: int) -> Row:
    """A name, something drawn, and a number at the right edge."""
    head: Row = ((" ", "text"), column(name, NAME - 1, "secondary"))
    free = width - 1 - row_width(join(head, bar))
    return join(head, bar, (column(text, free, right=True),))


def facts(name: str, parts: Sequence[str], width: int, style: str = "text") -> Row:
    """A name and short facts, as many as fit whole before the margin; of the first at least its beginning."""
    head: Row = ((" ", "text"), column(name, NAME - 1, "secondary"))
    told = [part for part in parts if part]
    told[:1] = whole(told[:1], width - 1 - row_width(head), 1)
    return most(head, [(((" " if i else "") + part, style),) for i, part in enumerate(told)], width - 1)


def said(name: str, text: str, width: int, style: str = "text") -> list[Row]:
    """A name and a text over as many rows as it takes."""
    lines = measured(text, width - 2 - NAME)
    return [
        ((" ", "text"), column("" if n else name, NAME - 1, "secondary"), (line, style))
        for n, line in enumerate(lines)
    ]


def past(
    name: str, values: Sequence[float | None], width: int, fill: Fill, text: str, top: float = 1.0
) -> Row:
    """A history of one cell a second that ends now, with a number at the right edge."""
    return numbered(name, sparkline(values, gauge_cells(text, width), fill, top=top), text, width)
