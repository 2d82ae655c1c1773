"""What every page is: a title, a body, one line of keys, and `esc` back to where one was."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen, ScreenResultType
from textual.widgets import Static

from tui.plot.cells import UNSEEN, clean

UNSAFE = f"[^{UNSEEN}]*"
"""What a field takes: anything but control characters, and what turns, hides or splits text."""


class Sheet(ModalScreen[ScreenResultType]):
    """A page. A subclass gives `heading`, `hint` and `body`; leaving with `esc` gives None."""

    CSS_PATH = "../styles/screens.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "back", "back")]
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (60, "-wide"), (76, "-full")]  # noqa: RUF012 - as Textual declares it

    heading = ""
    hint = "esc back"

    def compose(self) -> ComposeResult:
        with Vertical(classes="sheet"):
            yield Static(self.heading, classes="sheet-heading", markup=False)
            yield from self.body()
            yield Static(self.hint, classes="sheet-hint", markup=False)

    def body(self) -> ComposeResult:
        """The widgets between title and keys."""
        raise NotImplementedError

    def action_back(self) -> None:
        self.dismiss(None)


def literal(text: str) -> str:
    """Text from outside, shown as it is: lines stay lines, tabs become spaces, controls become pictures."""
    return "\n".join(clean(line) for line in text.expandtabs(4).split("\n"))
