"""Which engine and model: those found on this machine, the built-in one, or an address."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.timer import Timer
from textual.widgets import Input, Label, OptionList, Static

from tui.app.screens import offers
from tui.app.screens.choices import BuiltIn, Choice, UseBuiltIn, UseUrl
from tui.app.screens.offers import Row
from tui.app.screens.sheet import UNSAFE, Sheet, literal
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
_NO_URL = "the address comes first: write it like http://127.0.0.1:8080"


class EngineScreen(Sheet[Choice]):
    """`discovered` tells what was found, None while the search goes on; it is asked again until then.

    slow: addresses that did not answer in time. `environ` is looked at only to see whether the variable of a
    key is set. `type_url` begins in the address. `using`: the engine of now, None for the built-in
    one; its address stays where none is typed.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("right", "fold(False)", show=False),
        Binding("left", "fold(True)", show=False),
    ]
    heading = "engine and model"
    hint = "enter use it · ← → fold · tab next field · esc back"

    def __init__(
        self,
        discovered: Callable[[], Collection[Found] | None],
        builtin: BuiltIn,
        environ: Mapping[str, str] = os.environ,
        type_url: bool = False,
        slow: Callable[[], Sequence[str]] = tuple,
        using: Found | None = None,
    ) -> None:
        super().__init__()
        self._discovered = discovered
        self._slow = slow
        self._using = using
        self._builtin = builtin
        self._environ = environ
        self._rows: list[Row] = []
        self._turned: set[str] = set()
        self._search: Timer | None = None
        self._first = "#url" if type_url else "OptionList"

    def body(self) -> ComposeResult:
        yield Static("", id="looking", markup=False)
        yield Static("", id="columns", markup=False)
        yield OptionList(markup=False)
        with Vertical(classes="sheet-fields"):
            for name, title, example in _FIELDS:
                with Horizontal(classes="sheet-field"):
                    yield Label(title, markup=False)
                    shown = self._address or example if name == "url" else example
                    yield Input(id=name, placeholder=shown, restrict=UNSAFE, max_length=400)
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
        self.query_one("#looking", Static).update(self._said(found))
        self.query_one("#columns", Static).update(offers.head() if found or self._using else "")
        self._show(found or ())

    def _said(self, found: Collection[Found] | None) -> str:
        if found is None:
            return "looking on the usual ports …"
        late = f" · no answer in time at {', '.join(self._slow())}" if self._slow() else ""
        return literal(
            ("found on the usual ports" if found else "no engine answers on the usual ports") + late
        )

    def _show(self, found: Collection[Found], stay: str = "") -> None:
        """Rows anew. The cursor goes to the first, or stays on the engine whose models were turned over."""
        rows = list(offers.rows(found, self._turned, self._using))
        if not self._builtin.obstacle:
            used = f" · {offers.IN_USE}" if self._builtin.used else ""
            rows.append(Row(f"  {'built-in':10} {self._builtin.words}{used}", UseBuiltIn()))
        if rows == self._rows:
            return
        self._rows = rows
        listed = self.query_one(OptionList)
        listed.set_options([Content(row.words) for row in rows])
        listed.highlighted = next((n for n, row in enumerate(rows) if stay and row.root == stay), 0)

    @property
    def _address(self) -> str:
        """Where requests go now."""
        return self._using.base.root if self._using is not None else ""

    @property
    def _highlighted(self) -> Row | None:
        at = self.query_one(OptionList).highlighted
        return self._rows[at] if at is not None and at < len(self._rows) else None

    @on(OptionList.OptionSelected)
    def _listed(self, selected: OptionList.OptionSelected) -> None:
        row = self._rows[selected.option_index]
        match row.choice:
            case UseUrl(url, model):
                self._take(self._with_key(url, model))
            case UseBuiltIn():
                self._take(row.choice)
            case None:
                self._turn(row.root)

    def action_fold(self, away: bool) -> None:
        """Show or put away the models of the engine under the cursor."""
        row = self._highlighted
        if row is None or not row.root:
            return
        rows = [it for it in self._rows if it.root == row.root]
        has_several = any(it.choice is None for it in rows)
        if has_several and (len(rows) > 1) is away:
            self._turn(row.root)

    def _turn(self, root: str) -> None:
        self._turned ^= {root}
        self._show(self._discovered() or (), stay=root)

    @on(Input.Submitted)
    def _typed(self) -> None:
        url = self._field("url")
        if not url and (self._field("model") or self._field("api_key_env")):
            url = self._address
        if not url:
            self._refuse(_NO_URL, "url")
            return
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
