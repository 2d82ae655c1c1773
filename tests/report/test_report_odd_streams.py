"""Streams that no engine should send and some do: each gives what is true of it, and nothing else."""

from __future__ import annotations

import base64
import gzip
import io
import json
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from tui.report.again import tell

Sent = tuple[float, str | bytes]
DONE = "data: [DONE]\n\n"


def chunk(delta: dict[str, Any] | None = None, finish: str | None = None, **top: object) -> str:
    choice = {"index": 0, "delta": delta or {}, "finish_reason": finish}
    return f"data: {json.dumps({'choices': [choice]} | top)}\n\n"


def text(words: str, count: int | None = None, finish: str | None = None) -> str:
    usage = {} if count is None else {"usage": {"prompt_tokens": 5, "completion_tokens": count}}
    return chunk({"content": words}, finish, **usage)


def total(count: object, **more: object) -> str:
    return chunk(choices=[], usage={"prompt_tokens": 5, "completion_tokens": count} | more)


def tool(at: int | None, call_id: str, name: str, arguments: object = "") -> str:
    told = {"index": at, "id": call_id, "function": {"name": name or None, "arguments": arguments}}
    return chunk({"tool_calls": [told]})


AB = [(0.3, text("a")), (0.5, text("b"))]
END = (0.6, chunk(finish="length") + total(5) + DONE)
COUNTED = [(0.3, text("a", 1)), (0.4, text("b", 2))]
IN_CHOICE = chunk(choices=[{"usage": {"completion_tokens": 5}}], usage={"completion_tokens": None})
GONE: dict[str, Any] = {"error": {"message": "gone"}}
WELL = {
    "answer_text": "ab",
    "ttft_s": 0.3,
    "tokens": 5,
    "decode_tok_s": 20.0,
    "complete": True,
    "error": None,
}


def run(reads: Sequence[Sent], tmp_path: Path, end: str = "eof", **meta: Any) -> dict[str, Any]:
    """The run object of a case made of these reads."""
    first = {
        "case": "odd",
        "engine": "openai-compat",
        "request": {"method": "POST", "path": "/v1/chat/completions", "body": meta.pop("body", {})},
        "status": 200,
        "response_headers": [["content-type", "text/event-stream"]],
    }
    lines: list[dict[str, object]] = [{"meta": first | meta}]
    for at, data in reads:
        packed = isinstance(data, bytes)
        told = base64.b64encode(data).decode() if isinstance(data, bytes) else data
        lines.append({"t": at, "b64" if packed else "b": told})
    lines.append({"t": reads[-1][0] + 0.1, "end": end})
    file = tmp_path / "odd.jsonl"
    file.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="ascii")
    out = io.StringIO()
    tell(file, True, out, io.StringIO())
    told_run: dict[str, Any] = json.loads(out.getvalue())
    return told_run


def holds(got: dict[str, Any], wanted: dict[str, Any]) -> None:
    known = {
        key: pytest.approx(want, rel=1e-3) if isinstance(want, float) else want
        for key, want in wanted.items()
    }
    assert {key: got[key] for key in wanted} == known


@pytest.mark.parametrize(
    ("reads", "wanted"),
    [
        # a count that the engine stops to tell is no count of what came after it
        ([*COUNTED, (0.5, text("c")), END], {"tokens": 5, "decode_tok_s": 20.0}),
        ([*COUNTED, (0.5, text("c"))], {"tokens": 2, "decode_tok_s": None}),
        ([*AB, (0.6, total(5)), (0.7, total(None) + DONE)], {"tokens": 5}),
        # counts in two places of one chunk
        ([*AB, (0.6, IN_CHOICE + DONE)], {"tokens": 5, "decode_tok_s": 20.0}),
        ([*AB, (0.6, chunk(choices=[], type="chunk", usage={"completion_tokens": 5}) + DONE)], {"tokens": 5}),
        # five seconds after the finish reason nobody listens any more
        ([*AB, (0.6, chunk(finish="stop")), (5.7, total(5) + DONE)], {"tokens": None, "complete": True}),
        ([*AB, (0.6, chunk(finish="stop")), (5.5, total(5) + DONE)], {"tokens": 5, "complete": True}),
    ],
)
def test_counts(reads: list[Sent], wanted: dict[str, Any], tmp_path: Path) -> None:
    holds(run(reads, tmp_path), wanted)


