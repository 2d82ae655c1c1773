"""exo: prefill progress and the speed of the prefill come in comments of the stream."""

from __future__ import annotations

from tui.domain.events import Dialect, Event, Progress, Timings
from tui.domain.values import count, finite
from tui.engines.base import Adapter
from tui.engines.openai import OpenAiTongue, request
from tui.engines.shapes import Object, mapping, nanoseconds, parsed_or_none

DIALECT = Dialect("exo")
_S = 1e9


class ExoTongue(OpenAiTongue):
    """The OpenAI dialect with comments `prefill_progress {…}` and, at the end, `generation_stats {…}`."""

    def __init__(self) -> None:
        super().__init__(DIALECT)

    def comment(self, at_ns: int, words: str) -> list[Event]:
        """A progress report or the statistics; anything else only shows that it lives."""
        name, _, rest = words.strip().partition(" ")
        told = mapping(parsed_or_none(rest)) if rest else {}
        match name:
            case "prefill_progress":
                return _progress(at_ns, told)
            case "generation_stats":
                return _statistics(at_ns, told)
            case _:
                return []


def _progress(at_ns: int, told: Object) -> list[Event]:
    """What the prefix cache holds is in neither number."""
    processed, total = count(told.get("processed_tokens")), count(told.get("total_tokens"))
    if processed is None or not total or processed > total:
        return []
    return [Progress(at_ns, total, 0, processed, None, whole=False)]


def _statistics(at_ns: int, told: Object) -> list[Event]:
    """Its duration is prompt tokens / tokens per second; not known where some of them were in the cache.

    Its speed of generation is not used: tokens at the socket tell that better.
    """
    tokens, speed = count(told.get("prompt_tokens")), finite(told.get("prompt_tps"))
    if told.get("prefix_cache_hit") != "none" or not tokens or speed is None or speed <= 0:
        return []
    prompt_ns = nanoseconds(tokens / speed, _S)
    how = {"prefill": "its prompt tokens by its tokens per second"}
    return [Timings(at_ns, prompt_n=tokens, cached_n=0, prompt_ns=prompt_ns, final=True, derived=how)]


ADAPTER = Adapter("exo", DIALECT, request, ExoTongue)
