"""The `timings` object of llama.cpp, which several servers that build on it or copy it send."""

from __future__ import annotations

from tui.domain.events import Timings
from tui.domain.values import count, finite
from tui.engines.shapes import Object, nanoseconds

_MS, _S = 1e6, 1e9
_TOLD = frozenset(("prompt_n", "cache_n", "prompt_ms", "predicted_n", "predicted_ms"))
_OF_MLX_VLM = "peak_memory"  # llama.cpp has no such key
BY_RATE = "(tokens - 1) by its rate: its predicted_ms is no clock's"


def tells(timings: Object) -> bool:
    """Whether it holds any count or duration; while it writes mlx-vlm sends nothing but a rate."""
    return not _TOLD.isdisjoint(timings)


def timings_of(at_ns: int, timings: Object, *, final: bool) -> Timings:
    """Counts in tokens, durations from ms; `prompt_ms` runs from the slot's start to the first token."""
    predicted_n = count(timings.get("predicted_n"))
    prompt_ns = nanoseconds(timings.get("prompt_ms"), _MS)
    predicted_ns = nanoseconds(timings.get("predicted_ms"), _MS)
    rated = _OF_MLX_VLM in timings
    if rated:
        prompt_ns, predicted_ns = prompt_ns or None, _between_tokens_ns(timings, predicted_n)
    return Timings(
        at_ns,
        prompt_n=count(timings.get("prompt_n")),
        cached_n=count(timings.get("cache_n")),
        prompt_ns=prompt_ns,
        predicted_n=predicted_n,
        predicted_ns=predicted_ns,
        accepted_n=count(timings.get("draft_n_accepted")),
        final=final,
        derived={"decode": BY_RATE} if rated and predicted_ns is not None else {},
    )


def _between_tokens_ns(timings: Object, tokens: int | None) -> int | None:
    """First to last token in mlx-vlm: it divides the tokens after the first by that time, and tells the rate.

    Its `predicted_ms` is all tokens by this rate, one gap too long. Drafts come several at once: none.
    """
    rate = finite(timings.get("predicted_per_second"))
    if not rate or rate < 0 or not tokens or tokens < 2 or timings.get("draft_kind"):
        return None
    return nanoseconds((tokens - 1) / rate, _S)