def test_the_rate_of_several_answers_is_marked(tmp_path: Path) -> None:
    other = chunk(choices=[{"index": 1, "delta": {"content": "z"}}])
    got = run([*AB, (0.55, other), END], tmp_path)
    holds(got, WELL | {"decode_reliable": False, "warnings": ["extra_choices"]})


@pytest.mark.parametrize(
    ("pieces", "wanted"),
    [
        ([tool(0, "x", "f", "{"), tool(0, "x", "f", "}")], [("f", "{}")]),
        ([tool(0, "x", "f", "{}"), tool(0, "y", "g"), tool(0, "", "", "{}")], [("f", "{}"), ("g", "{}")]),
        ([tool(0, "x", "f", "{"), tool(0, "y", "f", "}")], [("f", "{}")]),
        ([tool(0, "x", "f", "{}"), tool(0, "y", "f", "{}")], [("f", "{}"), ("f", "{}")]),
        ([tool(None, "", "f"), tool(None, "", "", "{}"), tool(None, "", "g")], [("f", "{}"), ("g", "")]),
        ([tool(1, "", "g"), tool(0, "", "f", {"k": 1})], [("f", '{"k": 1}'), ("g", "")]),
        (
            [chunk({"function_call": {"name": "f"}}), chunk({"function_call": {"arguments": "{}"}})],
            [("f", "{}")],
        ),
    ],
)
def test_tool_calls_are_joined(pieces: list[str], wanted: list[tuple[str, str]], tmp_path: Path) -> None:
    got = run([*((0.3, piece) for piece in pieces), END], tmp_path)
    assert [(call["name"], call["arguments"]) for call in got["tool_calls"]] == wanted
    assert (got["ttft_s"], got["first_answer_s"]) == (0.3, None)


@pytest.mark.parametrize(
    "delta",
    [
        {"reasoning_content": "r"},
        {"content": "", "reasoning": "r"},
        {"reasoning_details": [{"type": "reasoning.text", "text": "r"}]},
        {"content": [{"type": "thinking", "thinking": [{"type": "text", "text": "r"}]}]},
        {"thinking": "r", "content": None},
    ],
)
def test_reasoning_has_many_names(delta: dict[str, Any], tmp_path: Path) -> None:
    got = run([(0.2, chunk(delta)), *AB, END], tmp_path)
    holds(
        got, {"reasoning_text": "r", "answer_text": "ab", "ttft_s": 0.2, "first_answer_s": 0.3, "chunks": 3}
    )


def test_a_refusal_is_what_the_model_said(tmp_path: Path) -> None:
    got = run([(0.3, chunk({"refusal": "I can"})), (0.5, chunk({"refusal": "not"})), END], tmp_path)
    holds(got, {"answer_text": "I cannot", "ttft_s": 0.3, "chunks": 2})


@pytest.mark.parametrize(
    ("told", "words", "rest"),
    [
        ('event: error\ndata: {"message":"no blocks left","code":500}\n\n' + DONE, "no blocks left", {}),
        ("event: error\ndata: the upstream went away\n\n", "upstream went away", {}),
        ('{"error":{"message":"the worker died"}}\n', "worker died", {}),
        ('error: {"code":500,"message":"shift is off"}\n\n', "shift is off", {}),
        (chunk(choices=[GONE | {"finish_reason": "error"}]), "gone", {"finish_reason": "error"}),
        (chunk({"content": "c"}, "error", **GONE), "gone", {"answer_text": "abc", "finish_reason": "error"}),
    ],
)
def test_errors_amid_the_stream(told: str, words: str, rest: dict[str, Any], tmp_path: Path) -> None:
    got = run([*AB, (0.6, told)], tmp_path)
    assert words in got["error"]["message"] and got["error"]["kind"] == "engine_error"
    holds(got, {"answer_text": "ab", "complete": False, "tokens": None} | rest)


def lines(*events: str) -> str:
    return "".join(events).replace("\n\n", "\n")


