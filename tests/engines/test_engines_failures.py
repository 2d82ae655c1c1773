"""Failures are told in plain words, without keys, with the engine's own text."""

import gzip
import json

import pytest

from tui.domain.events import ErrorKind, Failed
from tui.domain.wire import End, Meta, Read
from tui.engines.failures import engine_error, http_failure, said, told_error, without_secrets
from tui.engines.framing import Message
from tui.engines.meaning import meaning
from tui.engines.openai import OpenAiTongue
from tui.engines.registry import decoder_for

KEY = "sk-abcdef1234567890"


def failure(
    status: int, body: object, headers: dict[str, str] | None = None, url: str = "http://h/v1/chat"
) -> Failed:
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    return http_failure(0, status, headers or {}, data, url)


def reply(status: int | None, headers: list[tuple[str, str]], *reads: bytes, end: str = "eof") -> Failed:
    """The failure that a reply ends in."""
    meta = Meta({"engine": "openai", "status": status, "response_headers": headers})
    decoder = decoder_for(meta.fields)
    events = decoder.decode(meta)
    for data in reads:
        events += decoder.decode(Read(1, data))
    (failed,) = [event for event in [*events, *decoder.decode(End(2, end))] if isinstance(event, Failed)]
    return failed


AT_28 = "Wed, 21 Oct 2026 07:28:00 GMT"


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ({"error": "text"}, "text"),
        ({"error": {"message": "text", "type": "t"}}, "text"),
        ({"error": {"type": "t"}}, "t"),
        ({"object": "error", "message": "text"}, "text"),
        ({"detail": "text"}, "text"),
        ({"detail": [{"loc": ["body"], "msg": "text"}]}, "text"),
        ({"detail": {"msg": "text"}}, "text"),
        ({"errors": ["text"]}, "text"),
        ({"error": '{"error":{"code":400,"message":"text"}}'}, "text"),
        ({"error": "two\r\nlines\x1b[31m"}, "two lines [31m"),
        ({"a": 1}, ""),
        (None, ""),
        ({"detail": [{"loc": ["body", "model"], "msg": "Field required"}]}, "model: Field required"),
        ({"detail": [{"loc": ["body", "messages", 0, "role"], "msg": "wrong"}]}, "messages.0.role: wrong"),
        ({"detail": [{"loc": ["body"], "msg": "wrong"}]}, "wrong"),
        ({"detail": [{"loc": {"a": 1}, "msg": "wrong"}]}, "wrong"),
        ([], ""),
    ],
)
def test_the_engines_words_are_found(body: object, words: str) -> None:
    assert said(body) == words


def test_an_object_of_kind_error_is_an_error() -> None:
    assert told_error({"object": "error", "message": "m", "code": 400}) == "m"
    assert told_error({"object": "chat.completion.chunk", "message": "m"}) == ""


@pytest.mark.parametrize("status", [401, 403])
def test_a_refused_key_is_never_repeated(status: int) -> None:
    failed = failure(status, {"error": {"message": f"Incorrect API key provided: {KEY}."}})
    assert failed.kind is ErrorKind.AUTH
    assert KEY not in str(failed) and "--api-key" in failed.remedy


@pytest.mark.parametrize(
    "words",
    [
        "Basic authentication is required",
        "the token limit is 4096",
        "Bearer tokens only",
        "see api_server_docs",
    ],
)
def test_plain_words_are_no_secrets(words: str) -> None:
    assert without_secrets(words) == words


@pytest.mark.parametrize(
    "words", [KEY, "Bearer abc-123456", "Basic dXNlcjpwYXNz==", "API key provided: hunter2"]
)
def test_keys_are_taken_out(words: str) -> None:
    assert without_secrets(words).endswith("(key removed)")


@pytest.mark.parametrize(
    "words",
    [
        "/chat/completions: Invalid model name passed in model=m. Call `/v1/models` to view them.",
        "Server is pinned to '/models/SmolLM2-135M'; requested 'm'.",
        "Failed to load model: Cannot find an appropriate cached snapshot folder for the specified revision.",
        "model 'm' not found",
        "The model `m` does not exist.",
    ],
)
def test_a_wrong_model_is_named_as_what_to_check_whatever_the_status(words: str) -> None:
    assert failure(400, {"error": {"message": words}}).remedy == "Check the model's name."
    assert engine_error(1, words, b"").remedy == "Check the model's name."


