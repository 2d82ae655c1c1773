"""NVIDIA NIM 1.x: the OpenAI dialect with a `stats` object. NIM 2.x speaks as the engine inside it."""

from __future__ import annotations

from tui.domain.events import Dialect, Event, Timings, Usage
from tui.domain.values import count
from tui.engines import sglang, vllm
from tui.engines.base import Adapter
from tui.engines.counted import processed
from tui.engines.openai import OpenAiTongue, request
from tui.engines.shapes import Object, mapping, nanoseconds
from tui.engines.tongue import Tongue

DIALECT = Dialect("nim")
METRICS = "/v1/metrics"
_STATS = "NIM LLM Model Stats"
_APART = 0.1  # two derivations of decode this far apart can't both be right
_MS = 1e6


class NimTongue(Tongue):
    """Chat chunks; `stats` may come on any of them, the last one counts."""

    dialect = DIALECT

    def __init__(self) -> None:
        self._chat = OpenAiTongue(DIALECT)

    def message(self, at_ns: int, body: Object, event: str) -> list[Event]:
        """One chunk."""
        return self._with_stats(at_ns, body, self._chat.message(at_ns, body, event))

    def whole(self, at_ns: int, body: Object) -> list[Event]:
        """A reply that was not streamed."""
        return self._with_stats(at_ns, body, self._chat.whole(at_ns, body))

    def _with_stats(self, at_ns: int, body: Object, events: list[Event]) -> list[Event]:
        stats = mapping(body.get("stats"))
        if stats.get("type") != _STATS:  # another server's `stats` are other fields
            return events
        timings = timings_of(at_ns, stats, self._chat.usage)
        counts: list[Event] = []
        if self._chat.usage is None:
            counts = [Usage(at_ns, count(stats.get("llm_input_token_length")), timings.predicted_n)]
        return [*events, *counts, timings]


def timings_of(at_ns: int, stats: Object, usage: Usage | None) -> Timings:
    """Prefill and queue as told; the decode time is derived, since NIM tells only its parts.

    `generation_time_in_ms` is all the work on the request, so decode is that minus the time to the first
    token, or the mean time between tokens × (tokens − 1). Where both are told and differ by more than a
    tenth, neither is taken.
    """
    answer = mapping(stats.get("response_tokens"))
    tokens = count(stats.get("llm_output_token_length"))
    if tokens is None:
        tokens = count(answer.get("response_token_length"))
    prefill_ns = nanoseconds(answer.get("time_to_first_token_in_ms"), _MS) or None  # work takes time
    decode_ns, how = _decode(
        tokens,
        nanoseconds(answer.get("token_to_token_time_in_ms"), _MS),
        nanoseconds(stats.get("generation_time_in_ms"), _MS),
        prefill_ns,
    )
    cached = usage.cached if usage else None
    return Timings(
        at_ns,
        prompt_n=processed(count(stats.get("llm_input_token_length")), cached),
        cached_n=cached,
        prompt_ns=prefill_ns,
        predicted_n=tokens,
        predicted_ns=decode_ns,
        queue_ns=nanoseconds(stats.get("time_in_queue_in_ms"), _MS),
        cached_unknown=cached is None,
        final=True,
        source="in its stats",
        derived={"decode": how} if decode_ns is not None else {},
    )


def _decode(
    tokens: int | None, gap_ns: int | None, work_ns: int | None, prefill_ns: int | None
) -> tuple[int | None, str]:
    """(decode time, how it was derived)."""
    by_gap = gap_ns * (tokens - 1) if gap_ns is not None and tokens else None
    by_rest = work_ns - prefill_ns if work_ns is not None and prefill_ns is not None else None
    if by_rest is not None and by_rest < 0:
        by_rest = None
    if by_gap is None:
        return by_rest, "from its stats: generation time minus time to the first token"
    if by_rest is not None and abs(by_gap - by_rest) > _APART * max(by_gap, by_rest):
        return None, ""
    return by_gap, "from its stats: mean time between tokens times the tokens after the first"


ADAPTER = Adapter("nim", DIALECT, request, NimTongue)
WITH_VLLM = vllm.adapter("nim-vllm", METRICS)
WITH_SGLANG = sglang.adapter("nim-sglang", METRICS)
