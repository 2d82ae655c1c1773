"""KoboldCpp: nothing in its stream; after it, what its last generation took, if that was ours."""

from __future__ import annotations

from tui.domain.events import Dialect, Event, Timings
from tui.domain.values import count, finite
from tui.domain.wire import Poll
from tui.engines.alone import if_it_fits, not_ours
from tui.engines.base import Adapter, Look
from tui.engines.openai import OpenAiTongue, request
from tui.engines.shapes import Object, mapping, nanoseconds, parsed_or_none

DIALECT = Dialect("koboldcpp")
PERF = "/api/extra/perf"
_KEEP = ("total_gens", "last_process_time", "last_eval_time", "last_eval", "last_token_count", "queue")
_S, _MS = 1e9, 1e6
SOURCE = "its record of the last generation, the only one meanwhile"
_END_TOKENS = 2  # the end token, or one that a stop string cut off, may be counted once
_PRODUCT = "its tokens times its mean time of a token"


class KoboldCppTongue(OpenAiTongue):
    """The OpenAI dialect; the server looks at its generator every 20 ms, so one chunk may hold many tokens.

    The first token comes up to 0.35 s after it was made, for the same reason.
    """

    def __init__(self) -> None:
        super().__init__(DIALECT)
        self._generations: int | None = None  # before ours

    def poll(self, poll: Poll) -> list[Event]:
        """The record before and after: ours when exactly one generation was added."""
        if poll.path != PERF:
            return []
        told = mapping(parsed_or_none(poll.body))
        generations = count(told.get("total_gens"))
        if poll.at_ns < 0:
            self._generations = generations
            return []
        if generations is None or self._generations is None:
            return []
        if generations != self._generations + 1:
            grown = generations - self._generations
            why = "its counter began anew" if grown < 0 else f"it counted {grown} generations"
            return [not_ours(poll.at_ns, why)]
        tokens, counted = count(told.get("last_token_count")), self.usage.completion if self.usage else None
        if tokens is not None and counted is not None and abs(tokens - counted) > _END_TOKENS:
            return [not_ours(poll.at_ns, f"its last generation has {tokens} tokens, ours {counted}")]
        return [if_it_fits(_timings(poll.at_ns, told))]


def _timings(at_ns: int, told: Object) -> Timings:
    """Seconds; old versions tell only ms a token. How many prompt tokens were reused is not told,
    so neither is how many were processed.
    """
    tokens, per_token_ms = count(told.get("last_token_count")), finite(told.get("last_eval"))
    predicted_ns, how = nanoseconds(told.get("last_eval_time"), _S), dict[str, str]()
    if predicted_ns is None and tokens is not None and per_token_ms is not None:
        predicted_ns, how = nanoseconds(tokens * per_token_ms, _MS), {"decode": _PRODUCT}
    return Timings(
        at_ns,
        prompt_ns=nanoseconds(told.get("last_process_time"), _S) or None,  # work takes time
        predicted_n=tokens,
        predicted_ns=predicted_ns,
        cached_unknown=True,
        final=True,
        source=SOURCE,
        derived=how,
    )


ADAPTER = Adapter(
    "koboldcpp",
    DIALECT,
    request,
    KoboldCppTongue,
    looks=(Look(PERF, "before", keep=_KEEP), Look(PERF, "after", keep=_KEEP)),
)
