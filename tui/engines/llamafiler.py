"""llamafile's own server (`--v2`, up to 0.9.3): a share of the prompt in chunks before the first text."""

from __future__ import annotations

from tui.domain.events import Dialect, Event, Progress
from tui.domain.values import finite
from tui.engines.base import Adapter
from tui.engines.openai import OpenAiTongue, request
from tui.engines.shapes import Object

DIALECT = Dialect("llamafiler")
_WHOLE = 1000  # thousandths


class LlamafilerTongue(OpenAiTongue):
    """The OpenAI dialect with `x_prefill_progress`, 0 to 1."""

    def __init__(self) -> None:
        super().__init__(DIALECT)

    def message(self, at_ns: int, body: Object, event: str) -> list[Event]:
        """One chunk."""
        share = finite(body.get("x_prefill_progress"))
        events = super().message(at_ns, body, event)
        if share is None or not 0 <= share <= 1:
            return events
        return [Progress(at_ns, _WHOLE, 0, round(share * _WHOLE), None, unit="share"), *events]


ADAPTER = Adapter("llamafiler", DIALECT, request, LlamafilerTongue)