def test_other_words_about_a_model_say_nothing_of_its_name() -> None:
    assert "model" not in failure(400, {"error": "the model has no chat template"}).remedy


@pytest.mark.parametrize(
    ("headers", "body", "seconds"),
    [
        ({"retry-after": "7"}, {}, 7),
        ({"retry-after": AT_28}, {}, None),
        ({"retry-after": AT_28, "date": "Wed, 21 Oct 2026 07:27:30 GMT"}, {}, 30),
        ({"retry-after": AT_28, "date": "Wed, 21 Oct 2026 07:29:30 GMT"}, {}, None),
        ({"retry-after": AT_28, "date": "today"}, {}, None),
        ({"retry-after": AT_28, "date": "21 Oct 2026 07:27:30 -0000"}, {}, None),
        ({"retry-after-ms": "250"}, {}, 0.25),
        ({}, {"error": {"message": "slow down", "retry_after": 3.5}}, 3.5),
        ({}, {"retry_after": "4"}, 4),
        ({}, {"error": {"details": [{"retryDelay": "12s"}]}}, 12),
        ({"retry-after": "-1"}, {}, None),
        ({"retry-after": "nan"}, {}, None),
    ],
)
def test_the_wait_is_found(headers: dict[str, str], body: object, seconds: float | None) -> None:
    failed = failure(429, body, headers)
    assert (failed.kind, failed.retry_after_s) == (ErrorKind.RATE_LIMITED, seconds)


@pytest.mark.parametrize(("seconds", "amount"), [("2", "2 s"), ("0.5", "0.5 s"), ("3e7", "30,000,000 s")])
def test_the_wait_is_told_in_plain_digits(seconds: str, amount: str) -> None:
    assert failure(429, {}, {"retry-after": seconds}).remedy == f"Send again after {amount}."


@pytest.mark.parametrize("body", [b"{}", b"[]", b"null", b""])
def test_a_body_that_says_nothing_is_no_reason(body: bytes) -> None:
    assert failure(500, body).message == "500: the server gave no reason"


def test_not_found_shows_the_url() -> None:
    failed = failure(404, b"", url="http://h/v1/v1/chat/completions")
    assert "http://h/v1/v1/chat/completions" in failed.message and "doubled" in failed.message


def test_a_redirect_shows_its_target() -> None:
    assert "https://other/v1" in failure(308, b"", {"location": "https://other/v1"}).message


def test_a_page_is_named_as_one() -> None:
    page = b"<!DOCTYPE html><html><head><title>Sign\n in</title></head></html>"
    failed = reply(200, [("Content-Type", "text/event-stream")], page[:20], page[20:])
    assert failed.kind is ErrorKind.NOT_CHAT_REPLY
    assert "an HTML page ('Sign in')" in failed.message


@pytest.mark.parametrize("body", [b"", b'{"status":"ok"}', b"upstream says no", b'{"choices":[]}'])
def test_a_reply_that_is_no_answer(body: bytes) -> None:
    assert reply(200, [("Content-Type", "application/json")], body).kind is ErrorKind.NOT_CHAT_REPLY


def test_a_coding_that_was_not_asked_for_is_named() -> None:
    assert "'br'" in reply(200, [("Content-Encoding", "br")], b"\x00").message


def test_a_compressed_error_is_read() -> None:
    failed = reply(500, [("Content-Encoding", "gzip")], gzip.compress(b'{"error":"it broke"}'))
    assert (failed.kind, failed.status, failed.message) == (ErrorKind.HTTP_ERROR, 500, "500: it broke")


def test_a_damaged_error_keeps_its_status() -> None:
    assert reply(503, [("Content-Encoding", "gzip")], b"no gzip").kind is ErrorKind.SERVER_BUSY


def test_an_error_status_counts_even_when_the_body_breaks() -> None:
    assert reply(502, [], b"<html>", end="reset").status == 502


@pytest.mark.parametrize("data", [b'"out of memory"', b'["out of memory"]', b"out of memory"])
def test_an_error_event_is_told_in_whatever_it_is_written(data: bytes) -> None:
    (told,) = meaning(OpenAiTongue(), 5, Message(data, "error"))
    assert isinstance(told, Failed) and told.message.endswith(": out of memory")
