"""The sentence; on the smallest screens, where it is everything, with the rate beneath."""

from __future__ import annotations

from collections.abc import Sequence

from tui.app.layout import Form
from tui.app.panels.figures import running_figure
from tui.app.panels.lines import dotted, most, whole, wrapped
from tui.app.panels.panel import SLOW, Panel
from tui.app.scene import Scene
from tui.app.words import say
from tui.plot.cells import width as cells_of
from tui.plot.rows import Row, row_width


class Sentence(Panel):
    every = SLOW

    def rows(self, scene: Scene, width: int, height: int) -> Sequence[Row]:
        if self.plan.form is Form.TINY:
            return alone(scene, width, height)
        return over(scene, width - 1, height) if height > 1 else (sentence(scene, width - 1),)


def sentence(scene: Scene, width: int) -> Row:
    """One row: sign, state word, and as many parts as fit whole."""
    said = say(scene)
    head: Row = ((f" {said.sign} {said.word}", f"{said.role} bold"), ("  ", "text"))
    parts = [part for part in said.parts if part]
    row = most(head, dotted(parts, "text"), width)
    if row == head and parts:
        return (
            *most(head, [((word + " ", "text"),) for word in parts[0].split()], width - 1),
            ("…", "secondary"),
        )
    return row


def over(scene: Scene, width: int, height: int) -> Sequence[Row]:
    """A few rows: the state word, then as many parts as fit; a part too long for the other rows begins in
    the first one."""
    said = say(scene)
    head: Row = ((f" {said.sign} {said.word}", f"{said.role} bold"), ("  ", "text"))
    parts = [part for part in said.parts if part]
    room = width - row_width(head)
    if parts and room > 0 and cells_of(parts[0]) > room and len(wrapped(parts[0], width - 2)) >= height:
        begun = wrapped(parts[0], room)[0]
        parts = [parts[0][len(begun) :].strip(), *parts[1:]]
        rest = whole(parts, width - 2, height - 1)
        return ((*head, (begun, "text")), *((("  ", "text"), (line, "text")) for line in rest))
    if parts and row_width(head) + cells_of(parts[0]) <= width:
        first = (*head, (parts.pop(0), "text"))
        while parts and row_width(first) + 3 + cells_of(parts[0]) <= width:
            first = (*first, (f" · {parts.pop(0)}", "text"))
    else:
        first = head
    lines = whole(parts, width - 2, height - 1)
    if lines and first is not head and lines[-1].endswith("…"):
        lines = []  # there is a whole part already
    return (first, *((("  ", "text"), (line, "text")) for line in lines))


def alone(scene: Scene, width: int, height: int) -> Sequence[Row]:
    """The sentence over several rows, its state word too where that is wider, and the running figure."""
    said = say(scene)
    head = whole((f"{said.sign} {said.word}",), width, max(1, height - 1))
    rest = whole(said.parts, max(1, width - 1), height - len(head) - 1)
    rows: list[Row] = [((line, f"{said.role} bold"),) for line in head]
    rows += [((line, "text"),) for line in rest]
    return [*rows, running_figure(scene, width)][:height]
