"""Ollama's own API: JSON lines of `/api/chat` and `/api/generate`, with durations on the last one."""

from __future__ import annotations

import json

from tui.domain.events import Dialect, Done, Event, Finish, Generated, Timings, ToolDelta, Usage
from tui.domain.values import count
from tui.engines.shapes import Object, items, mapping, nanoseconds, text
from tui.engines.tongue import Tongue

DIALECT = Dialect("ollama")
_LOADED_NS = 1_000_000_000  # a longer load_duration means that the model was just loaded: nothing is cached


class OllamaTongue(Tongue):
    """One record per piece of text; the record with `done: true` ends the stream and carries the counts."""

    json_lines = True
    dialect = DIALECT

    def __init__(self) -> None:
        self._calls = 0

    def message(self, at_ns: int, body: Object, event: str) -> list[Event]:
        """One record; the last one may carry text or tool calls too."""
        events = self._generated(at_ns, body)
        if body.get("done") is True:
            events += _metrics(at_ns, body)
            reason = text(body.get("done_reason"))
            if reason:
                events.append(Finish(at_ns, reason))
            events.append(Done(at_ns))
        return events

    def _generated(self, at_ns: int, body: Object) -> list[Event]:
        message = mapping(body.get("message"))
        answer = text(message.get("content")) or text(body.get("response"))
        reasoning = text(message.get("thinking")) or text(body.get("thinking"))
        calls = items(message.get("tool_calls")) or items(body.get("tool_calls"))
        tools = tuple(self._tool(mapping(mapping(call).get("function"))) for call in calls)
        return [Generated(at_ns, answer, reasoning, tools)] if answer or reasoning or tools else []

    def _tool(self, function: Object) -> ToolDelta:
        """A whole call; its arguments are an object here and a string everywhere else."""
        arguments = function.get("arguments")
        index = self._calls
        self._calls += 1
        words = text(arguments) or text(json.dumps(mapping(arguments), ensure_ascii=False))
        return ToolDelta(index, text(function.get("name")), words)


def _metrics(at_ns: int, body: Object) -> list[Event]:
    """Counts and durations (ns) of the last record. Ollama leaves out what is zero.

    What `prompt_eval_count` counts changed twice: with `prompt_eval_cached_count` beside it, it is the whole
    prompt; without, it may or may not hold reused tokens, unless the model was loaded for this very request.
    Emulators of this API send durations of 0 or 1, which are no measurements.
    """
    total = count(body.get("prompt_eval_count"))
    cached = count(body.get("prompt_eval_cached_count"))
    predicted = count(body.get("eval_count"))
    load_ns = _duration(body.get("load_duration"))
    just_loaded = load_ns is not None and load_ns > _LOADED_NS
    processed = total if total is None or cached is None else max(0, total - cached)
    timings = Timings(
        at_ns,
        prompt_n=processed,
        cached_n=cached,
        prompt_ns=_duration(body.get("prompt_eval_duration")),
        predicted_n=predicted,
        predicted_ns=_duration(body.get("eval_duration")),
        load_ns=load_ns,
        total_ns=_duration(body.get("total_duration")),
        cached_unknown=cached is None and not just_loaded,
        final=True,
    )
    return [Usage(at_ns, total, predicted, cached), timings]


def _duration(value: object) -> int | None:
    whole_ns = nanoseconds(value, 1)
    return whole_ns if whole_ns is not None and whole_ns > 1 else None
