"""Messages that carry a `type`: Anthropic's `/v1/messages` and OpenAI's `/v1/responses`."""

from __future__ import annotations

import json

from tui.domain.events import Done, Event, Finish, Generated, Timings, ToolDelta, Usage
from tui.domain.values import count
from tui.engines.failures import engine_error, said
from tui.engines.llama_timings import timings_of
from tui.engines.shapes import Object, items, mapping, text


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
        case "response.output_text.delta" | "response.refusal.delta":
            return [Generated(at_ns, answer=text(delta))] if text(delta) else []
        case "response.reasoning_text.delta" | "response.reasoning_summary_text.delta":
            return [Generated(at_ns, reasoning=text(delta))] if text(delta) else []
        case "response.output_item.added":
            item = mapping(body.get("item"))
            name = text(item.get("name")) if item.get("type") == "function_call" else ""
            return _tool(at_ns, body.get("output_index"), name=name)
        case "response.function_call_arguments.delta":
            return _tool(at_ns, body.get("output_index"), arguments=text(delta))
        case "response.completed" | "response.incomplete" | "response.failed":
            return _response_end(at_ns, mapping(body.get("response")), mapping(body.get("timings")))
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
    """Anthropic's `input_tokens` leaves out what was reused and what is new in the cache; both are prompt."""
    cached = count(usage.get("cache_read_input_tokens"))
    fresh = count(usage.get("input_tokens"))
    kept = count(usage.get("cache_creation_input_tokens")) or 0
    prompt = None if fresh is None else fresh + (cached or 0) + kept
    completion = count(usage.get("output_tokens"))
    if prompt is None and completion is None:
        return []
    return [Usage(at_ns, prompt, completion, cached)]


def _response_end(at_ns: int, response: Object, timings: Object) -> list[Event]:
    told: list[Timings] = [timings_of(at_ns, timings, final=True)] if timings else []
    events: list[Event] = [*_response_usage(at_ns, mapping(response.get("usage"))), *told]
    status = text(response.get("status"))
    if status == "failed" or response.get("error"):
        why = said(response.get("error")) or "the generation failed"
        return [*events, engine_error(at_ns, why, json.dumps(response.get("error")).encode())]
    reason = text(mapping(response.get("incomplete_details")).get("reason")) or status
    return [*events, Finish(at_ns, reason or "completed"), Done(at_ns)]


def _response_usage(at_ns: int, usage: Object) -> list[Event]:
    cached = count(mapping(usage.get("input_tokens_details")).get("cached_tokens"))
    thought = count(mapping(usage.get("output_tokens_details")).get("reasoning_tokens"))
    prompt, completion = count(usage.get("input_tokens")), count(usage.get("output_tokens"))
    return [Usage(at_ns, prompt, completion, cached, thought)]


def typed_whole(at_ns: int, body: Object) -> list[Event]:
    """The events of such a reply that was not streamed; none when it is neither of the two."""
    if body.get("type") == "message" and isinstance(body.get("content"), list):
        reason = text(body.get("stop_reason"))
        finish: list[Event] = [Finish(at_ns, reason)] if reason else []
        return [*_blocks(at_ns, items(body["content"])), *finish, *_usage(at_ns, mapping(body.get("usage")))]
    if body.get("object") == "response" and isinstance(body.get("output"), list):
        told = _blocks(at_ns, items(body["output"]))
        return [*told, *_response_end(at_ns, body, mapping(body.get("timings")))]
    return []


def _blocks(at_ns: int, blocks: list[object]) -> list[Event]:
    """All output as one message: pieces of text and of thinking, and calls of tools."""
    answer, thought, tools = list[str](), list[str](), list[ToolDelta]()
    for block in map(mapping, blocks):
        match block.get("type"):
            case "text":
                answer.append(text(block.get("text")))
            case "thinking":
                thought.append(text(block.get("thinking")))
            case "message":
                answer += (_words(piece) for piece in items(block.get("content")))
            case "reasoning":
                thought += (
                    _words(piece) for key in ("content", "summary") for piece in items(block.get(key))
                )
            case "tool_use":
                given = json.dumps(mapping(block.get("input")), ensure_ascii=False)
                tools.append(ToolDelta(len(tools), text(block.get("name")), text(given)))
            case "function_call":
                tools.append(ToolDelta(len(tools), text(block.get("name")), text(block.get("arguments"))))
    generated = Generated(at_ns, "".join(answer), "".join(thought), tuple(tools))
    return [generated] if generated.answer or generated.reasoning or generated.tools else []


def _words(piece: object) -> str:
    return text(mapping(piece).get("text")) or text(mapping(piece).get("refusal"))
