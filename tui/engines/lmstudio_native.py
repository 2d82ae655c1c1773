"""LM Studio's native chat: named events that open and close the phases, and one last one with the counts."""

from __future__ import annotations

import json

from tui.domain.events import (
    Dialect,
    Done,
    Edge,
    Event,
    FirstSign,
    Generated,
    Learned,
    Progress,
    Timings,
    ToolDelta,
    Usage,
)
from tui.domain.values import count, finite
from tui.engines.failures import engine_error, said
from tui.engines.shapes import Object, items, mapping, nanoseconds, text
from tui.engines.tongue import Tongue

DIALECT = Dialect("lmstudio", names_wait=True)
_S = 1e9
_SHARES = 1000  # progress is told as a share of the prompt, not in tokens


class LmStudioTongue(Tongue):
    """Goes by the event's name: the data of some events is an empty object.

    An error event does not end the stream: the part that was written and its counts still come. The rates
    that the server prints are never taken over, and nothing tells why the answer ended.
    """

    dialect = DIALECT
    errors_end = False

    def __init__(self) -> None:
        self._calls = 0
        self._wrote = False
        self._read = False  # the prompt was read once; rounds after a tool call begin it again

    def message(self, at_ns: int, body: Object, event: str) -> list[Event]:
        """One event; those that only frame others give nothing."""
        match event or text(body.get("type")):
            case "chat.start":
                return _model(at_ns, body)
            case "model_load.start" | "model_load.progress" | "model_load.end" as name:
                return _load(at_ns, name, body)
            case "prompt_processing.start" | "prompt_processing.progress" | "prompt_processing.end" as name:
                return self._prompt(at_ns, name, body)
            case "reasoning.delta":
                return self._delta(at_ns, reasoning=text(body.get("content")))
            case "message.delta":
                return self._delta(at_ns, answer=text(body.get("content")))
            case "tool_call.start" | "tool_call.arguments" as name:
                return self._tool(at_ns, name, body)
            case "error":  # one with an error object is told before it comes here
                return [engine_error(at_ns, said(body) or "an error without a message", str(body).encode())]
            case "chat.end":
                result = mapping(body.get("result"))
                late = [] if self._wrote else _output(at_ns, result)  # no delta came
                return [*late, *_stats(at_ns, result), Done(at_ns)]
            case _:
                return []

    def whole(self, at_ns: int, body: Object) -> list[Event]:
        """A reply that was not streamed: the result that a stream carries at its end."""
        if not items(body.get("output")) and not body.get("stats"):
            return []
        return [*_model(at_ns, body), *_output(at_ns, body), *_stats(at_ns, body)]

    def _delta(self, at_ns: int, answer: str = "", reasoning: str = "") -> list[Event]:
        events = _text(at_ns, answer, reasoning)
        self._wrote = self._wrote or bool(events)
        return events

    def _prompt(self, at_ns: int, name: str, body: Object) -> list[Event]:
        if name == "prompt_processing.start":
            return [Edge(at_ns, "prefill", True, "from prompt_processing.start to prompt_processing.end")]
        if name == "prompt_processing.progress":
            share = finite(body.get("progress"))
            if share is None or self._read:
                return []
            done = round(_SHARES * max(0.0, min(share, 1.0)))
            return [Progress(at_ns, _SHARES, 0, done, None, unit="share")]
        if self._read:  # some models end it twice
            return []
        self._read = True
        return [Edge(at_ns, "prefill", False), FirstSign(at_ns)]

    def _tool(self, at_ns: int, name: str, body: Object) -> list[Event]:
        """A call of a tool that the server runs by itself; its arguments come as one object."""
        if name == "tool_call.start":
            self._calls += 1
            tool = ToolDelta(self._calls - 1, text(body.get("tool")))
        else:
            given = body.get("arguments")
            words = text(given) or json.dumps(mapping(given), ensure_ascii=False)
            tool = ToolDelta(max(0, self._calls - 1), "", text(words))
        return [Generated(at_ns, tools=(tool,))] if tool.name or tool.arguments else []


def _text(at_ns: int, answer: str = "", reasoning: str = "") -> list[Event]:
    return [Generated(at_ns, answer, reasoning)] if answer or reasoning else []


def _output(at_ns: int, result: Object) -> list[Event]:
    """All text of a result."""
    output = [mapping(item) for item in items(result.get("output"))]
    reasoning = "".join(text(item.get("content")) for item in output if item.get("type") == "reasoning")
    answer = "".join(text(item.get("content")) for item in output if item.get("type") == "message")
    return _text(at_ns, answer, reasoning)


def _model(at_ns: int, body: Object) -> list[Event]:
    """The instance that really answers: with one model loaded, the asked name may be passed over."""
    name = text(body.get("model_instance_id"))
    return [Learned(at_ns, {"model": name})] if name else []


def _load(at_ns: int, name: str, body: Object) -> list[Event]:
    """`load_share`: how far the load is, 0 to 1."""
    if name == "model_load.start":
        return [Edge(at_ns, "load", True, "from model_load.start to model_load.end")]
    if name == "model_load.progress":
        share = finite(body.get("progress"))
        return [] if share is None else [Learned(at_ns, {"load_share": max(0.0, min(share, 1.0))})]
    took_ns = nanoseconds(body.get("load_time_seconds"), _S)
    told = [] if took_ns is None else [Timings(at_ns, load_ns=took_ns)]
    return [Edge(at_ns, "load", False), *told]


def _stats(at_ns: int, result: Object) -> list[Event]:
    """Counts, thinking included in the output's; a failed run tells zeros, which count nothing."""
    stats = mapping(result.get("stats"))
    prompt, written = count(stats.get("input_tokens")), count(stats.get("total_output_tokens"))
    if not prompt and not written:
        return []
    events: list[Event] = [
        Usage(at_ns, prompt, written, reasoning=count(stats.get("reasoning_output_tokens")))
    ]
    took_ns = nanoseconds(stats.get("model_load_time_seconds"), _S)
    return events if took_ns is None else [*events, Timings(at_ns, load_ns=took_ns)]
