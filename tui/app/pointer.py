"""The cursor in the answer: a piece of its text, or a span of pieces."""

from __future__ import annotations

from dataclasses import dataclass

from tui.app.texts import Texts
from tui.domain.spans import message_at, read_of
from tui.domain.view import View


@dataclass(slots=True)
class Pointer:
    """`at`: the message (from 1) whose text the cursor is on, 0 for none. `anchor`: where the span began."""

    at: int = 0
    anchor: int = 0
    _run: int | None = None

    @property
    def first(self) -> int:
        return min(self.at, self.anchor)

    @property
    def last(self) -> int:
        return max(self.at, self.anchor)

    def follow(self, run_number: int) -> None:
        """The cursor is on nothing in another run."""
        if run_number != self._run:
            self._run, self.at, self.anchor = run_number, 0, 0

    def step(self, view: View, pieces: int) -> None:
        """By pieces; the first step begins at the newest one, forward in a whole answer at its beginning."""
        begin = 1 if pieces > 0 and not view.running else view.chunks
        self.put(view, self.at + pieces if self.at else begin)

    def stretch(self, view: View, pieces: int) -> None:
        """The span's end by pieces."""
        anchor = self.anchor
        self.step(view, pieces)
        self.anchor = anchor or self.at

    def put(self, view: View, message: int) -> None:
        """On a message, or on the nearest there is."""
        self.at = self.anchor = max(1, min(message, view.chunks)) if view.chunks else 0

    def line(self, view: View, texts: Texts, lines: int) -> None:
        """By lines of the text, as straight as pieces allow."""
        place = texts.place_of(self.at) if self.at else None
        if place is None:
            self.step(view, lines)
            return
        line, cell = place
        step = 1 if lines > 0 else -1
        goal = line + lines
        while 0 <= goal < texts.count:
            message = texts.message_at(goal, cell)
            if message is not None:
                self.put(view, message)
                return
            goal += step  # an empty line

    def to_moment(self, view: View, at_ns: int) -> None:
        """On the piece that was the newest one at a moment."""
        message = message_at(view, at_ns)
        self.at = self.anchor = message or 0

    def moment_ns(self, view: View) -> int | None:
        """When the piece under the cursor came."""
        read = read_of(view, self.at) if self.at else None
        return None if read is None else view.track.columns.at[read]
