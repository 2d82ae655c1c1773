"""The answer as it streams; on failure what happened, what to do, and what had arrived."""

from __future__ import annotations

from collections.abc import Sequence

from tui.app.heated import Heat
from tui.app.layout import Form
from tui.app.panels.lines import dotted, most, whole, wrapped
from tui.app.panels.panel import Panel
from tui.app.panels.titles import titled
from tui.app.piece_words import machine_words, piece_words, told
from tui.app.pointer import Pointer
from tui.app.scene import Scene
from tui.app.texts import Texts
from tui.app.theming import Ink
from tui.domain.events import Failed
from tui.domain.spans import span_of
from tui.domain.view import Stage, View
from tui.plot.cells import clean
from tui.plot.cells import width as cells_of
from tui.plot.numbers import ABSENT
from tui.plot.rows import Row, overlay, row_width

_CURSOR = "▌"
_LEGEND_FROM = 4  # rows of a panel without a title
_TOLD_FROM = 6
_HEAD = len(" ✖ Failed  ")
_HINT = "arrows move a cursor from piece to piece, with shift they mark a span · i explains it"


class Answer(Panel):
    """Keeps the wrapped text, so that a new piece costs one line; scrolls by jumps, not by each line."""

    every = 2

    def __init__(self, ink: Ink, name: str) -> None:
        super().__init__(ink, name)
        self.pointer = Pointer()
        self.by_gaps = False
        self.texts = Texts()
        self._top = 0
        self._following = True
        self._room = 1
        self._above = 0  # rows of the title

    def rows(self, scene: Scene, width: int, height: int) -> Sequence[Row]:
        titles = self.plan.form is Form.LARGE or bool(self.plan.maximised)
        self._above = int(titles)
        room = height - self._above
        view = scene.view
        if self.texts.follow(view, width - 2):
            self._top, self._following = 0, True
        self.pointer.follow(scene.run_number)
        if view.failure is not None:
            title, body = "what happened", failed(scene, view.failure, self.texts, width, room)
        else:
            title, body = "answer", self._body(scene, width, room, titles)
        if not titles:
            return body
        return (self._titled(title, view, width), *body)

    def scroll(self, pages: int) -> None:
        """Back (-1) or forward (+1) by a page less one line; at the end it follows again."""
        page = max(1, self._room - 1)
        last = max(0, self.texts.count - self._room)
        self._top = max(0, min((last if self._following else self._top) + pages * page, last))
        self._following = self._top >= last
        self.again()

    def on_mouse_scroll_up(self) -> None:
        self.scroll(-1)

    def on_mouse_scroll_down(self) -> None:
        self.scroll(+1)

    def to_pointer(self) -> None:
        """Scroll so that the piece under the cursor is seen."""
        place = self.texts.place_of(self.pointer.at) if self.pointer.at else None
        if place is not None:
            line, _ = place
            if not self._top <= line < self._top + self._room:
                self._top = max(0, line - self._room // 2)
            self._following = False
        self.again()

    def unpoint(self) -> None:
        """No cursor; the text is followed again."""
        if self.pointer.at:
            self.pointer.at = self.pointer.anchor = 0
            self._following = True
            self.again()

    def message_at(self, x: int, y: int) -> int | None:
        """The message whose text stands in a cell of the panel."""
        row = y - self._above
        return self.texts.message_at(self._top + row, x - 1) if 0 <= row < self._room else None

    def _titled(self, title: str, view: View, width: int) -> Row:
        row = titled(title, width, self.fill, lit=self.selected)
        scale = self._heat(view).legend(width - len(title) - 8) if self.by_gaps else ()
        return overlay(row, width - row_width(scale) - 3, (*scale, (" ", "rule"))) if scale else row

    def _heat(self, view: View) -> Heat:
        return Heat(view, self.pointer, self.by_gaps, self.ink.colourless)

    def _body(self, scene: Scene, width: int, room: int, titles: bool) -> Sequence[Row]:
        lines = self.texts.count
        if not lines:
            return tuple(((f" {line}", "secondary"),) for line in whole(nothing(scene), width - 2, room))
        below = self._told(scene, width, room, titles)
        self._room = room = room - len(below)
        if self._following:
            running = scene.view.running
            end = lines - self.texts.blank_end
            self._top = _jumped(self._top, lines, room) if running else max(0, end - room)
        rows = self._lines(scene, room)
        writing = scene.view.stage in (Stage.DECODING, Stage.STALLED)
        if writing and rows and self._top + room >= lines:
            rows[-1] = (*rows[-1], (_CURSOR, "decode"))
        return [*rows, *[()] * (room - len(rows)), *below] if below else rows

    def _lines(self, scene: Scene, room: int) -> list[Row]:
        stop = self._top + room
        if not self.by_gaps and not self.pointer.at:
            found = self.texts.lines(self._top, stop)
        else:
            heat = self._heat(scene.view)
            found = heat.marked(
                self.texts, self._top, self.texts.painted(self._top, stop, heat.style, heat.look)
            )
        return [((" ", "text"), *row) for row in found]

    def _told(self, scene: Scene, width: int, room: int, titles: bool) -> list[Row]:
        """The rows below the text: about the piece under the cursor, else the scale where no title has it."""
        if self.plan.maximised == "answer" and room >= _TOLD_FROM:
            return told_rows(scene, self.pointer, width)
        if self.by_gaps and not titles and room >= _LEGEND_FROM:
            return [self._heat(scene.view).legend(width - 1)]
        return []


def told_rows(scene: Scene, pointer: Pointer, width: int) -> list[Row]:
    """Two rows: the piece or span under the cursor, and the machine while it was waited for."""
    at_ns = pointer.moment_ns(scene.view)
    if at_ns is None:
        return [(), most(((" ", "text"),), dotted((_HINT,), "secondary"), width)]
    words = told(piece_words(scene.view, pointer.first, pointer.last))
    waited = span_of(scene.view, pointer.first, pointer.last)
    machine = told(machine_words(scene, waited.middle_ns if waited else at_ns))
    head: Row = ((" ▲ ", "text bold"),)
    return [
        most(head, dotted(words, "text"), width - 1),
        most((("   ", "text"),), dotted(machine, "secondary"), width - 1),
    ]


def _jumped(top: int, lines: int, room: int) -> int:
    """The first line to show: when the text runs out of the panel it moves up by a third of its height."""
    lowest = max(0, lines - room + room // 3)
    return min(top, lowest) if lines - top <= room else lowest


def nothing(scene: Scene) -> Sequence[str]:
    """What stands where no text is, in parts that may be left out from the end."""
    if scene.view.stage is Stage.EMPTY and not scene.running and not scene.replay:
        keys = scene.keys
        turn = f"{keys['shorter']} {keys['longer']} turn the length of the prompt"
        auto = f"{keys['auto']} {'stops sending' if scene.knobs.auto else 'sends'} at every turn"
        return "" if scene.knobs.own else turn, auto, f"{keys['help']} explains every number"
    begins = scene.view.stage is Stage.EMPTY
    return ("nothing yet" if begins or scene.view.running or scene.running else "no text came",)


def failed(scene: Scene, failure: Failed, texts: Texts, width: int, room: int) -> Sequence[Row]:
    """Cause, remedy and what had arrived; where there is one row only, the remedy.

    What the sentence tells whole is not told again.
    """
    arrived = texts.last(width - 12) or ABSENT
    cut = cells_of(failure.message) + _HEAD > width
    causes = [text for text in (failure.message if cut else "", failure.cause) if text]
    facts = [("remedy", failure.remedy or f"{scene.keys['detail']} shows the raw reply", "text bold")]
    if room >= 3 and causes:
        facts.insert(0, ("cause", ": ".join(causes), "text"))
    rows: list[Row] = []
    for name, said, style in facts:
        for n, text in enumerate(wrapped(" ".join(clean(said).split()), width - 12)):
            rows.append(((f" {name if not n else '':<8}", "secondary"), (text, style)))
    if room >= 3:
        rows.append(
            ((f" {'answer':<8}", "secondary"), (arrived, "text"), (" ▚" if texts.count else "", "failed"))
        )
    if len(rows) > room:
        rows[room - 1] = (*rows[room - 1], (" …", "secondary"))
    return rows[:room]
