"""The `timings` object of llama.cpp, which several servers that build on it hand on."""

from __future__ import annotations

from tui.domain.events import Timings
from tui.domain.values import count
from tui.engines.shapes import Object, nanoseconds

_MS = 1e6


def timings_of(at_ns: int, timings: Object, *, final: bool) -> Timings:
    """Counts in tokens, durations from ms; `prompt_ms` runs from the slot's start to the first token."""
    return Timings(
        at_ns,
        prompt_n=count(timings.get("prompt_n")),
        cached_n=count(timings.get("cache_n")),
        prompt_ns=nanoseconds(timings.get("prompt_ms"), _MS),
        predicted_n=count(timings.get("predicted_n")),
        predicted_ns=nanoseconds(timings.get("predicted_ms"), _MS),
        accepted_n=count(timings.get("draft_n_accepted")),
        final=final,
    )