GZIP = zlib.compressobj(wbits=31)
PACKED = [(at, GZIP.compress(str(data).encode()) + GZIP.flush(zlib.Z_SYNC_FLUSH)) for at, data in [*AB, END]]
CALLED: dict[str, Any] = {"response_headers": [["content-encoding", "gzip"]]}


@pytest.mark.parametrize(
    ("reads", "meta"),
    [
        ([(0.1, "version: 1\n\n"), *AB, END], {}),
        ([(0.1, "id\nretry: 3\n\n"), *AB, END], {}),
        ([(at, str(data).replace("data: ", "")) for at, data in [*AB, END]], {"response_headers": []}),
        (PACKED, {}),
        (PACKED, CALLED),
        ([*AB, END], CALLED),
        ([*AB, END], {"response_headers": [["content-encoding", "identity, identity"]]}),
    ],
)
def test_a_stream_that_is_not_what_its_head_says(
    reads: list[Sent], meta: dict[str, Any], tmp_path: Path
) -> None:
    holds(run(reads, tmp_path, **meta), WELL)


def test_padding_behind_a_packed_stream_is_nothing(tmp_path: Path) -> None:
    whole = gzip.compress("".join(str(data) for _, data in [*AB, END]).encode())
    holds(
        run([(0.3, whole + bytes(8))], tmp_path, **CALLED), {"answer_text": "ab", "tokens": 5, "error": None}
    )


def test_a_packed_stream_that_is_damaged_amid_is_lost(tmp_path: Path) -> None:
    got = run([*PACKED[:2], (0.6, b"\xff\xff\xff\xff no more")], tmp_path, **CALLED)
    assert got["error"]["kind"] == "connection_lost"
    holds(got, {"answer_text": "ab", "complete": False, "decode_tok_s": None})


def test_events_that_no_blank_line_parts(tmp_path: Path) -> None:
    got = run([(0.5, lines(*(str(data) for _, data in [*AB, END])))], tmp_path, end="hang")
    holds(got, {"answer_text": "ab", "tokens": 5, "complete": True, "warnings": []})


@pytest.mark.parametrize("kind", ["text/plain", "text/event-stream"])
@pytest.mark.parametrize(
    "words", ["rate limit reached", "invalid model", "deployment is gone", "upstream error: 111"]
)
def test_plain_words_are_no_stream(words: str, kind: str, tmp_path: Path) -> None:
    got = run([(0.2, words)], tmp_path, response_headers=[["content-type", kind]])
    assert got["error"]["kind"] == "not_chat_reply" and words in got["error"]["message"]


def test_an_error_reply_may_be_an_event(tmp_path: Path) -> None:
    got = run([(0.2, 'event: error\ndata: {"error":{"message":"out of memory"}}\n\n')], tmp_path, status=500)
    assert got["error"]["message"] == "500: out of memory"


def test_broken_after_the_end_mark(tmp_path: Path) -> None:
    holds(run([*AB, END], tmp_path, end="reset"), WELL | {"warnings": ["closed_uncleanly"]})


def test_a_short_prompt_was_not_cut(tmp_path: Path) -> None:
    asked = {"messages": [{"role": "user", "content": "a" * 900}]}
    assert run([*AB, END], tmp_path, body=asked)["warnings"] == []
    asked = {"messages": [{"role": "user", "content": "a" * 9000}]}
    assert run([*AB, END], tmp_path, body=asked)["warnings"] == ["prompt_truncated_suspected"]


def test_a_native_answer_stopped_by_its_context(tmp_path: Path) -> None:
    def native(words: str, number: int, **more: object) -> str:
        return f"data: {json.dumps({'content': words, 'tokens_predicted': number, 'stop': False} | more)}\n\n"

    last = native("", 5, stop=True, stopped_limit=True, timings={"predicted_n": 5, "predicted_ms": 200.0})
    asked = {"path": "/completion", "body": {"prompt": "Hi", "n_predict": 500}}
    got = run([(0.3, native("a", 1)), (0.5, native("b", 5)), (0.6, last)], tmp_path, request=asked)
    holds(got, WELL | {"finish_reason": "limit", "warnings": ["stopped_by_context"]})
