"""Which part of a text each message brought.

A piece is the text of one message. It is no token: an engine may put several into one message, or none.
"""

from __future__ import annotations

from array import array
from bisect import bisect_right


class Pieces:
    """Where each piece of one text ends (characters), and which message brought it: 4 bytes a piece.

    Messages are numbered through reasoning and answer alike, so numbers are kept only where they jump.
    """

    __slots__ = ("_first", "_number", "ends")

    def __init__(self) -> None:
        self.ends = array("I")
        self._first = array("I")  # index of the first piece of each run of neighbours
        self._number = array("I")  # and its message

    def add(self, end: int, number: int) -> None:
        """The next piece ends at `end`; message `number` (from 1, ascending) brought it."""
        n = len(self.ends)
        if not n or number != self.number(n - 1) + 1:
            self._first.append(n)
            self._number.append(number)
        self.ends.append(end)

    def number(self, index: int) -> int:
        """The message of the piece at `index`."""
        run = bisect_right(self._first, index) - 1
        return self._number[run] + index - self._first[run]

    def index(self, number: int) -> int | None:
        """The piece that message `number` brought, None when it brought none to this text."""
        run = bisect_right(self._number, number) - 1
        if run < 0:
            return None
        index = self._first[run] + number - self._number[run]
        stop = self._first[run + 1] if run + 1 < len(self._first) else len(self.ends)
        return index if index < stop else None
