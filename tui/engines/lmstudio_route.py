"""LM Studio's OpenAI routes, `/v1` and the older `/api/v0`, with what the latter adds to the last chunk."""

from __future__ import annotations

from tui.domain.events import Event, Learned, Oddity
from tui.domain.values import count
from tui.engines.failures import engine_error
from tui.engines.openai import DIALECT, OpenAiTongue
from tui.engines.shapes import Object, mapping, text
from tui.engines.tongue import Tongue

_BROKEN = {"failed": "the generation failed", "modelUnloaded": "the model was unloaded meanwhile"}


class LmStudioRouteTongue(Tongue):
    """The OpenAI dialect. Of `stats` only the reason to stop is read: where its two durations begin and end
    is not documented, and its rate is a printed one.
    """

    dialect = DIALECT

    def __init__(self) -> None:
        self._chat = OpenAiTongue()
        self._model = ""

    def message(self, at_ns: int, body: Object, event: str) -> list[Event]:
        """One chunk."""
        return [*self._answering(at_ns, body), *self._chat.message(at_ns, body, event), *_added(at_ns, body)]

    def whole(self, at_ns: int, body: Object) -> list[Event]:
        """A reply that was not streamed."""
        answer = self._chat.whole(at_ns, body)
        return [*self._answering(at_ns, body), *answer, *_added(at_ns, body)] if answer else []

    def _answering(self, at_ns: int, body: Object) -> list[Event]:
        """The model that really answers: with one loaded, the asked name may be passed over."""
        name = text(body.get("model"))
        if not name or name == self._model:
            return []
        self._model = name
        return [Learned(at_ns, {"model": name})]


def _added(at_ns: int, body: Object) -> list[Event]:
    info = mapping(body.get("model_info"))
    told = {"quantization": text(info.get("quant")), "context_length": count(info.get("context_length"))}
    known = {key: value for key, value in told.items() if value}
    events: list[Event] = [Learned(at_ns, known)] if known else []
    reason = text(mapping(body.get("stats")).get("stop_reason"))
    if reason == "contextLengthReached":
        events.append(Oddity(at_ns, "stopped_by_context", "the context is full"))
    if reason in _BROKEN:
        events.append(engine_error(at_ns, _BROKEN[reason], reason.encode()))
    return events
