"""Durations that servers add to the OpenAI dialect: where each puts them, and what it calls them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tui.domain.events import Timings, Usage
from tui.engines.counted import counted
from tui.engines.shapes import Object, mapping, nanoseconds, text

_S, _MS = 1e9, 1e6
_VLLM = frozenset(("time_to_first_token_ms", "generation_time_ms", "queue_time_ms"))  # also behind a front


@dataclass(frozen=True, slots=True)
class Place:
    """The object that holds one server's durations (keys from the chunk's top), all in seconds.

    queue: several waits are added up.
    """

    path: tuple[str, ...]
    prompt: str
    decode: str
    total: str = ""
    load: str = ""
    tokenize: str = ""
    queue: tuple[str, ...] = ()


_GROQ = ("prompt_time", "completion_time", "total_time")
PLACES = (
    Place(("x_groq", "usage"), *_GROQ, queue=("queue_time",)),
    Place(("time_info",), *_GROQ, queue=("queue_time",)),  # Cerebras
    Place(
        ("perf_metrics",),  # Fireworks: strings
        "prefill-duration",
        "generation-duration",
        "server-processing-time",
        tokenize="tokenizer-duration",
        queue=("tokenizer-queue-duration", "prefill-queue-duration", "generation-queue-duration"),
    ),
    Place(  # oMLX
        ("usage",), "prompt_eval_duration", "generation_duration", "total_time", "model_load_duration"
    ),
    Place(("usage",), "total_prompt_time_sec", "total_completion_time_sec", "total_time_sec"),  # mistral.rs
    Place(("usage",), *_GROQ, queue=("queue_time",)),  # TabbyAPI, and Groq's own usage
)
_TOPS = frozenset(place.path[0] for place in PLACES)


def extra_timings(at_ns: int, body: Object, usage: Usage | None) -> Timings | None:
    """The durations in one chunk by the first place that holds any; None when there are none.

    Rates that a server prints are never used: only counts and durations.
    """
    metrics = mapping(body.get("metrics"))
    if not _VLLM.isdisjoint(metrics):
        return counted(vllm_timings(at_ns, metrics), usage)
    if _TOPS.isdisjoint(body):  # as in nearly every chunk
        return None
    for place in PLACES:
        told = body
        for key in place.path:
            told = mapping(told.get(key))
        if not told:
            continue
        prompt_ns, predicted_ns = _worked_ns(told, place.prompt), _worked_ns(told, place.decode)
        if prompt_ns is not None or predicted_ns is not None:
            timings = Timings(
                at_ns,
                prompt_ns=prompt_ns,
                predicted_ns=predicted_ns,
                load_ns=_ns(told, place.load),
                queue_ns=_sum_ns(told, place.queue),
                tokenize_ns=_ns(told, place.tokenize),
                total_ns=_ns(told, place.total),
                final=True,
            )
            return counted(timings, usage)
    return None


def vllm_timings(at_ns: int, metrics: Object) -> Timings:
    """vLLM's `metrics`, in ms; its time to the first token counts from the first scheduling: the prefill."""
    return Timings(
        at_ns,
        prompt_ns=nanoseconds(metrics.get("time_to_first_token_ms"), _MS),
        predicted_ns=nanoseconds(metrics.get("generation_time_ms"), _MS),
        queue_ns=nanoseconds(metrics.get("queue_time_ms"), _MS),
        final=True,
    )


def _worked_ns(told: Object, key: str) -> int | None:
    """Work takes time: what was rounded to 0 is not known."""
    return _ns(told, key) or None


def _ns(told: Object, key: str) -> int | None:
    value = told.get(key)
    if isinstance(value, str):
        try:
            value = float(text(value))
        except ValueError:
            return None
    return nanoseconds(value, _S)


def _sum_ns(told: Object, keys: Sequence[str]) -> int | None:
    known = [ns for key in keys if (ns := _ns(told, key)) is not None]
    return sum(known) if known else None
