"""What messages mean where no case or capture shows it, and what is asked of an engine."""

import json

import pytest

from tui.domain.events import (
    Done,
    Ended,
    Event,
    Failed,
    Finish,
    Generated,
    Head,
    Learned,
    Oddity,
    SlotsSeen,
    Timings,
    TokenizeProbed,
    ToolDelta,
    Usage,
)
from tui.domain.wire import End, Meta, Note, Poll, Read
from tui.engines.base import Plan, Turn
from tui.engines.llamacpp import LlamaCppTongue
from tui.engines.ollama import OllamaTongue
from tui.engines.openai import OpenAiTongue
from tui.engines.registry import adapter, decoder_for

PLAN = Plan("m", (Turn("system", "s"), Turn("user", "u")), max_tokens=8, seed=3)


def chunk(**delta: object) -> dict[str, object]:
    return {"choices": [{"index": 0, "delta": delta}]}


def stream(
    *bodies: object, end: str = "eof", engine: str = "openai", path: str = "/v1/chat/completions"
) -> list[Event]:
    """The events of an event stream of these bodies, without what the client did."""
    decoder = decoder_for({"engine": engine, "request": {"path": path}})
    decoder.decode(Meta({"status": 200}))
    data = b"".join(
        b"data: " + (b if isinstance(b, bytes) else json.dumps(b).encode()) + b"\n\n" for b in bodies
    )
    return [*decoder.decode(Read(5, data))[2:], *decoder.decode(End(9, end))]


def test_text_of_a_stream_that_ends_well() -> None:
    finish = {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}
    assert stream(chunk(content="a"), finish, b"[DONE]", chunk(content="late")) == [
        Generated(5, "a"),
        Finish(5, "stop"),
        Done(5),
        Ended(9, "eof"),
    ]


def test_a_broken_connection_after_the_end_is_told() -> None:
    events = stream(chunk(content="a"), b"[DONE]", end="reset")
    assert events[-2:] == [Oddity(9, "closed_uncleanly", "reset"), Ended(9, "reset")]


def test_a_broken_connection_before_the_end_is_the_reducers() -> None:
    assert stream(chunk(content="a"), end="reset") == [Generated(5, "a"), Ended(9, "reset")]


def test_nothing_counts_after_an_error() -> None:
    events = stream(
        chunk(content="a"), {"error": {"message": "out of memory"}}, chunk(content="b"), b"[DONE]"
    )
    assert [type(event) for event in events] == [Generated, Failed, Ended]


@pytest.mark.parametrize("error", [None, "", {}, False])
def test_an_empty_error_is_none(error: object) -> None:
    assert stream(chunk(content="a") | {"error": error})[0] == Generated(5, "a")


def test_bytes_that_are_no_text_are_replaced_and_told_once() -> None:
    bad = b'{"choices":[{"delta":{"content":"a\xff"}}]}'
    events = stream(bad, bad, b"[DONE]")
    assert events[:3] == [
        Oddity(5, "invalid_utf8", events[0].detail),  # type: ignore[union-attr]
        Generated(5, "a\ufffd"),
        Generated(5, "a\ufffd"),
    ]


@pytest.mark.parametrize("half", ["\\ud83d", "\\udcaf", "x\\ud83d y", "\\udcaf\\ud83d"])
def test_half_a_surrogate_pair_is_replaced(half: str) -> None:
    (first, *_) = stream(f'{{"choices":[{{"delta":{{"content":"{half}"}}}}]}}'.encode())
    assert first == Generated(
        5, "".join("\ufffd" if "\ud800" <= c <= "\udfff" else c for c in json.loads(f'"{half}"'))
    )


def test_numbers_that_are_none_equal_absent() -> None:
    usage = b'"usage":{"prompt_tokens":-1,"completion_tokens":NaN}'
    timings = b'"timings":{"prompt_ms":Infinity,"prompt_n":1.5,"predicted_ms":-2}'
    assert stream(b'{"choices":[],' + usage + b"," + timings + b"}")[:2] == [Usage(5), Timings(5, final=True)]


def test_tool_calls_without_an_index_follow_each_other() -> None:
    tongue = OpenAiTongue()
    calls = [
        {"function": {"name": "f", "arguments": "{}"}},
        {"function": {"name": "g"}},
        {"function": {"arguments": "{"}},
    ]
    (event,) = tongue.message(0, chunk(tool_calls=calls), "")
    assert event == Generated(0, tools=(ToolDelta(0, "f", "{}"), ToolDelta(1, "g"), ToolDelta(1, "", "{")))


@pytest.mark.parametrize(
    ("told", "prompt_n", "cached_unknown"),
    [
        ({"prompt_eval_count": 100, "prompt_eval_cached_count": 60}, 40, False),
        ({"prompt_eval_count": 100}, 100, True),
        ({"prompt_eval_count": 100, "load_duration": 2_000_000_000}, 100, False),
        ({}, None, True),
    ],
)
def test_the_three_eras_of_ollamas_count(
    told: dict[str, object], prompt_n: int | None, cached_unknown: bool
) -> None:
    events = OllamaTongue().message(
        0, {"message": {"content": "x"}, "done": True, "done_reason": "stop", **told}, ""
    )
    (timings,) = [event for event in events if isinstance(event, Timings)]
    assert (timings.prompt_n, timings.cached_unknown) == (prompt_n, cached_unknown)
    assert events[0] == Generated(0, "x") and Finish(0, "stop") in events and events[-1] == Done(0)


