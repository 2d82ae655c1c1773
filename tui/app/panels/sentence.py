"""The sentence; on the smallest screens, where it is everything, with the rate beneath."""

from __future__ import annotations

from collections.abc import Sequence

from tui.app.layout import Form
from tui.app.panels.figures import running_figure
from tui.app.panels.lines import dotted, most, wrapped
from tui.app.panels.panel import SLOW, Panel
from tui.app.scene import Scene
from tui.app.words import say
from tui.plot.rows import Row


class Sentence(Panel):
    every = SLOW

    def rows(self, scene: Scene, width: int, height: int) -> Sequence[Row]:
        if self.plan.form is Form.TINY:
            return alone(scene, width, height)
        return over(scene, width, height) if height > 1 else (sentence(scene, width),)


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
    """A few rows: the state word, then as many parts as fit."""
    said = say(scene)
    head: Row = ((f" {said.sign} {said.word}", f"{said.role} bold"), ("  ", "text"))
    row = most(head, dotted(said.parts, "text"), width)
    if row != head or not any(said.parts):
        return (row,)
    lines = wrapped(" · ".join(part for part in said.parts if part), width - 2)
    return (head, *((("  ", "text"), (line, "text")) for line in lines))[:height]


def alone(scene: Scene, width: int, height: int) -> Sequence[Row]:
    """The sentence over several rows, and the running figure."""
    said = say(scene)
    head = f"{said.sign} {said.word}"
    rest = wrapped(" · ".join(part for part in said.parts if part), max(1, width - 1))
    rows: list[Row] = [((head, f"{said.role} bold"),), *(((line, "text"),) for line in rest)]
    return [*rows[: max(1, height - 1)], running_figure(scene)][:height]
