"""Messages that carry a `type`: Anthropic's `/v1/messages` and OpenAI's `/v1/responses`."""

from __future__ import annotations

from tui.domain.events import Done, Event, Finish, Generated, Timings, ToolDelta, Usage
from tui.domain.values import count
from tui.engines.llama_timings import timings_of
from tui.engines.shapes import Object, mapping, text


def typed_event(at_ns: int, body: Object) -> list[Event]:
    """The events of one such message; types that carry nothing we show give none."""
    delta = body.get("delta")
    match body.get("type"):
        case "content_block_start":
            block = mapping(body.get("content_block"))
            name = text(block.get("name")) if block.get("type") == "tool_use" else ""
            return _tool(at_ns, body.get("index"), name=name)
        case "content_block_delta":
            return _block_delta(at_ns, body.get("index"), mapping(delta))
        case "message_start":
            return _usage(at_ns, mapping(mapping(body.get("message")).get("usage")))
        case "message_delta":
            reason = text(mapping(delta).get("stop_reason"))
            finish: list[Event] = [Finish(at_ns, reason)] if reason else []
            return finish + _usage(at_ns, mapping(body.get("usage")))
        case "message_stop":
            return [Done(at_ns)]
        case "response.output_text.delta":
            return [Generated(at_ns, answer=text(delta))] if text(delta) else []
        case "response.reasoning_text.delta" | "response.reasoning_summary_text.delta":
            return [Generated(at_ns, reasoning=text(delta))] if text(delta) else []
        case "response.function_call_arguments.delta":
            return _tool(at_ns, body.get("output_index"), arguments=text(delta))
        case "response.completed" | "response.incomplete":
            return _response_end(at_ns, body)
        case _:
            return []


def _block_delta(at_ns: int, index: object, delta: Object) -> list[Event]:
    if delta.get("type") == "input_json_delta":
        return _tool(at_ns, index, arguments=text(delta.get("partial_json")))
    answer, reasoning = text(delta.get("text")), text(delta.get("thinking"))
    return [Generated(at_ns, answer, reasoning)] if answer or reasoning else []


def _tool(at_ns: int, index: object, *, name: str = "", arguments: str = "") -> list[Event]:
    if not (name or arguments):
        return []
    return [Generated(at_ns, tools=(ToolDelta(count(index) or 0, name, arguments),))]


def _usage(at_ns: int, usage: Object) -> list[Event]:
    """Anthropic's `input_tokens` leaves the cached ones out; the prompt is the sum of both."""
    cached = count(usage.get("cache_read_input_tokens"))
    fresh = count(usage.get("input_tokens"))
    prompt = None if fresh is None else fresh + (cached or 0)
    completion = count(usage.get("output_tokens"))
    if prompt is None and completion is None:
        return []
    return [Usage(at_ns, prompt, completion, cached)]


def _response_end(at_ns: int, body: Object) -> list[Event]:
    response = mapping(body.get("response"))
    usage = mapping(response.get("usage"))
    cached = count(mapping(usage.get("input_tokens_details")).get("cached_tokens"))
    events: list[Event] = [
        Usage(at_ns, count(usage.get("input_tokens")), count(usage.get("output_tokens")), cached)
    ]
    timings = mapping(body.get("timings"))
    told: list[Timings] = [timings_of(at_ns, timings, final=True)] if timings else []
    reason = text(mapping(response.get("incomplete_details")).get("reason")) or text(response.get("status"))
    return [*events, *told, Finish(at_ns, reason or "completed"), Done(at_ns)]
