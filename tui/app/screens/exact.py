"""An exact number of prompt tokens, typed."""

from __future__ import annotations

from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.widgets import Input, Static

from tui.app.screens.sheet import UNSAFE, Sheet
from tui.domain.knobs import LEAST_PROMPT, Knobs, room
from tui.plot.numbers import count
from tui.settings.amounts import tokens


class ExactScreen(Sheet[int]):
    """Gives the number of tokens, which the context holds beside the answer."""

    heading = "prompt length"
    hint = "enter use it · esc back"
    AUTO_FOCUS: ClassVar[str] = "Input"

    def __init__(self, knobs: Knobs, context: int | None) -> None:
        super().__init__()
        self._knobs = knobs
        self._window = context

    def body(self) -> ComposeResult:
        yield Static(self._holds(), markup=False)
        yield Input(str(self._knobs.prompt_tokens), restrict=UNSAFE, max_length=12)
        yield Static("", classes="sheet-error", markup=False)

    @on(Input.Changed)
    def _look(self, changed: Input.Changed) -> None:
        """Say at once what was understood."""
        number, problem = self.understood(changed.value)
        notice = self.query_one(".sheet-error", Static)
        notice.set_class(number is not None, "-quiet")
        notice.update(problem if number is None else f"{count(number)} tokens")

    @on(Input.Submitted)
    def _use(self, submitted: Input.Submitted) -> None:
        number, _ = self.understood(submitted.value)
        if number is not None:
            self.dismiss(number)

    def understood(self, text: str) -> tuple[int | None, str]:
        """(the number, "") or (None, why it can't be)."""
        try:
            number = tokens(text)
        except ValueError as error:
            return None, str(error)
        most = room(self._window, self._knobs.answer_limit)
        if most is not None and number > most:
            return None, f"too long: {count(most)} at most"
        return (number, "") if number >= LEAST_PROMPT else (None, f"too short: {LEAST_PROMPT} at least")

    def _holds(self) -> str:
        most = room(self._window, self._knobs.answer_limit)
        if most is None or self._window is None:
            return "tokens, 2k works; the context is not known"
        parts = f"context {count(self._window)} − answer {count(self._knobs.answer_limit)}"
        return f"tokens, 2k works; {count(most)} at most: {parts}"
