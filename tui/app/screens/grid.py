"""Two columns of text: a short bold word and what is said about it, which wraps beside the word."""

from __future__ import annotations

from collections.abc import Iterable

from rich.table import Table
from rich.text import Text


def grid(rows: Iterable[tuple[str, str]], least: int = 8) -> Table:
    """Rows of (word, text), the words at least so many cells wide.

    Nothing in them is read as markup; text from outside must be literal already.
    """
    table = Table.grid(padding=(0, 1))
    table.add_column(min_width=least, no_wrap=True)
    table.add_column()
    for word, text in rows:
        table.add_row(Text(word, style="bold"), Text(text))
    return table
