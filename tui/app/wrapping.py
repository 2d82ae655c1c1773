"""Text that grows, wrapped to a width as it comes: adding a piece costs one line, not the whole text."""

from __future__ import annotations

from tui.app.panels.lines import wrapped
from tui.plot.cells import clean, fit, width
from tui.plot.rows import Row

_TAB = 4


class Wrapped:
    """Lines of at most `cells`, in one style. `label` stands before the first one, in its own style."""

    def __init__(self, cells: int, style: str, label: str = "") -> None:
        self._cells = max(1, cells)
        self._style = style
        self._label = label
        self._lines = [""]
        self._continued = False  # the last line goes on after a wrap: blanks at its start are not its own

    def __len__(self) -> int:
        return len(self._lines)

    @property
    def blank_end(self) -> int:
        """How many lines at the end hold nothing; 0 where no line holds anything."""
        return next((n for n, line in enumerate(reversed(self._lines)) if line.strip()), 0)

    def add(self, piece: str) -> None:
        """One more piece, as it came: nothing in it can act on the terminal."""
        paragraphs = (self._lines.pop() + piece.replace("\r\n", "\n").replace("\r", "\n")).split("\n")
        for n, paragraph in enumerate(paragraphs):
            room = self._cells - (0 if self._lines else width(self._label))
            self._continued = self._continued and not n
            text = clean(paragraph.expandtabs(_TAB))
            text = text.lstrip(" ") if self._continued else text
            lines = [text] if width(text) <= room else _split(text, room, self._cells)
            self._continued = self._continued or len(lines) > 1
            self._lines += lines

    def rows(self, start: int, stop: int) -> list[Row]:
        """Lines `start` up to `stop`."""
        rows: list[Row] = [((line, self._style),) for line in self._lines[start:stop]]
        if rows and not start and self._label:
            rows[0] = ((self._label, "secondary bold"), *rows[0])
        return rows

    def last(self, cells: int) -> str:
        """The end of the last line that holds anything, from a word on."""
        line = next((line for line in reversed(self._lines) if line.strip()), "")
        words = line.split(" ")
        while len(words) > 1 and width(" ".join(words)) > cells:
            del words[0]
        return fit(" ".join(words), cells)


def _split(text: str, first: int, cells: int) -> list[str]:
    """One paragraph; its first line may be narrower than the others."""
    if first == cells:
        return wrapped(text, cells)
    head = wrapped(text, first)[0]
    return [head, *wrapped(text[len(head) :].removeprefix(" "), cells)]
