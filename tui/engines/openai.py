"""The OpenAI-compatible dialect: what the chunks of a chat or completion stream mean."""

from __future__ import annotations

from dataclasses import replace

from tui.domain.events import Dialect, Event, Finish, Oddity, Timings, Usage
from tui.domain.values import count
from tui.engines.base import Adapter, Plan, Request
from tui.engines.counted import counted
from tui.engines.extras import extra_timings
from tui.engines.failures import engine_error, told_error
from tui.engines.generated import Parts
from tui.engines.llama_timings import tells, timings_of
from tui.engines.shapes import Object, items, mapping, text
from tui.engines.tongue import Tongue
from tui.engines.typed_events import typed_event, typed_whole

DIALECT = Dialect("openai")
PATH = "/v1/chat/completions"
_BROKEN = "error"  # a finish reason of LMDeploy and OpenRouter; an answer that was aborted is another thing


def chat_body(plan: Plan) -> dict[str, object]:
    """The standard fields of a streamed chat request; what the plan leaves open is left to the engine."""
    asked: dict[str, object] = {
        "model": plan.model,
        "messages": [{"role": turn.role, "content": turn.content} for turn in plan.turns],
        "stream": True,
        "stream_options": {"include_usage": True},
        "max_tokens": plan.max_tokens,
        "temperature": plan.temperature,
        "seed": plan.seed,
    }
    return {key: value for key, value in asked.items() if value not in (None, "")}


def on_and_on(plan: Plan) -> dict[str, object]:
    """What makes an engine that knows the field write up to the limit; it is no standard one."""
    return {"ignore_eos": True} if plan.ignore_eos else {}


def request(plan: Plan) -> Request:
    """The chat request, with nothing beyond the standard."""
    return Request(PATH, chat_body(plan))


class OpenAiTongue(Tongue):
    """Chat chunks, completion chunks and whole replies; timing fields that some engines add are read too."""

    def __init__(self, dialect: Dialect = DIALECT) -> None:
        self.dialect = dialect
        self._usage: Usage | None = None
        self._extra: Timings | None = None
        self._parts = Parts()

    @property
    def usage(self) -> Usage | None:
        """The newest counts that were told."""
        return self._usage

    def message(self, at_ns: int, body: Object, event: str) -> list[Event]:
        """One chunk: text, tool calls, finish reason, usage, timings."""
        choices = items(body.get("choices"))
        if body.get("choices") is None and isinstance(body.get("type"), str):
            return typed_event(at_ns, body)
        return self._chunk(at_ns, body, choices, "delta")

    def whole(self, at_ns: int, body: Object) -> list[Event]:
        """A reply that was not streamed: it has `message` in place of `delta`."""
        choices = items(body.get("choices"))
        return self._chunk(at_ns, body, choices, "message") if choices else typed_whole(at_ns, body)

    def _chunk(self, at_ns: int, body: Object, choices: list[object], part: str) -> list[Event]:
        choice = _first(choices)
        reason = text(choice.get("finish_reason"))
        usage = self._told_usage(at_ns, _usage_in(body, choice))
        told = mapping(body.get("timings"))
        timings = timings_of(at_ns, told, final=bool(reason) or not choices) if tells(told) else None
        running = timings.predicted_n if timings else None
        if running is None and usage is not None:
            running = usage.completion
        events: list[Event] = []
        generated = self._parts.generated(at_ns, choice, mapping(choice.get(part)), running or None)
        if generated:
            events.append(generated)
        if len(choices) > 1 or (choices and mapping(choices[0]).get("index")):
            events.append(Oddity(at_ns, "extra_choices", "several answers came; the first is shown"))
        if reason:
            events.append(Finish(at_ns, reason))
        if usage:
            events.append(usage)
        if timings and "prompt_progress" not in body:
            events.append(timings)
        elif not timings and (extra := self._extra_timings(at_ns, body, usage)):
            events.append(extra)
        if reason == _BROKEN or choice.get("error"):
            why = told_error(choice) or "the generation failed"
            events.append(engine_error(at_ns, why, reason.encode()))
        return events

    def _extra_timings(self, at_ns: int, body: Object, usage: Usage | None) -> Timings | None:
        """Durations in this chunk, or earlier ones whose counts come only now."""
        told = extra_timings(at_ns, body, self._usage)
        if told is None and self._extra is not None and usage is not None:
            told = counted(replace(self._extra, at_ns=at_ns), usage)
        self._extra = told or self._extra
        return told

    def _told_usage(self, at_ns: int, usage: Object) -> Usage | None:
        if not usage:
            return None
        prompt_details = mapping(usage.get("prompt_tokens_details"))
        completion_details = mapping(usage.get("completion_tokens_details"))
        reasoning = count(completion_details.get("reasoning_tokens"))
        told = Usage(
            at_ns,
            prompt=count(usage.get("prompt_tokens")),
            completion=count(usage.get("completion_tokens")),
            cached=_first_count(
                prompt_details.get("cached_tokens"),
                usage.get("cached_tokens"),
                usage.get("prompt_cache_hit_tokens"),  # DeepSeek
            ),
            reasoning=count(usage.get("reasoning_tokens")) if reasoning is None else reasoning,
        )
        self._usage = _newest(self._usage, told)
        return told


def _first(choices: list[object]) -> Object:
    """The choice with index 0 or none; the others are answers that nobody asked for."""
    for entry in choices:
        choice = mapping(entry)
        if not choice.get("index"):
            return choice
    return {}


def _first_count(*values: object) -> int | None:
    return next((number for value in values if (number := count(value)) is not None), None)


def _usage_in(body: Object, choice: Object) -> Object:
    """The counts of one chunk, wherever they stand in it; null equals absent."""
    if "usage" not in body and "usage" not in choice and "x_groq" not in body:  # as in nearly every chunk
        return {}
    places = (body.get("usage"), choice.get("usage"), mapping(body.get("x_groq")).get("usage"))
    told = [usage for place in places if (usage := mapping(place))]
    if len(told) < 2:
        return told[0] if told else {}
    return {key: value for usage in reversed(told) for key, value in usage.items() if value is not None}


def _newest(old: Usage | None, new: Usage) -> Usage:
    """`new`, with older counts where it tells none."""
    if old is None:
        return new
    return Usage(
        new.at_ns,
        old.prompt if new.prompt is None else new.prompt,
        old.completion if new.completion is None else new.completion,
        old.cached if new.cached is None else new.cached,
        old.reasoning if new.reasoning is None else new.reasoning,
    )


ADAPTER = Adapter("openai", DIALECT, request, OpenAiTongue)