def test_durations_that_an_emulator_made_up_are_none() -> None:
    events = OllamaTongue().message(
        0, {"done": True, "eval_duration": 1, "prompt_eval_duration": 0, "eval_count": 7}, ""
    )
    (timings,) = [event for event in events if isinstance(event, Timings)]
    assert (timings.predicted_ns, timings.prompt_ns, timings.predicted_n) == (None, None, 7)


def test_ollamas_tool_arguments_become_text() -> None:
    call = {"function": {"name": "f", "arguments": {"city": "Köln"}}}
    (event,) = OllamaTongue().message(0, {"message": {"tool_calls": [call]}}, "")
    assert event == Generated(0, tools=(ToolDelta(0, "f", '{"city": "Köln"}'),))


def test_slots_are_counted() -> None:
    body = json.dumps([{"is_processing": True}, {"is_processing": False}, {}]).encode()
    decoder = adapter("llama.cpp").decoder()
    assert decoder.decode(Poll(4, "/slots", 200, body)) == [SlotsSeen(4, 1, 3)]
    assert decoder.decode(Poll(4, "/slots", 501, b"{}")) == []
    assert decoder.decode(Poll(4, "/slots", 200, b"[")) == []


def test_notes_become_events() -> None:
    decoder = adapter("openai").decoder()
    assert decoder.decode(Note(7, "head", {"status": 200})) == [Head(7, 200)]
    assert decoder.decode(Note(7, "tokenize_probe", {"took_ns": 900, "base_ns": 1000})) == [
        TokenizeProbed(7, 0)
    ]
    assert decoder.decode(Note(7, "conditions", {"power": "battery"})) == [Learned(7, {"power": "battery"})]
    assert decoder.decode(Note(7, "something new")) == []


def test_conditions_come_from_the_request() -> None:
    body = {
        "model": "/home/someone/models/a.gguf",
        "messages": [{"role": "user", "content": [{"type": "text", "text": "abc"}]}, {"content": "de"}],
        "max_tokens": 16,
        "temperature": 0,
        "options": {"num_ctx": 2048},
    }
    (_, learned) = (
        adapter("openai")
        .decoder()
        .decode(Meta({"engine": "x", "request": {"body": body}, "conditions": {"slots": 2}}))
    )
    assert isinstance(learned, Learned)
    assert learned.conditions == {
        "engine": "x",
        "model": "a.gguf",
        "answer_limit": 16,
        "context_length": 2048,
        "sampling": {"temperature": 0},
        "prompt_chars": 5,
        "slots": 2,
    }


def test_padding_of_a_prompt_is_hardly_text() -> None:
    table = "|" + " " * 40 + "12|" + "-" * 30 + "|\n" + "\t" * 9 + "aaaaaaaa"
    (_, learned) = adapter("openai").decoder().decode(Meta({"request": {"body": {"prompt": table}}}))
    assert isinstance(learned, Learned)
    assert learned.conditions["prompt_chars"] == 1 + 4 + 3 + 4 + 2 + 4 + 8


def test_the_plain_request_has_only_standard_fields() -> None:
    request = adapter("something unknown").request(PLAN)
    assert (request.method, request.path) == ("POST", "/v1/chat/completions")
    assert json.loads(request.data) == {
        "model": "m",
        "messages": [{"role": "system", "content": "s"}, {"role": "user", "content": "u"}],
        "stream": True,
        "stream_options": {"include_usage": True},
        "max_tokens": 8,
        "seed": 3,
    }
    assert "authorization" not in {name.lower() for name, _ in request.headers}


@pytest.mark.parametrize(("cache", "reuse"), [("cold", False), ("same", True), ("tail", True)])
def test_the_llamacpp_request_asks_for_what_it_tells(cache: str, reuse: bool) -> None:
    llama = adapter("llama.cpp")
    body = llama.request(Plan("m", PLAN.turns, cache=cache)).body  # type: ignore[arg-type]
    assert (body["return_progress"], body["timings_per_token"], body["cache_prompt"]) == (True, True, reuse)
    assert [(watch.path, watch.every_s) for watch in llama.watches] == [("/slots", 0.25)]


@pytest.mark.parametrize(
    ("engine", "path", "dialect"),
    [
        ("llama.cpp", "/v1/chat/completions", "llama.cpp"),
        ("embedded", "/v1/chat/completions", "llama.cpp"),
        ("", "/completion", "llama.cpp"),
        ("ollama", "/api/chat", "ollama"),
        ("ollama", "/api/generate?x=1", "ollama"),
        ("ollama", "/v1/chat/completions", "openai"),
        ("vllm", "/v1/chat/completions", "vllm"),
        ("sglang", "/generate", "sglang"),
        ("", "", "openai"),
    ],
)
def test_path_and_engine_choose_the_dialect(engine: str, path: str, dialect: str) -> None:
    meta = Meta({"engine": engine, "request": {"path": path}})
    began = decoder_for(meta.fields).decode(meta)[0]
    assert began.dialect.name == dialect  # type: ignore[union-attr]


def test_a_native_whole_reply_is_read() -> None:
    events = LlamaCppTongue().whole(
        0, {"content": "x", "stop": True, "stop_type": "eos", "tokens_predicted": 2}
    )
    assert events[0] == Generated(0, "x", count=2)
