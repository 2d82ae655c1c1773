"""The answer as it streams; on failure what happened, what to do, and what had arrived."""

from __future__ import annotations

from collections.abc import Sequence

from tui.app.layout import Form
from tui.app.panels.lines import whole, wrapped
from tui.app.panels.panel import Panel
from tui.app.panels.titles import titled
from tui.app.scene import Scene
from tui.app.theming import Ink
from tui.app.wrapping import Wrapped
from tui.domain.events import Failed
from tui.domain.text import Snapshot
from tui.domain.view import Stage, View
from tui.plot.cells import clean
from tui.plot.numbers import ABSENT
from tui.plot.rows import Row

_CURSOR = "▌"


class Answer(Panel):
    """Keeps the wrapped text, so that a new piece costs one line; scrolls by jumps, not by each line."""

    every = 2

    def __init__(self, ink: Ink, name: str) -> None:
        super().__init__(ink, name)
        self._texts = Texts()
        self._top = 0
        self._following = True

    def rows(self, scene: Scene, width: int, height: int) -> Sequence[Row]:
        titles = self.plan.form is Form.LARGE or bool(self.plan.maximised)
        room = height - 1 if titles else height
        view = scene.view
        if self._texts.follow(view, width - 2):
            self._top, self._following = 0, True
        if view.failure is not None:
            title, body = "what happened", failed(view, view.failure, self._texts, width, room)
        else:
            title, body = "answer", self._body(scene, width, room)
        return (titled(title, width, self.fill, lit=self.selected), *body) if titles else body

    def scroll(self, pages: int) -> None:
        """Back (-1) or forward (+1) by a page less one line; at the end it follows again."""
        page = max(1, self.size.height - 2)
        last = max(0, self._texts.count - page)
        self._top = max(0, min((last if self._following else self._top) + pages * page, last))
        self._following = self._top >= last
        self.again()

    def on_mouse_scroll_up(self) -> None:
        self.scroll(-1)

    def on_mouse_scroll_down(self) -> None:
        self.scroll(+1)

    def _body(self, scene: Scene, width: int, room: int) -> Sequence[Row]:
        lines = self._texts.count
        if not lines:
            return tuple(((f" {line}", "secondary"),) for line in whole(nothing(scene), width - 2, room))
        if self._following:
            running = scene.view.running
            end = lines - self._texts.blank_end
            self._top = _jumped(self._top, lines, room) if running else max(0, end - room)
        rows = [((" ", "text"), *row) for row in self._texts.lines(self._top, self._top + room)]
        writing = scene.view.stage in (Stage.DECODING, Stage.STALLED)
        if writing and rows and self._top + room >= lines:
            rows[-1] = (*rows[-1], (_CURSOR, "decode"))
        return rows


def _jumped(top: int, lines: int, room: int) -> int:
    """The first line to show: when the text runs out of the panel it moves up by a third of its height."""
    lowest = max(0, lines - room + room // 3)
    return min(top, lowest) if lines - top <= room else lowest


def nothing(scene: Scene) -> Sequence[str]:
    """What stands where no text is, in parts that may be left out from the end."""
    if scene.view.stage is Stage.EMPTY and not scene.running:
        return "← → turn the length of the prompt", "a sends at every turn", "? explains every number"
    return ("nothing yet" if scene.view.running or scene.running else "no text came",)


def failed(view: View, failure: Failed, texts: Texts, width: int, room: int) -> Sequence[Row]:
    """Cause, remedy and what had arrived; where there is one row only, the remedy."""
    arrived = texts.last(width - 12) or ABSENT
    facts = [
        ("cause", failure.message, "text"),
        ("remedy", failure.remedy or "d shows the raw reply", "text bold"),
    ]
    if room < 3:
        facts = facts[1:]
    rows: list[Row] = []
    for name, told, style in facts:
        for n, text in enumerate(wrapped(" ".join(clean(told).split()), width - 12)):
            rows.append(((f" {name if not n else '':<8}", "secondary"), (text, style)))
    if room >= 3:
        rows.append(
            ((f" {'answer':<8}", "secondary"), (arrived, "text"), (" ▚" if texts.count else "", "failed"))
        )
    if len(rows) > room:
        rows[room - 1] = (*rows[room - 1], (" …", "secondary"))
    return rows[:room]


class Texts:
    """Reasoning, answer and tool calls of one run, wrapped one after the other and told apart."""

    def __init__(self) -> None:
        self._run: object = None
        self._width = 0
        self._parts: dict[str, Wrapped] = {}
        self._read: dict[str, int] = {}

    def follow(self, view: View, width: int) -> bool:
        """Take in what is new; another run or width starts from nothing. True for another run."""
        run = view.track.columns
        other = run is not self._run
        if other or width != self._width:
            self._run, self._width = run, width
            self._parts, self._read = {}, {}
        self._take("reasoning", view.reasoning, "secondary")
        self._take("answer", view.answer, "text")
        for n, tool in enumerate(view.tools):
            key = f"tool {n}"
            text = f"{tool.name}({tool.arguments})"
            if self._read.get(key) != len(text):
                self._parts[key] = Wrapped(self._width, "tokenize", "calls ")
                self._parts[key].add(text)
                self._read[key] = len(text)
        return other

    def _take(self, key: str, text: Snapshot, style: str) -> None:
        read = self._read.get(key, 0)
        if text.length > read:
            label = "thinks " if key == "reasoning" else ""
            part = self._parts.setdefault(key, Wrapped(self._width, style, label))
            part.add(text.since(read))
            self._read[key] = text.length

    @property
    def count(self) -> int:
        return sum(len(part) for part in self._parts.values())

    @property
    def blank_end(self) -> int:
        """Empty lines that the text ends with: where it is over they say nothing."""
        part = next(reversed(self._parts.values()), None)
        return part.blank_end if part else 0

    def lines(self, start: int, stop: int) -> list[Row]:
        """Lines `start` up to `stop` of everything."""
        rows: list[Row] = []
        for part in self._parts.values():
            rows += part.rows(max(0, start), max(0, stop))
            start, stop = start - len(part), stop - len(part)
        return rows

    def last(self, cells: int) -> str:
        """The end of the text in one line."""
        part = next(reversed(self._parts.values()), None)
        return part.last(cells) if part else ""
