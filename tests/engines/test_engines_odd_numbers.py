"""Counts and durations that no engine can mean: neither a rate nor a phase comes of them."""

from __future__ import annotations

import json

import pytest

from tests.engines.seen import MS, how, lengths, run
from tui.domain.view import View
from tui.domain.wire import End, Meta, Note, Read, Record

S = 1000 * MS


def ollama(**last: object) -> View:
    """Text at 1.6 and 1.8 s, the last record at 1.85 s; a cold start of 1.2 s unless told otherwise."""
    told = {
        "done": True, "done_reason": "stop", "total_duration": 1840 * MS, "load_duration": 1200 * MS,
        "prompt_eval_count": 900, "prompt_eval_duration": 400 * MS,
        "eval_count": 40, "eval_duration": 200 * MS,
    } | last  # fmt: skip
    lines = [
        (1600, {"message": {"content": "Yes"}, "done": False}),
        (1800, {"message": {"content": "."}, "done": False}),
        (1850, {key: value for key, value in told.items() if value is not ...}),
    ]
    return shown("ollama", "/api/chat", [(at, json.dumps(body).encode() + b"\n") for at, body in lines], 1860)


def llama(**timings: object) -> View:
    """Text at 1.3 and 2.3 s, then the engine's timings."""
    told = {
        "cache_n": 0, "prompt_n": 1000, "prompt_ms": 500.0, "predicted_n": 40, "predicted_ms": 1000.0,
    } | timings  # fmt: skip
    last = {"choices": [{"index": 0, "delta": {}, "finish_reason": "length"}], "timings": told}
    chunks = [(1300, said("a")), (2300, said("b")), (2310, last)]
    reads = [(at, b"data: " + json.dumps(chunk).encode() + b"\n\n") for at, chunk in chunks]
    return shown("llama.cpp", "/v1/chat/completions", reads, 2320)


def said(words: str, completion: int | None = None) -> dict[str, object]:
    chunk: dict[str, object] = {"choices": [{"index": 0, "delta": {"content": words}}]}
    return chunk if completion is None else chunk | {"usage": {"completion_tokens": completion}}


def shown(engine: str, path: str, reads: list[tuple[int, bytes]], end_ms: int) -> View:
    records: list[Record] = [
        Meta({"engine": engine, "status": 200, "request": {"path": path}}),
        Note(0, "sent"),
        *(Read(at * MS, data) for at, data in reads),
        End(end_ms * MS, "eof"),
    ]
    view, _ = run(records)
    return view


def test_plausible_numbers_split_the_request() -> None:
    view = ollama()
    assert view.prefill.number == pytest.approx(2250) and view.prefill.reliable
    assert view.decode_engine.number == pytest.approx(195)
    assert {name: ns / MS for name, ns in view.told_ns.items()} == pytest.approx(
        {"load": 1200, "prefill": 400, "decode": 200, "unattributed": 40}
    )
    assert not view.warnings


@pytest.mark.parametrize("tiny", [0, 1, 1000])
def test_one_duration_that_is_too_short_is_doubted_alone(tiny: int) -> None:
    view = ollama(eval_duration=tiny)
    assert view.decode_engine.number is None and view.prefill.number == pytest.approx(2250)
    assert "decode" not in view.told_ns and how(view)["decode"] == "observed"
    assert lengths(view)["decode"] == pytest.approx(200), "by our clock"
    assert set(view.warnings) == {"engine_timings_implausible"}


@pytest.mark.parametrize("tiny", [0, 1, 100])
def test_a_prompt_that_is_read_in_no_time_is_no_phase(tiny: int) -> None:
    view = ollama(prompt_eval_duration=tiny)
    assert view.prefill.number is None and view.decode_engine.number == pytest.approx(195)
    assert "prefill" not in view.told_ns and "prefill" not in lengths(view)
    assert set(view.warnings) == {"engine_timings_implausible"}


def test_reuse_that_is_not_told_explains_a_short_prefill() -> None:
    view = ollama(load_duration=50 * MS, prompt_eval_duration=500_000)
    assert view.told_ns["prefill"] == 500_000, "the time is the engine's; how many tokens it took is unknown"
    assert view.prefill.number is None
    assert view.prefill.note == "the engine reused some of the prompt and does not tell how much"
    assert "engine_timings_implausible" not in view.warnings


def test_a_rest_that_the_engine_did_not_see_is_ours() -> None:
    view = ollama(total_duration=900 * MS, load_duration=50 * MS)
    assert "unattributed" not in view.told_ns
    assert lengths(view)["unattributed"] == pytest.approx(1150)


def test_without_the_time_of_the_answer_the_rest_is_no_wait() -> None:
    view = ollama(eval_duration=...)
    assert view.told_ns == {"load": 1200 * MS, "prefill": 400 * MS}
    assert view.decode_engine.number is None and not view.warnings


@pytest.mark.parametrize("ms", [0.0, 0.001, 0.3])
def test_an_implausible_clock_is_no_phase(ms: float) -> None:
    view = llama(predicted_ms=ms)
    assert view.decode_engine.number is None and "decode" not in view.told_ns
    assert lengths(view)["decode"] == pytest.approx(1000) and how(view)["decode"] == "observed"
    view = llama(prompt_ms=ms)
    assert view.prefill.number is None and "prefill" not in lengths(view)
    assert "engine_timings_implausible" in view.warnings


@pytest.mark.parametrize(("decode_ms", "warned"), [(2400.0, False), (2800.0, False), (3000.0, True)])
def test_more_work_than_the_request_lasted_is_doubted(decode_ms: float, warned: bool) -> None:
    view = llama(predicted_ms=decode_ms)
    assert ("engine_timings_implausible" in view.warnings) == warned
    assert view.decode_engine.number == pytest.approx(39_000 / decode_ms), "both are shown"


def test_one_token_in_no_time_is_no_fault() -> None:
    view = llama(prompt_n=1, prompt_ms=0.0, predicted_n=1, predicted_ms=0.0)
    assert not view.warnings and view.told_ns["prefill"] == 0


def test_a_running_count_that_ends_early_is_not_the_answers() -> None:
    last = {"choices": [{"index": 0, "delta": {}, "finish_reason": "length"}]}
    total = {"choices": [], "usage": {"completion_tokens": 9}}
    chunks = [(200, said("a", 1)), (400, said("b")), (600, said("c")), (610, last), (620, total)]
    reads = [(at, b"data: " + json.dumps(chunk).encode() + b"\n\n") for at, chunk in chunks]
    view = shown("sglang", "/v1/chat/completions", reads, 630)
    assert view.decode.number == pytest.approx(8 / 0.4)


def test_a_reply_over_several_lines_is_read_whole() -> None:
    body = {
        "message": {"role": "assistant", "content": "Apples."}, "done": True, "done_reason": "stop",
        "eval_count": 4, "eval_duration": 2 * S,
    }  # fmt: skip
    reads = [(1900, json.dumps(body, indent=2).encode())]
    view = shown("ollama", "/api/chat", reads, 1910)
    assert (str(view.answer), view.tokens, view.complete) == ("Apples.", 4, True)
    assert set(view.warnings) == {"not_streamed"} and view.decode.number is None
