"""The engine's own account of a request: its counts and durations, taken into the state as they are told."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from operator import attrgetter

from tui.domain.events import Timings, Usage
from tui.domain.finish import BY_END_TOKEN
from tui.domain.state import State

_TOLD = (
    "prompt_n",
    "cached_n",
    "prompt_ns",
    "predicted_n",
    "predicted_ns",
    "accepted_n",
    "load_ns",
    "queue_ns",
    "tokenize_ns",
    "total_ns",
)
_told = attrgetter(*_TOLD)


def take_usage(state: State, event: Usage) -> None:
    """Take over the counts that are told; what is left out stays as it was."""
    state.prompt_tokens = event.prompt if event.prompt is not None else state.prompt_tokens
    if event.completion is not None:
        state.completion_tokens, state.counted_chunks = event.completion, state.chunks
    state.cached_tokens = event.cached if event.cached is not None else state.cached_tokens
    state.reasoning_tokens = event.reasoning if event.reasoning is not None else state.reasoning_tokens


def take_timings(state: State, event: Timings) -> None:
    """Take over what is told; the decode clock is anchored where its newest token was told."""
    old, arrivals = state.timings, state.arrivals
    if event.predicted_n is not None:
        state.counted_chunks = state.chunks
    if event.predicted_ns is not None and arrivals and event.predicted_n == arrivals.tokens[-1]:
        state.hitches.clock(len(arrivals) - 1, event.predicted_ns)
    grown = event.predicted_n is not None and event.predicted_n > ((old.predicted_n if old else None) or 0)
    if grown:
        alone = event.final and (old is None or not old.predicted_n)
        if alone and state.last_ns is not None and state.finish_reason not in BY_END_TOKEN:
            state.anchor_ns = state.last_ns
        else:
            # the end token has no text: it was sampled when the finish event left
            state.anchor_ns = state.finish_ns if event.final and state.finish_ns is not None else event.at_ns
    elif state.anchor_ns is None and event.final:
        state.anchor_ns = state.finish_ns if state.finish_ns is not None else event.at_ns
    if old is None or not any([new is None and known is not None for new, known in _pairs(event, old)]):
        state.timings = event if old is None or not old.final else replace(event, final=True)
        return
    told = {name: value for name in _TOLD if (value := getattr(event, name)) is not None}
    if old.predicted_n is not None and event.predicted_n not in (None, old.predicted_n):
        told.setdefault("predicted_ns", None)  # the duration of other tokens is not theirs
    state.timings = replace(
        old,
        at_ns=event.at_ns,
        cached_unknown=event.cached_unknown,
        final=old.final or event.final,
        source=event.source or old.source,
        derived=event.derived or old.derived,
        waits=event.waits or old.waits,
        **told,
    )


def _pairs(new: Timings, old: Timings) -> Iterable[tuple[int | None, int | None]]:
    return zip(_told(new), _told(old), strict=True)
