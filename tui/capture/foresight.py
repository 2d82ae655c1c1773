"""Puts what earlier runs taught into the first line of a recording, and learns from each run that is over."""

from __future__ import annotations

from dataclasses import replace

from tui.capture.experience import Experience, Key, key_of
from tui.capture.orders import StreamOrder
from tui.domain import calibration, expect
from tui.domain.knobs import Knobs
from tui.domain.state import learned
from tui.domain.view import View
from tui.engines.found import Found


class Foresight:
    """Without an experience it knows nothing and learns nothing."""

    def __init__(self, experience: Experience | None) -> None:
        self._experience = experience
        self._key: Key | None = None

    @property
    def problem(self) -> str:
        return self._experience.problem if self._experience else ""

    def prepared(
        self, order: StreamOrder, knobs: Knobs, found: Found, built_in: bool, trial: bool
    ) -> StreamOrder:
        """The order with what is expected of it. A `trial` is not split by an earlier calibration."""
        told = order.meta.get("conditions")
        if self._experience is None or not isinstance(told, dict):
            return order
        self._key = key = key_of(found, built_in, str(told.get("cache_mode")))
        asked = learned(told, "prompt_tokens_asked") or learned(told, "prompt_tokens_counted")
        more: dict[str, object] = {}
        if asked and not knobs.rivals and (expected := expect.expect(self._experience.runs(key), asked)):
            more["expected"] = expect.fields_of(expected)
        if not trial and (known := self._experience.calibration(key)):
            more["calibration"] = calibration.fields_of(known)
        return replace(order, meta={**order.meta, "conditions": told | more}) if more else order

    def learn(self, view: View) -> None:
        """Take in the run that was prepared last, once it is over."""
        known = expect.known_from(view)
        if self._experience is not None and self._key is not None and known is not None:
            self._experience.learn(self._key, known)

    def keep(self, found: calibration.Calibration) -> None:
        """The calibration of the endpoint that the last prepared run went to."""
        if self._experience is not None and self._key is not None:
            self._experience.keep(self._key, found)
