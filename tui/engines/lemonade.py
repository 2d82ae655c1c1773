"""Lemonade: the timings of the server behind it pass through; else its counts of the last request."""

from __future__ import annotations

from tui.domain.events import Dialect, Event, Timings
from tui.domain.values import count
from tui.domain.wire import Poll
from tui.engines.base import Adapter, Look
from tui.engines.openai import OpenAiTongue, request
from tui.engines.shapes import Object, mapping, parsed_or_none

DIALECT = Dialect("lemonade")
STATS = "/v1/stats"
_KEEP = ("input_tokens", "prompt_tokens", "output_tokens", "cache_tokens")
SOURCE = "its statistics of the last request, with our token counts"


class LemonadeTongue(OpenAiTongue):
    """The OpenAI dialect, with llama.cpp's timings where that is the backend."""

    def __init__(self) -> None:
        super().__init__(DIALECT)
        self._timed = False

    def message(self, at_ns: int, body: Object, event: str) -> list[Event]:
        """One chunk."""
        events = super().message(at_ns, body, event)
        self._timed = self._timed or any(isinstance(one, Timings) for one in events)
        return events

    def poll(self, poll: Poll) -> list[Event]:
        """Reused tokens of the last request, when its counts are ours. It tells no durations but rates."""
        usage = self.usage
        if poll.path != STATS or self._timed or usage is None:
            return []
        told = mapping(parsed_or_none(poll.body))
        prompt = count(told.get("prompt_tokens"))
        prompt = count(told.get("input_tokens")) if prompt is None else prompt
        cached = count(told.get("cache_tokens"))
        ours = (usage.prompt, usage.completion) == (prompt, count(told.get("output_tokens")))
        if not ours or prompt is None or cached is None or cached > prompt:
            return []
        return [Timings(poll.at_ns, prompt_n=prompt - cached, cached_n=cached, source=SOURCE)]


ADAPTER = Adapter("lemonade", DIALECT, request, LemonadeTongue, looks=(Look(STATS, "after", keep=_KEEP),))
