"""SGLang: a chat stream without timing, its counters when alone, and its native `/generate`."""

from __future__ import annotations

from tui.domain.events import Dialect, Event, Finish, Timings, Usage
from tui.domain.values import count
from tui.domain.wire import Poll
from tui.engines.alone import ALONE, NONE_SHOWN, Ledger, if_it_fits, not_alone, not_ours
from tui.engines.base import Adapter, Look, Plan, Request
from tui.engines.openai import PATH, OpenAiTongue, chat_body, on_and_on
from tui.engines.prometheus import Labels, Page, grown_ns, growth
from tui.engines.sglang_generate import Generate
from tui.engines.shapes import Object
from tui.engines.tongue import Tongue

# The head is held back until the first token, so that it says nothing of its own.
DIALECT = Dialect("sglang")
_QUEUE = "sglang:queue_time_seconds"
_STAGE = "sglang:per_stage_req_latency_seconds"
_FIRST = "sglang:time_to_first_token_seconds"
_REUSED = "sglang:cached_tokens_total"
_LEDGER = Ledger(
    ("sglang:num_running_reqs", "sglang:num_queue_reqs"),
    (f"{_QUEUE}_count",),
    "sglang:prompt_tokens_total",
    "sglang:generation_tokens_total",
)
_KEPT = (
    *_LEDGER.names,
    *(f"{name}_{part}" for name in (_QUEUE, _STAGE, _FIRST) for part in ("sum", "count")),
    _REUSED,
)
_REMAINDER = "its time to the first token minus queue and prefill, by its counters while it ran alone"


def request(plan: Plan) -> Request:
    """The chat request with the running count; token ids and the like are refused in a stream."""
    options = {"include_usage": True, "continuous_usage_stats": True}
    return Request(PATH, chat_body(plan) | on_and_on(plan) | {"stream_options": options})


class SglangTongue(Tongue):
    """The OpenAI dialect and the events of `/generate`, plus the counters at `metrics_path`."""

    def __init__(self, metrics_path: str = "/metrics", dialect: Dialect = DIALECT) -> None:
        self.dialect = dialect
        self._chat = OpenAiTongue(dialect)
        self._native = Generate()
        self._path = metrics_path
        self._before: Page | None = None
        self._finished = False

    def message(self, at_ns: int, body: Object, event: str) -> list[Event]:
        """One chunk of a chat, or one event of `/generate`; `sglext` chunks hold nothing that is shown."""
        if "meta_info" in body:
            return self._native.message(at_ns, body)
        return self._heard(self._chat.message(at_ns, body, event))

    def whole(self, at_ns: int, body: Object) -> list[Event]:
        """A reply that was not streamed."""
        if "meta_info" in body:
            return self._native.message(at_ns, body)
        return self._heard(self._chat.whole(at_ns, body))

    def poll(self, poll: Poll) -> list[Event]:
        """A page of its counters, before the request or after its stream; it needs --enable-metrics."""
        if poll.path.split("?")[0].rstrip("/") != self._path:
            return []
        page = Page(poll.body)
        if poll.at_ns < 0 and not self._finished:
            self._before = page
        if self._before is None or not self._finished:
            return []
        return [durations(poll.at_ns, self._before, page, self._chat.usage)]

    def _heard(self, events: list[Event]) -> list[Event]:
        self._finished = self._finished or any(isinstance(event, Finish) for event in events)
        return events


def durations(at_ns: int, before: Page, after: Page, usage: Usage | None) -> Event:
    """Queue and prefill of the request between two pages, or why they can't be told.

    Tokenization is what its time to the first token holds beside the two; decode has no counter.
    """
    why = not_alone(_LEDGER, before, after, usage)
    if why or usage is None:
        return not_ours(at_ns, why, why != NONE_SHOWN)
    queue_ns = grown_ns(before, after, f"{_QUEUE}_sum")
    prefill_ns = None
    if growth(before, after, f"{_STAGE}_count", _prefill) == 1:
        prefill_ns = grown_ns(before, after, f"{_STAGE}_sum", _prefill)
    first_ns = None
    if growth(before, after, f"{_FIRST}_count") == 1:
        first_ns = grown_ns(before, after, f"{_FIRST}_sum")
    tokenize_ns = None
    if first_ns is not None and queue_ns is not None and prefill_ns is not None:
        tokenize_ns = max(0, first_ns - queue_ns - prefill_ns)
    prompt = usage.prompt or 0
    cached = usage.cached if usage.cached is not None else count(growth(before, after, _REUSED))
    cached = cached if cached is not None and cached <= prompt else None
    told = Timings(
        at_ns,
        prompt_n=prompt - (cached or 0),
        cached_n=cached,
        prompt_ns=prefill_ns,
        queue_ns=queue_ns,
        tokenize_ns=tokenize_ns,
        cached_unknown=cached is None,
        final=True,
        source=ALONE,
        derived={"tokenize": _REMAINDER} if tokenize_ns is not None else {},
    )
    return if_it_fits(told)


def _prefill(labels: Labels) -> bool:
    return labels.get("stage") == "prefill_forward"


def adapter(name: str = "sglang", metrics_path: str = "/metrics") -> Adapter:
    """SGLang as itself, or behind a front that serves its counters elsewhere.

    The whole page is read: its counters are those of several processes, which a filter by name leaves empty.
    """
    return Adapter(
        name,
        DIALECT,
        request,
        lambda: SglangTongue(metrics_path),
        looks=(Look(metrics_path, "before", keep=_KEPT), Look(metrics_path, "after", keep=_KEPT)),
    )


ADAPTER = adapter()
