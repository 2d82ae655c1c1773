"""llama-cpp-python: no usage, an empty reply to a long prompt, a `[DONE]` where a newcomer cut it off."""

from __future__ import annotations

import pytest

from tests.engines.answering import captured, found, owned
from tests.engines.seen import lengths, records_of, run
from tui.domain.events import ErrorKind
from tui.domain.wire import End, Meta, Note, Read, Record
from tui.engines.abilities.table import caution

CUT_OFF = "own/llama-cpp-python-interrupted"


def test_it_is_known_by_the_owner_of_its_models_and_a_header() -> None:
    told = found({"/v1/models": captured("own/llama-cpp-python-models")})
    assert (told.engine, told.shown) == ("llama-cpp-python", "SmolLM2-135M-Instruct.Q4_1.gguf")
    assert found({"/v1/models": owned("me")}).engine == "openai", "anybody may say so"
    assert "breaks off" in caution("llama-cpp-python")


def streamed(*data: bytes) -> list[Record]:
    return [
        Meta({"request": {"path": "/v1/chat/completions"}}),
        Note(0, "sent", {}),
        Note(1, "head", {"status": 200, "headers": [["content-type", "text/event-stream"]]}),
        *(Read(at, raw) for at, raw in enumerate(data, 2)),
        End(9, "eof"),
    ]


def test_an_answer_that_another_request_cut_off_is_in_doubt() -> None:
    view, _ = run(records_of(CUT_OFF))
    assert (view.tokens, view.chunks, view.finish_reason) == (None, 12, None)
    assert "done_without_finish" in view.warnings
    assert lengths(view)["waiting"] == pytest.approx(878.9, abs=0.1)
    assert lengths(view)["decode"] == pytest.approx(1751.5, abs=0.1)


def test_a_reason_before_the_end_mark_leaves_no_doubt() -> None:
    chunk = b'data: {"choices":[{"index":0,"delta":{"content":"a"},"finish_reason":"stop"}]}\n\n'
    view, _ = run(streamed(chunk, b"data: [DONE]\n\n"))
    assert view.complete and "done_without_finish" not in view.warnings


def test_an_answer_that_was_counted_came_to_its_end() -> None:
    said = b'data: {"choices":[{"index":0,"delta":{"content":"a"},"finish_reason":null}]}\n\n'
    counted = b'data: {"choices":[],"usage":{"prompt_tokens":3,"completion_tokens":1}}\n\ndata: [DONE]\n\n'
    view, _ = run(streamed(said, counted))
    assert view.complete and view.finish_reason is None and view.warnings == {}


@pytest.mark.parametrize("name", ["02-v1-cold-load", "05-v1-reasoning-then-answer"])
def test_lm_studio_tells_no_reason(name: str) -> None:
    view, _ = run(records_of(f"lm-studio-authored/{name}"))
    assert view.complete and view.warnings == {}


def test_a_stream_without_a_message_is_a_failure_that_says_where_to_look() -> None:
    view, _ = run(records_of("own/llama-cpp-python-too-long"))
    assert not view.complete and view.failure is not None
    assert view.failure.kind is ErrorKind.NOT_CHAT_REPLY and "longer than its context" in view.failure.remedy
    assert "ended_without_finish" not in view.warnings


def test_a_sign_of_life_before_the_end_is_another_thing() -> None:
    view, _ = run(streamed(b": keepalive 14/15\n\n"))
    assert view.failure is None and "ended_without_finish" in view.warnings
