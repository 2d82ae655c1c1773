"""What the keys of the knobs do: they turn what is sent next; where arrows move a cursor they do that."""

from __future__ import annotations

from dataclasses import replace

from tui.app.pointing import Pointing
from tui.domain import knobs as turning
from tui.domain.knobs import Knobs


class Turning(Pointing):
    """The board with its knobs. In a recording none turns, which is said, and the arrows move in it."""

    @property
    def _limit(self) -> int | None:
        """Tokens of the model's context."""
        return self.pump.scene.context

    def _turn_prompt(self, direction: int) -> None:
        if not self.moved(direction) and not self.scrub(direction):
            self._turn(turning.turn_prompt(self.pump.knobs, direction, self._limit))

    def _turn_finely(self, direction: int) -> None:
        if not self.moved(direction, finely=True) and not self.scrub(direction, finely=True):
            tokens = self.pump.knobs.prompt_tokens + direction * turning.FINE
            self._turn(turning.exact_prompt(self.pump.knobs, tokens, self._limit))

    def _turn(self, knobs: Knobs) -> None:
        if not self.only_live():
            self.pump.turn(knobs)

    def action_shorter(self) -> None:
        self._turn_prompt(-1)

    def action_longer(self) -> None:
        self._turn_prompt(+1)

    def action_finer_shorter(self) -> None:
        self._turn_finely(-1)

    def action_finer_longer(self) -> None:
        self._turn_finely(+1)

    def action_more_answer(self) -> None:
        if not self.moved_lines(-1):
            self._turn(turning.turn_answer(self.pump.knobs, +1, self._limit))

    def action_less_answer(self) -> None:
        if not self.moved_lines(+1):
            self._turn(turning.turn_answer(self.pump.knobs, -1, self._limit))

    def action_cache(self) -> None:
        self._turn(turning.next_cache(self.pump.knobs))

    def action_profile(self) -> None:
        self._turn(turning.next_profile(self.pump.knobs))

    def action_rivals(self) -> None:
        self._turn(turning.next_rivals(self.pump.knobs))

    def action_auto(self) -> None:
        self._turn(replace(self.pump.knobs, auto=not self.pump.knobs.auto))
