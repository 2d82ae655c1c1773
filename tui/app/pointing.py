"""One cursor for one moment: in the answer it is on a piece of text, in the timeline on the time it came."""

from __future__ import annotations

from textual.events import Click, MouseMove

from tui.app.playing import Playing
from tui.domain.spans import Span, span_at, span_of
from tui.domain.view import Stage

_COARSE_CELLS = 10  # the time cursor with shift


class Pointing(Playing):
    """The board with its cursor: arrows, home and end in a maximised answer or timeline, and the mouse."""

    def moved(self, steps: int, finely: bool = False) -> bool:
        """A step to the side; `finely`: with shift, which extends a span and moves the time cursor farther.

        False where the arrows mean something else.
        """
        view, pointer = self.pump.scene.view, self.answer.pointer
        match self.maximised:
            case "time":
                self.time.move_cursor(_COARSE_CELLS * steps if finely else steps)
                self._follow_time()
            case "answer" if finely:
                pointer.stretch(view, steps)
                self._follow_text()
            case "answer":
                before = pointer.at
                pointer.step(view, steps)
                if before and pointer.at == before:
                    self.say(f"no piece {'before' if steps < 0 else 'after'} this one")
                self._follow_text()
            case _:
                return False
        return True

    def moved_lines(self, lines: int) -> bool:
        """Up (-1) or down (+1) in a maximised answer; False elsewhere."""
        if self.maximised != "answer":
            return False
        self.answer.pointer.line(self.pump.scene.view, self.answer.texts, lines)
        self._follow_text()
        return True

    def moved_to(self, message: int) -> bool:
        """Onto the nearest piece there is, in a maximised answer; False elsewhere."""
        if self.maximised != "answer":
            return False
        self.answer.pointer.put(self.pump.scene.view, message)
        self._follow_text()
        return True

    def action_to_begin(self) -> None:
        if not self.moved_to(1):
            super().action_to_begin()

    def action_to_end(self) -> None:
        if not self.moved_to(self.pump.scene.view.chunks):
            super().action_to_end()

    def action_gaps(self) -> None:
        """The answer coloured by its gaps, or plain."""
        self.answer.by_gaps = not self.answer.by_gaps
        self.answer.again()
        self.say(
            "the answer coloured by the gap before each piece" if self.answer.by_gaps else "answer plain"
        )

    def unpoint(self) -> bool:
        """Take the cursor out of the answer; False when it was not there."""
        there = bool(self.answer.pointer.at)
        self.answer.unpoint()
        return there

    def maximise(self, name: str) -> None:
        """As usual; the cursor of the timeline is in the answer too, and both are left together."""
        super().maximise(name)
        if name and self.selected not in ("", name):
            self.select(None)  # what is looked at now is pointed at, not what was before
        if not name:
            self.unpoint()
        elif name == "answer" and not self.answer.pointer.at:
            self._follow_time()

    @property
    def pointed(self) -> Span | None:
        """What the cursor is on: a piece, a span, the wait at a moment; else the stall that lasts."""
        view, pointer, at_ns = self.pump.scene.view, self.answer.pointer, self.time.window.cursor_ns
        if self.maximised == "time" and at_ns is not None:
            return span_at(view, at_ns)
        if pointer.at and (self.maximised or self.selected) in ("answer", ""):
            return span_of(view, pointer.first, pointer.last)
        return span_at(view, view.now_ns) if view.stage is Stage.STALLED and not self.maximised else None

    def _follow_text(self) -> None:
        at_ns = self.answer.pointer.moment_ns(self.pump.scene.view)
        if at_ns is not None:
            self.time.window.cursor_ns = at_ns
            self.time.again()
        self.answer.to_pointer()

    def _follow_time(self) -> None:
        if self.time.window.cursor_ns is not None:
            self.answer.pointer.to_moment(self.pump.scene.view, self.time.window.cursor_ns)
            self.answer.to_pointer()

    # -- mouse ----------------------------------------------------------------------------------------------

    def _point(self, event: Click | MouseMove) -> None:
        """In the answer too: a click puts the cursor, a drag or shift extends the span."""
        super()._point(event)
        if event.widget is self.answer:
            self._put(event, extend=event.shift or isinstance(event, MouseMove))

    def _put(self, event: Click | MouseMove, extend: bool) -> None:
        """The cursor, or the end of the span, on the piece under the mouse."""
        region, pointer = self.answer.region, self.answer.pointer
        message = self.answer.message_at(event.screen_x - region.x, event.screen_y - region.y)
        if message is None:
            return
        anchor = pointer.anchor
        pointer.put(self.pump.scene.view, message)
        pointer.anchor = anchor if extend and anchor else message
        self._follow_text()
