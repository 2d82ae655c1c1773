"""One number explained: what it is, how it was made, by whose clock, and how far it can be trusted."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.widgets import Static

from tui.app.screens.costs import costs
from tui.app.screens.evidence import Number, evidence
from tui.app.screens.grid import grid
from tui.app.screens.machine import machine
from tui.app.screens.sheet import Sheet, literal
from tui.domain.insight import Insight
from tui.domain.pressure import Pressure
from tui.domain.view import View
from tui.settings.definitions import MARKS
from tui.settings.keys import by_action


class ExplainScreen(Sheet[None]):
    """Begins with the definition called `name` (else the first) and walks through all of this request.

    unread: why the machine was not read, while it was not. told: what its readings say about the request.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(",".join(by_action("explain").keys), "back", id="explain"),
        Binding("right,tab", "turn(1)"),
        Binding("left,shift+tab", "turn(-1)"),
    ]
    hint = "← → other numbers · ↑ ↓ scroll · esc back"

    def __init__(
        self,
        view: View,
        name: str = "since_sent",
        pressure: Pressure | None = None,
        unread: str = "not read yet",
        told: Insight | None = None,
    ) -> None:
        super().__init__()
        self._numbers = (*evidence(view), *machine(pressure or Pressure(), view, unread), *costs(told))
        names = [number.definition.name for number in self._numbers]
        self._at = names.index(name) if name in names else 0

    def body(self) -> ComposeResult:
        with VerticalScroll(classes="sheet-page"):
            yield Static(markup=False, id="explanation")

    def on_mount(self) -> None:
        self._show()

    def action_turn(self, steps: int) -> None:
        self._at = (self._at + steps) % len(self._numbers)
        self._show()

    def _show(self) -> None:
        number = self._numbers[self._at]
        place = f"{self._at + 1} of {len(self._numbers)}"
        self.query_one(".sheet-heading", Static).update(f"{number.definition.title} · {place}")
        self.query_one("#explanation", Static).update(grid(explained(number)))
        self.query_one(VerticalScroll).scroll_home(animate=False)


def explained(number: Number) -> tuple[tuple[str, str], ...]:
    """(label, words) of all that can be said about a number; words from outside are made literal."""
    what, value = number.definition, number.value
    origin = value.provenance
    shown = f"{number.text} {origin.mark}" if value.known else number.text
    rows = [
        ("value" if value.known else "why not", shown if value.known else literal(value.note)),
        ("what", what.says),
        ("formula", what.formula),
        ("here", literal(value.note) if value.known else ""),
        ("clock", what.clock),
        ("mark", f"{origin.mark} {origin.value}: {dict(MARKS)[origin]}"),
        ("careful", what.beware),
        ("trust", _trust(number)),
    ]
    return tuple((label, words) for label, words in rows if words)


def _trust(number: Number) -> str:
    if not number.value.known:
        return ""
    if number.value.reliable:
        return "nothing speaks against it"
    return f"with doubt: {number.definition.doubt or 'what it is made from is not sure'}"
