"""vLLM: a running token count, its own durations where it tells them, else the growth of its counters."""

from __future__ import annotations

from collections.abc import Sequence

from tui.domain.events import Dialect, Event, Finish, FirstSign, Generated, Timings, Usage
from tui.domain.values import count
from tui.domain.wire import Poll
from tui.engines import vllm_metrics
from tui.engines.asking import Ask, Asking
from tui.engines.base import Adapter, Look, Plan, Request, Turn, Watch
from tui.engines.openai import PATH, OpenAiTongue, chat_body, on_and_on
from tui.engines.prometheus import Page
from tui.engines.shapes import Object, items, mapping, parsed_or_none
from tui.engines.tongue import Tongue

# The head comes once the prompt is templated and tokenized, before the request enters the queue.
DIALECT = Dialect("vllm", head="tokenized")
_LIVE_S = 0.2
_COUNT_S = 10.0


def request(plan: Plan) -> Request:
    """The chat request with the running count in each chunk; what a version does not know it passes over."""
    options = {"include_usage": True, "continuous_usage_stats": True}
    return Request(PATH, chat_body(plan) | on_and_on(plan) | {"stream_options": options})


class VllmTongue(Tongue):
    """The OpenAI dialect, plus `metrics` and what the counters at `metrics_path` say."""

    def __init__(self, metrics_path: str = "/metrics", dialect: Dialect = DIALECT) -> None:
        self.dialect = dialect
        self._chat = OpenAiTongue(dialect)
        self._path = metrics_path
        self._live = vllm_metrics.live_path(metrics_path)
        self._before: Page | None = None
        self._prompt: int | None = None  # tokens, counted before the request was sent
        self._token_seen = False
        self._finished = False
        self._timed = False  # the stream told the engine's own durations

    def begin(self, fields: Object) -> list[Event]:
        """The prompt's tokens, where the engine counted them while it was written."""
        self._prompt = count(mapping(fields.get("conditions")).get("prompt_tokens_counted"))
        return []

    def message(self, at_ns: int, body: Object, event: str) -> list[Event]:
        """One chunk; a first token without text shows itself by the counts that come with it."""
        return self._heard(at_ns, body, self._chat.message(at_ns, body, event))

    def whole(self, at_ns: int, body: Object) -> list[Event]:
        """A reply that was not streamed."""
        return self._heard(at_ns, body, self._chat.whole(at_ns, body))

    def poll(self, poll: Poll) -> list[Event]:
        """A page of its counters: before the request, while it waits, or after its stream."""
        if poll.path.split("?")[0].rstrip("/") != self._path:
            return []
        page = Page(poll.body)
        if poll.at_ns < 0:
            self._before = page
        elif not self._token_seen:
            return vllm_metrics.Waiting(self._before, self._prompt).seen(poll.at_ns, page)
        elif self._finished and not self._timed and self._before is not None and poll.path != self._live:
            return [vllm_metrics.durations(poll.at_ns, self._before, page, self._chat.usage)]
        return []

    def _heard(self, at_ns: int, body: Object, events: list[Event]) -> list[Event]:
        self._finished = self._finished or any(isinstance(event, Finish) for event in events)
        self._timed = self._timed or any(isinstance(event, Timings) for event in events)
        if self._token_seen or not events:
            return events
        if any(isinstance(event, (Generated, Finish)) for event in events):
            self._token_seen = True
        elif any(isinstance(event, Usage) for event in events) and items(body.get("choices")):
            # it comes with the engine's first output, also while the thinking after it stays hidden
            self._token_seen = True
            return [FirstSign(at_ns), *events]
        return events


def prompt_counts(model: str, prompts: Sequence[Sequence[Turn]]) -> Asking[list[int] | None]:
    """Tokens of each prompt, template included; None where the server does not tell."""
    bodies = [
        {"model": model, "messages": [{"role": turn.role, "content": turn.content} for turn in prompt]}
        for prompt in prompts
    ]
    answers = yield [Ask("POST", "/tokenize", _COUNT_S, body) for body in bodies]
    told = [
        count(mapping(parsed_or_none(answer.body)).get("count")) for answer in answers if answer.status == 200
    ]
    known = [number for number in told if number]
    return known if len(known) == len(prompts) else None


def adapter(name: str = "vllm", metrics_path: str = "/metrics") -> Adapter:
    """vLLM as itself, or behind a front that serves its counters elsewhere."""
    return Adapter(
        name,
        DIALECT,
        request,
        lambda: VllmTongue(metrics_path),
        watches=(Watch(vllm_metrics.live_path(metrics_path), every_s=_LIVE_S, until="first"),),
        looks=(
            Look(vllm_metrics.before_path(metrics_path), "before", keep=vllm_metrics.KEPT),
            Look(vllm_metrics.after_path(metrics_path), "after", keep=vllm_metrics.KEPT),
        ),
        counter=prompt_counts,
    )


ADAPTER = adapter()
