"""The first thing seen where no engine answers: the built-in one, a recording, or an address."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.widgets import OptionList, Static

from tui.app.screens.choices import BuiltIn
from tui.app.screens.sheet import Sheet, literal
from tui.settings.keys import by_action

BUILT_IN, DEMO, URL = "built-in", "demo", "url"
_WHAT = (
    "toklane sends one request to a language model on this machine and shows, live, where the time goes."
    " It needs an engine for that: the built-in one, or yours.\n"
)


class WelcomeScreen(Sheet[str]):
    """Gives BUILT_IN, DEMO or URL; None when neither is wanted now."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(",".join(by_action("engine").keys), "type_url", id="engine"),
        Binding(",".join(by_action("quit").keys), "app.quit", id="quit"),
    ]
    heading = "no engine answers on this machine"
    AUTO_FOCUS: ClassVar[str] = "OptionList"

    def __init__(self, builtin: BuiltIn, slow: Sequence[str] = (), failed: bool = False) -> None:
        """`slow`: addresses where something is that did not answer in time. `failed`: the built-in engine did
        not come up; when its model could not be had, what needs nothing is offered first.
        """
        super().__init__()
        self._slow = slow
        self._builtin = builtin
        self._gives = [DEMO, URL] if builtin.obstacle else [BUILT_IN, DEMO, URL]
        if failed and not builtin.obstacle and not builtin.there:
            self._gives = [DEMO, BUILT_IN, URL]
        self.hint = f"enter choose · {by_action('engine').shown} address · esc not now · q quit"

    def body(self) -> ComposeResult:
        words = {
            BUILT_IN: f"use the built-in engine: {self._builtin.words}",
            DEMO: "watch recordings of real requests: needs no engine and no network",
            URL: "type the address of an engine",
        }
        yield Static(_WHAT, classes="sheet-what", markup=False)
        if self._slow:
            yield Static(literal(f"no answer in time at {', '.join(self._slow)}\n"), markup=False)
        yield OptionList(*(Content(words[choice]) for choice in self._gives), markup=False)
        yield Static(f"\n{self._builtin.words}" if self._builtin.obstacle else "", markup=False)

    @on(OptionList.OptionSelected)
    def _chosen(self, selected: OptionList.OptionSelected) -> None:
        self.dismiss(self._gives[selected.option_index])

    def action_type_url(self) -> None:
        self.dismiss(URL)
