"""Which engine and model: those found on this machine, the built-in one, or an address."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Mapping

from textual import on
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.timer import Timer
from textual.widgets import Input, Label, OptionList, Static

from tui.app.screens.choices import BuiltIn, Choice, UseBuiltIn, UseUrl, offers
from tui.app.screens.sheet import UNSAFE, Sheet
from tui.engines.detect import Found
from tui.engines.urls import BadUrl, normalised
from tui.settings.config import ConfigError
from tui.settings.credentials import from_variable

LOOK_AGAIN_S = 0.2
_FIELDS = (
    ("url", "address", "http://127.0.0.1:8080"),
    ("model", "model", "the engine's first"),
    ("api_key_env", "key is in", "name of a variable, not the key"),
)


class EngineScreen(Sheet[Choice]):
    """`discovered` tells what was found, None while the search goes on; it is asked again until then.

    `environ` is looked at only to see whether the variable of a key is set. `type_url` begins in the address.
    """

    heading = "engine and model"
    hint = "enter use it · tab next field · esc back"

    def __init__(
        self,
        discovered: Callable[[], Collection[Found] | None],
        builtin: BuiltIn,
        environ: Mapping[str, str] = os.environ,
        type_url: bool = False,
    ) -> None:
        super().__init__()
        self._discovered = discovered
        self._builtin = builtin
        self._environ = environ
        self._choices: list[Choice] = []
        self._search: Timer | None = None
        self._first = "#url" if type_url else "OptionList"

    def body(self) -> ComposeResult:
        yield Static("", id="looking", markup=False)
        yield OptionList(markup=False)
        with Vertical(classes="sheet-fields"):
            for name, title, example in _FIELDS:
                with Horizontal(classes="sheet-field"):
                    yield Label(title, markup=False)
                    yield Input(id=name, placeholder=example, restrict=UNSAFE, max_length=400)
        yield Static("", classes="sheet-error", markup=False)

    def on_mount(self) -> None:
        self.query_one(self._first).focus()
        self._search = self.set_interval(LOOK_AGAIN_S, self.look)
        self.look()

    def look(self) -> None:
        """Show what was found so far."""
        found = self._discovered()
        if found is not None and self._search is not None:
            self._search.stop()
        rows: list[tuple[str, Choice]] = [*offers(found or ())]
        if not self._builtin.obstacle:
            rows.append((f"{'built-in':10} {self._builtin.words}", UseBuiltIn()))
        choices = [choice for _, choice in rows]
        said = (
            "looking on the usual ports …" if found is None else "found on the usual ports:" if found else ""
        )
        self.query_one("#looking", Static).update(said or "no engine answers on the usual ports")
        if choices != self._choices:
            self._choices = choices
            listed = self.query_one(OptionList)
            listed.set_options([Content(words) for words, _ in rows])
            listed.highlighted = 0

    @on(OptionList.OptionSelected)
    def _listed(self, selected: OptionList.OptionSelected) -> None:
        choice = self._choices[selected.option_index]
        self._take(choice if isinstance(choice, UseBuiltIn) else self._with_key(choice.url, choice.model))

    @on(Input.Submitted)
    def _typed(self) -> None:
        url = self._field("url")
        try:
            normalised(url)
        except BadUrl as error:
            self._refuse(str(error), "url")
            return
        self._take(self._with_key(url, self._field("model")))

    def _with_key(self, url: str, model: str) -> UseUrl | None:
        """The choice with its key's variable; None when there is no such variable."""
        name = self._field("api_key_env")
        try:
            if name:
                from_variable(name, self._environ)
        except ConfigError:
            # a key typed by mistake must not come back as part of a message
            self._refuse("no variable of that name holds a key", "api_key_env")
            return None
        return UseUrl(url, model, name)

    def _take(self, choice: Choice | None) -> None:
        if choice is not None:
            self.dismiss(choice)

    def _refuse(self, why: str, field: str) -> None:
        self.query_one(".sheet-error", Static).update(why)
        self.query_one(f"#{field}", Input).focus()

    def _field(self, name: str) -> str:
        return self.query_one(f"#{name}", Input).value.strip()
