"""TensorRT-LLM: only fields it knows, a running token count, and its record of the request afterwards."""

from __future__ import annotations

from tui.domain.events import Dialect, Event, Finish, FirstSign, Generated, Usage
from tui.domain.wire import Poll
from tui.engines.alone import not_ours
from tui.engines.base import Adapter, Look, Plan, Request
from tui.engines.openai import PATH, OpenAiTongue, chat_body, on_and_on
from tui.engines.shapes import Object, items, parsed_or_none, text
from tui.engines.tongue import Tongue
from tui.engines.trtllm_records import ours, timings_of

# Templating, tokenization and the hand-over to the executor come before the head.
DIALECT = Dialect("trtllm", head="tokenized")
_RECORDS = "/perf_metrics"
_TRIES_S = (0.02, 0.05, 0.1, 0.2)  # a record is kept only after `[DONE]` was sent
_ID = "chatcmpl-"
_LONGEST_ID = 18  # digits; what is longer is a random id of digits alone


def request(plan: Plan) -> Request:
    """The chat request; a field it does not know is refused, and both usage options differ by version."""
    options = {"include_usage": True, "continuous_usage_stats": True}
    return Request(PATH, chat_body(plan) | on_and_on(plan) | {"stream_options": options})


class TrtLlmTongue(Tongue):
    """The OpenAI dialect, plus the records at `/perf_metrics`, which are gone once they were read."""

    dialect = DIALECT

    def __init__(self) -> None:
        self._chat = OpenAiTongue(DIALECT)
        self._ids: set[str] = set()
        self._token_seen = False
        self._finished = False
        self._last_ns = 0

    def message(self, at_ns: int, body: Object, event: str) -> list[Event]:
        """One chunk; the count may show a token whose text did not come with it."""
        self._last_ns = at_ns
        if len(self._ids) < 2:  # old versions give each chunk a new one
            self._ids.add(text(body.get("id")))
        return self._heard(at_ns, body, self._chat.message(at_ns, body, event))

    def whole(self, at_ns: int, body: Object) -> list[Event]:
        """A reply that was not streamed."""
        self._last_ns = at_ns
        self._ids.add(text(body.get("id")))
        return self._heard(at_ns, body, self._chat.whole(at_ns, body))

    def poll(self, poll: Poll) -> list[Event]:
        """The records of all requests that ended since somebody last read them; ours is one of them."""
        if poll.path.split("?")[0] != _RECORDS or not self._finished:
            return []
        records = items(parsed_or_none(poll.body))
        record, why = ours(records, self._number(), self._chat.usage, self._last_ns)
        if record is None:
            return [not_ours(poll.at_ns, why, bool(records))]
        return [timings_of(poll.at_ns, record, self._chat.usage)]

    def _heard(self, at_ns: int, body: Object, events: list[Event]) -> list[Event]:
        self._finished = self._finished or any(isinstance(event, Finish) for event in events)
        if self._token_seen:
            return events
        if any(isinstance(event, (Generated, Finish)) for event in events):
            self._token_seen = True
        elif items(body.get("choices")) and any(isinstance(e, Usage) and e.completion for e in events):
            self._token_seen = True
            return [FirstSign(at_ns), *events]
        return events

    def _number(self) -> int | None:
        """The engine's own number of the request, where all chunks carry the same one."""
        (name, *more) = self._ids or {""}
        digits = name.removeprefix(_ID)
        if more or digits == name or not digits.isascii() or not digits.isdigit():
            return None
        return int(digits) if len(digits) <= _LONGEST_ID else None


ADAPTER = Adapter(
    "trtllm", DIALECT, request, TrtLlmTongue, looks=(Look(_RECORDS, "after", _TRIES_S, empty="[]"),)
)
