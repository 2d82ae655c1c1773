"""Two columns of text: a short bold word and what is said about it, which wraps beside the word."""

from __future__ import annotations

from collections.abc import Iterable

from rich.console import Console, ConsoleOptions, RenderResult
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text

from tui.app.panels.lines import measured


class Wrapped:
    """Text whose numbers keep their units beside them; Rich itself would break a line there."""

    def __init__(self, text: str) -> None:
        self._text = text

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        for paragraph in self._text.split("\n"):
            yield Text("\n".join(measured(paragraph, options.max_width)))

    def __rich_measure__(self, console: Console, options: ConsoleOptions) -> Measurement:
        return Measurement.get(console, options, Text(self._text))


def grid(rows: Iterable[tuple[str, str]], least: int = 8) -> Table:
    """Rows of (word, text), the words at least so many cells wide.

    Nothing in them is read as markup; text from outside must be literal already.
    """
    table = Table.grid(padding=(0, 1))
    table.add_column(min_width=least, no_wrap=True)
    table.add_column()
    for word, text in rows:
        table.add_row(Text(word, style="bold"), Wrapped(text))
    return table
