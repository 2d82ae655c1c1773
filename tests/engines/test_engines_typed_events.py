"""Replies of `/v1/responses` and `/v1/messages`: events with a type, and whole ones."""

from __future__ import annotations

import json

import pytest

from tests.engines.seen import MS, run
from tui.domain.view import View
from tui.domain.wire import End, Meta, Note, Read, Record

USAGE = {
    "input_tokens": 50, "output_tokens": 11, "input_tokens_details": {"cached_tokens": 0},
    "output_tokens_details": {"reasoning_tokens": 4},
}  # fmt: skip
COUNTED = {"input_tokens": 50, "output_tokens": 11}


def event(name: str, **body: object) -> bytes:
    return f"event: {name}\ndata: {json.dumps({'type': name} | body)}\n\n".encode()


def ended(name: str = "response.completed", **response: object) -> bytes:
    return event(name, response={"status": name.rpartition(".")[2], "usage": USAGE} | response)


def shown(*reads: tuple[int, bytes], kind: str = "text/event-stream") -> View:
    meta = Meta({"engine": "openai", "status": 200, "request": {"path": "/v1/responses"}})
    head = Note(reads[0][0] * MS, "head", {"status": 200, "headers": [["content-type", kind]]})
    records: list[Record] = [meta, Note(0, "sent"), head, *(Read(at * MS, data) for at, data in reads)]
    view, _ = run([*records, End((reads[-1][0] + 1) * MS, "eof")])
    return view


def test_a_response_counts_its_thinking() -> None:
    view = shown(
        (300, event("response.reasoning_text.delta", delta="hm")),
        (500, event("response.output_text.delta", delta="A")),
        (800, event("response.output_text.delta", delta="b")),
        (810, ended()),
    )
    assert (view.ttft.number, view.first_answer.number, view.reasoning_tokens) == (0.3, 0.5, 4)
    assert view.decode.number == pytest.approx(20) and not view.decode.reliable
    assert (view.cached_tokens, view.finish_reason, view.complete) == (0, "completed", True)


def test_the_name_of_a_call_is_its_first_token() -> None:
    view = shown(
        (
            300,
            event("response.output_item.added", output_index=1, item={"type": "function_call", "name": "f"}),
        ),
        (800, event("response.function_call_arguments.delta", output_index=1, delta="{}")),
        (810, ended()),
    )
    assert view.ttft.number == 0.3 and not view.first_answer.known
    assert [(tool.name, tool.arguments) for tool in view.tools] == [("f", "{}")]


def test_a_refusal_is_text() -> None:
    view = shown((300, event("response.refusal.delta", delta="No.")), (310, ended()))
    assert (str(view.answer), view.ttft.number) == ("No.", 0.3)


@pytest.mark.parametrize(
    "last",
    [
        ended("response.failed", error={"code": "server_error", "message": "it crashed"}),
        ended(status="failed", error={"message": "it crashed"}),
        event("error", code="x", message="it crashed"),
    ],
)
def test_a_response_that_failed_is_a_failure(last: bytes) -> None:
    view = shown((300, event("response.output_text.delta", delta="A")), (500, last))
    assert view.failure is not None and view.failure.kind.value == "engine_error"
    assert "it crashed" in view.failure.message and not view.complete and str(view.answer) == "A"


WHOLE: dict[str, dict[str, object]] = {
    "message": {
        "type": "message",
        "content": [
            {"type": "thinking", "thinking": "hm"},
            {"type": "text", "text": "Yes"},
            {"type": "tool_use", "name": "f", "input": {}},
        ],
        "stop_reason": "end_turn",
        "usage": COUNTED,
    },
    "response": {
        "object": "response",
        "status": "completed",
        "error": None,
        "output": [
            {"type": "reasoning", "summary": [{"type": "summary_text", "text": "hm"}]},
            {"type": "message", "content": [{"type": "output_text", "text": "Yes"}]},
            {"type": "function_call", "name": "f", "arguments": "{}"},
        ],
        "usage": USAGE,
    },
}


@pytest.mark.parametrize("kind", list(WHOLE))
def test_a_whole_reply_is_read_and_said_to_be_one(kind: str) -> None:
    view = shown((900, json.dumps(WHOLE[kind]).encode()), kind="application/json")
    assert (str(view.answer), str(view.reasoning), view.tokens) == ("Yes", "hm", 11)
    assert [(tool.name, tool.arguments) for tool in view.tools] == [("f", "{}")]
    assert view.complete and set(view.warnings) == {"not_streamed"} and not view.decode.known


def test_what_is_new_in_the_cache_is_prompt_too() -> None:
    usage = {"input_tokens": 5, "cache_read_input_tokens": 20, "cache_creation_input_tokens": 75}
    view = shown(
        (100, event("message_start", message={"usage": usage | {"output_tokens": 1}})),
        (300, event("content_block_delta", index=0, delta={"type": "text_delta", "text": "A"})),
        (800, event("content_block_delta", index=0, delta={"type": "text_delta", "text": "b"})),
        (810, event("message_delta", delta={"stop_reason": "end_turn"}, usage={"output_tokens": 11})),
        (820, event("message_stop")),
    )
    assert (view.prompt_tokens, view.cached_tokens, view.tokens) == (100, 20, 11)
    assert view.decode.number == pytest.approx(20)
    assert not view.decode.reliable, "the end token may be one of them, whatever the reason is called"
