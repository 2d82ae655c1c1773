"""Text that grows, wrapped to a width as it comes: adding a piece costs one line, not the whole text.

Wrapping moves and drops blanks only. So a place in the text is told by how many signs, blanks not counted,
stand before it: that holds however the text is wrapped.
"""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Sequence

from tui.app.panels.lines import wrapped
from tui.plot.cells import clean, fit, width
from tui.plot.rows import Row

_TAB = 4
_JOINER = "\u200d"


class Wrapped:
    """Lines of at most `cells`, in one style. `label` stands before the first one, in its own style."""

    def __init__(self, cells: int, style: str, label: str = "") -> None:
        self._cells = max(1, cells)
        self._style = style
        self._label = label
        self._lines = [""]
        self._before = array("I", (0,))  # signs before each line
        self._ends = array("I")  # signs before the end of each piece
        self._continued = False  # the last line goes on after a wrap: blanks at its start are not its own

    def __len__(self) -> int:
        return len(self._lines)

    @property
    def blank_end(self) -> int:
        """How many lines at the end hold nothing; 0 where no line holds anything."""
        return next((n for n, line in enumerate(reversed(self._lines)) if line.strip()), 0)

    @property
    def signs(self) -> int:
        """How many signs, blanks not counted, there are."""
        return self._before[-1] + _signs(self._lines[-1])

    @property
    def pieces(self) -> int:
        """How many pieces were added."""
        return len(self._ends)

    def add(self, piece: str) -> None:
        """One more piece, as it came: nothing in it can act on the terminal."""
        self._wrap(piece)
        self._ends.append(self.signs)

    def extend(self, text: str, ends: Sequence[int]) -> None:
        """Several pieces at once: all of `text`, of which each piece ends at one of `ends` (characters)."""
        alone = _JOINER not in text and len(clean(text)) == len(text)
        if not alone:  # what a piece adds depends on its neighbours
            start = 0
            for end in ends:
                self.add(text[start:end])
                start = end
            return
        signs, start = self.signs, 0
        self._wrap(text)
        for end in ends:
            signs += _signs(text[start:end])
            start = end
            self._ends.append(signs)

    def _wrap(self, piece: str) -> None:
        paragraphs = (self._lines.pop() + piece.replace("\r\n", "\n").replace("\r", "\n")).split("\n")
        signs = self._before.pop()
        for n, paragraph in enumerate(paragraphs):
            room = self._cells - (0 if self._lines else width(self._label))
            self._continued = self._continued and not n
            text = clean(paragraph.expandtabs(_TAB))
            text = text.lstrip(" ") if self._continued else text
            lines = [text] if width(text) <= room else _split(text, room, self._cells)
            self._continued = self._continued or len(lines) > 1
            for line in lines:
                self._lines.append(line)
                self._before.append(signs)
                signs += _signs(line)

    def rows(self, start: int, stop: int) -> list[Row]:
        """Lines `start` up to `stop`."""
        rows: list[Row] = [((line, self._style),) for line in self._lines[start:stop]]
        if rows and not start and self._label:
            rows[0] = ((self._label, "secondary bold"), *rows[0])
        return rows

    def label(self, line: int) -> str:
        """What stands before a line and is no text of its own."""
        return self._label if not line else ""

    def line(self, line: int) -> tuple[str, int]:
        """(a line, how many signs stand before it)."""
        return self._lines[line], self._before[line]

    def piece_at(self, sign: int) -> int:
        """The index of the piece that brought a sign; how many there are behind the last one."""
        return bisect_right(self._ends, sign)

    def signs_of(self, piece: int) -> range:
        """The signs that a piece brought; none for one of blanks alone."""
        return range(self._ends[piece - 1] if piece else 0, self._ends[piece])

    def blank_before(self, piece: int) -> int | None:
        """The piece of blanks alone right before a piece, None when there is none."""
        return piece - 1 if 0 < piece <= self.pieces and not self.signs_of(piece - 1) else None

    def line_of(self, piece: int) -> int:
        """The line in which a piece begins; of one without signs, where the text before it ends."""
        signs = self.signs_of(piece)
        return max(0, bisect_right(self._before, signs.start if signs else signs.start - 1) - 1)

    def last(self, cells: int) -> str:
        """The end of the last line that holds anything, from a word on."""
        line = next((line for line in reversed(self._lines) if line.strip()), "")
        words = line.split(" ")
        while len(words) > 1 and width(" ".join(words)) > cells:
            del words[0]
        return fit(" ".join(words), cells)


def _signs(text: str) -> int:
    return len(text) - text.count(" ") - text.count("\n") - text.count("\t") - text.count("\r")


def _split(text: str, first: int, cells: int) -> list[str]:
    """One paragraph; its first line may be narrower than the others."""
    if first == cells:
        return wrapped(text, cells)
    head = wrapped(text, first)[0]
    return [head, *wrapped(text[len(head) :].removeprefix(" "), cells)]
