"""The own prompt, written or pasted, and the sampling settings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.events import Paste
from textual.widgets import Input, Label, Static, TextArea

from tui.app.screens.sheet import UNSAFE, Sheet
from tui.domain.knobs import Knobs, Profile
from tui.plot.cells import shorn
from tui.settings.options import BY_NAME

_FIELDS = (
    ("temperature", "temperature"),
    ("seed", "seed"),
    ("max_tokens", "answer limit"),
    ("ignore_eos", "ignore end"),
)


class PromptArea(TextArea):
    """A text area into which nothing gets that moves, turns or hides text, also not by pasting."""

    def __init__(self, text: str) -> None:
        super().__init__(_typed(text), placeholder="write or paste the prompt")
        self.before = self.text

    def on_paste(self, paste: Paste) -> None:
        paste.prevent_default()
        paste.stop()
        self.insert(_typed(paste.text))


class OwnScreen(Sheet[Knobs]):
    """Gives the knobs with the new text and sampling; an empty text goes back to the plain prompt."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("ctrl+o", "use", priority=True)]
    heading = "own prompt"
    hint = "ctrl+o use it · tab next field · esc back"
    AUTO_FOCUS: ClassVar[str] = "PromptArea"

    def __init__(self, knobs: Knobs) -> None:
        super().__init__()
        self._knobs = knobs

    def body(self) -> ComposeResult:
        yield PromptArea(self._knobs.own_text)
        with Horizontal(classes="sheet-fields"):
            for (name, title), value in zip(_FIELDS, _written(self._knobs), strict=True):
                with Horizontal(classes="sheet-field"):
                    yield Label(title, markup=False)
                    yield Input(value, id=name, restrict=UNSAFE, max_length=12)
        yield Static("", classes="sheet-error", markup=False)

    @on(Input.Submitted)
    def action_use(self) -> None:
        """Take everything over, unless a field holds what can't be."""
        told: dict[str, Any] = {}
        for name, title in _FIELDS:
            field = self.query_one(f"#{name}", Input)
            words = field.value.strip()
            try:
                told[name] = BY_NAME[name].read(words) if words else None
            except ValueError as error:
                self.query_one(".sheet-error", Static).update(f"{title}: {error}")
                field.focus()
                return
        self.dismiss(self._turned(told, self.query_one(PromptArea)))

    def _turned(self, told: Mapping[str, Any], area: PromptArea) -> Knobs:
        knobs = self._knobs
        text = knobs.own_text if area.text == area.before else area.text
        other = Profile.PLAIN if knobs.profile is Profile.OWN else knobs.profile
        return replace(
            knobs,
            own_text=text if text.strip() else "",
            profile=Profile.OWN if text.strip() else other,
            temperature=told["temperature"] or 0.0,
            seed=told["seed"],
            answer_limit=told["max_tokens"] or knobs.answer_limit,
            ignore_eos=bool(told["ignore_eos"]),
        )


def _written(knobs: Knobs) -> tuple[str, ...]:
    """What stands in the fields."""
    seed = "" if knobs.seed is None else str(knobs.seed)
    return f"{knobs.temperature:g}", seed, str(knobs.answer_limit), "yes" if knobs.ignore_eos else "no"


def _typed(text: str) -> str:
    return shorn(text.replace("\r\n", "\n").replace("\r", "\n"))
