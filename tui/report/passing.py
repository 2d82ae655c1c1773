"""How far a request is, on one line of a terminal that is written over and leaves nothing behind."""

from __future__ import annotations

import os
from typing import TextIO

from tui.domain.view import View
from tui.plot.cells import clean, fit
from tui.report.narrated import Narrator

_USUAL_COLUMNS = 80


class Passing:
    """Tells to `out` where somebody looks on; anywhere else it is silent."""

    def __init__(self, out: TextIO) -> None:
        self._out = out if out.isatty() else None
        self._narrator = Narrator()
        self._shown = ""

    def follow(self, view: View) -> None:
        """The newest of what the view adds: each change, and each second."""
        for line in self._narrator.follow(view)[-1:]:
            self.show(line)

    def show(self, words: str) -> None:
        """These words in place of those before."""
        if self._out is None or words == self._shown:
            return
        columns = _columns(self._out) - 1  # a full row would scroll
        self._out.write("\r" + fit(clean(words), columns).rstrip().ljust(len(self._shown)) + "\r")
        self._out.flush()
        self._shown = words

    def clear(self) -> None:
        """The line is empty again."""
        self.show("")


def _columns(out: TextIO) -> int:
    try:
        return os.get_terminal_size(out.fileno()).columns or _USUAL_COLUMNS
    except (OSError, ValueError):
        return _USUAL_COLUMNS
