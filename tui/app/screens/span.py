"""Why a piece of the answer came when it did: a sentence, and the evidence with who told it."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.widgets import Static

from tui.app.screens.grid import grid
from tui.app.screens.sheet import Sheet, literal
from tui.domain.explain import Explanation
from tui.domain.facts import Role
from tui.report.explained import evidence_line, told
from tui.settings.keys import by_action

NUMBERS = "numbers"
_LABELS = {Role.CAUSE: "cause", Role.PLACE: "where", Role.SEEN: "seen"}


class SpanScreen(Sheet[str]):
    """Gives `NUMBERS` when the numbers of the request are wanted instead."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(",".join(by_action("explain").keys), "back", id="explain"),
        Binding("right,tab,left,shift+tab", "numbers"),
    ]
    hint = "→ the numbers of this request · ↑ ↓ scroll · esc back"

    def __init__(self, explanation: Explanation) -> None:
        super().__init__()
        self._explanation = explanation
        self.heading = f"{told(explanation.name)} explained"

    def body(self) -> ComposeResult:
        with VerticalScroll(classes="sheet-page"):
            yield Static(grid(lines(self._explanation)), markup=False, id="explanation")

    def action_numbers(self) -> None:
        self.dismiss(NUMBERS)


def lines(explanation: Explanation) -> tuple[tuple[str, str], ...]:
    """(label, words) of an explanation; words from outside are made literal."""
    verdict = explanation.verdict
    rows = [
        ("what", f"{told(explanation.sentence)}."),
        ("why", f"{verdict[:1].upper()}{verdict[1:]}{'' if verdict.endswith(':') else '.'}"),
    ]
    before: Role | None = None
    for fact in explanation.facts:
        rows.append((_LABELS[fact.role] if fact.role is not before else "", evidence_line(fact)))
        before = fact.role
    return tuple((label, literal(words)) for label, words in rows)
