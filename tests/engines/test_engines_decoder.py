"""Every case and capture through its decoder: right events, whatever the reads cut, no exception."""

import hashlib
import json
from collections.abc import Iterable
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any, TypeVar

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tui.capture.recording import read
from tui.domain.events import (
    Arrived,
    Done,
    Ended,
    Event,
    Failed,
    Finish,
    FirstSign,
    Generated,
    Head,
    Oddity,
    Progress,
    Timings,
    Usage,
)
from tui.domain.wire import End, Meta, Read, Record
from tui.engines.registry import decoder_for

DATA = Path(__file__).parents[1] / "data"
CASES = sorted((DATA / "cases").glob("*.jsonl"))
CAPTURES = sorted((DATA / "captures" / "llamacpp").glob("*.jsonl"))
SMALL = [path for path in [*CASES, *CAPTURES] if path.stat().st_size < 15_000]
E = TypeVar("E")
OURS = {
    "bad_chunk",
    "invalid_utf8",
    "not_streamed",
    "extra_choices",
    "closed_uncleanly",
    "ended_without_finish",
}


def decoded(records: Iterable[Record]) -> list[Event]:
    first, *rest = records
    assert isinstance(first, Meta)
    decoder = decoder_for(first.fields)
    events = decoder.decode(first)
    for record in rest:
        events += decoder.decode(record)
    return events


def events_of(path: Path) -> list[Event]:
    return decoded(read(path).records)


def meta_of(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8").partition("\n")[0])["meta"]


def capture(name: str) -> list[Event]:
    return events_of(DATA / "captures" / "llamacpp" / f"{name}.jsonl")


def some(kind: type[E], events: list[Event]) -> list[E]:
    return [event for event in events if isinstance(event, kind)]


def answer(events: list[Event]) -> str:
    return "".join(event.answer for event in some(Generated, events))


def differences(events: list[Event], expect: dict[str, object]) -> list[str]:
    """The keys of a case's `expect` that one can see in the events alone and that differ."""
    generated = some(Generated, events)
    finishes = some(Finish, events)
    text = answer(events)
    seen = {
        "answer_text": text,
        "answer_len": len(text),
        "answer_sha256": hashlib.sha256(text.encode()).hexdigest(),
        "reasoning_text": "".join(event.reasoning for event in generated),
        "finish_reason": finishes[-1].reason if finishes else None,
        "chunks": len(generated),
        "ttft_s": generated[0].at_ns / 1e9 if generated else None,
        "last_token_s": generated[-1].at_ns / 1e9 if generated else None,
    }
    return [key for key, value in seen.items() if key in expect and expect[key] != value]


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
def test_case(path: Path) -> None:
    events = events_of(path)
    expect = meta_of(path)["expect"]
    assert differences(events, expect) == []
    if "any_of" in expect:
        assert any(not differences(events, option) for option in expect["any_of"])
    failed = some(Failed, events)
    wanted = expect.get("error")
    if wanted is None or wanted["kind"] == "connection_lost":
        assert failed == []
    else:
        (failure,) = failed
        assert (failure.kind.value, failure.status) == (wanted["kind"], wanted.get("status"))
        assert wanted.get("message_contains", "").lower() in failure.message.lower()
        assert failure.retry_after_s == wanted.get("retry_after_s")
        assert failure.remedy.endswith(".")
        for words in expect.get("message_must_not_contain", []):
            assert words not in failure.message
    codes = [oddity.code for oddity in some(Oddity, events)]
    assert len(codes) == len(set(codes))
    assert set(codes) <= OURS
    if "warnings" in expect:
        assert set(codes) == set(expect["warnings"]) & OURS
    assert not set(codes) & set(expect.get("warnings_absent", []))


@pytest.mark.parametrize("path", CAPTURES, ids=lambda path: path.stem)
def test_capture_is_decoded_to_its_end(path: Path) -> None:
    events = events_of(path)
    assert isinstance(events[-1], Ended)
    assert not {oddity.code for oddity in some(Oddity, events)} - {"not_streamed"}
    chat = meta_of(path)["request"]["method"] == "POST"
    if chat and not some(Failed, events) and events[-1].how == "eof":
        assert len(some(Done, events)) == 1
        assert len(some(Finish, events)) == 1


def joined(records: Iterable[Record]) -> bytes:
    return b"".join(record.data for record in records if isinstance(record, Read))


def same(events: list[Event]) -> list[Event]:
    return [replace(event, at_ns=0) for event in events if not isinstance(event, Arrived | Head)]


@settings(max_examples=150, deadline=None)
@given(st.sampled_from(SMALL), st.lists(st.integers(0, 1 << 20), max_size=40))
def test_cuts_change_no_event(path: Path, places: list[int]) -> None:
    recording = read(path)
    data = joined(recording.records)
    edges = [0, *sorted(place % (len(data) + 1) for place in places), len(data)]
    reads = [Read(i, data[a:b]) for i, (a, b) in enumerate(pairwise(edges))]
    assert same(decoded([recording.meta, *reads, recording.records[-1]])) == same(
        decoded([recording.meta, Read(0, data), recording.records[-1]])
    )


@settings(max_examples=150, deadline=None)
@given(
    st.sampled_from(SMALL),
    st.integers(0, 1 << 20),
    st.sampled_from(["eof", "reset", "hang", "cancelled", "error"]),
)
def test_a_cut_off_body_never_raises(path: Path, place: int, how: str) -> None:
    recording = read(path)
    data = joined(recording.records)
    events = decoded([recording.meta, Read(0, data[: place % (len(data) + 1)]), End(1, how)])
    assert isinstance(events[-1], Ended)


KEYS = (
    "choices", "delta", "message", "content", "tool_calls", "function", "index", "usage", "timings", "error",
    "prompt_progress", "stop", "type", "predicted_n", "prompt_tokens", "text", "finish_reason", "done",
    "eval_count", "metrics", "total", "processed",
)  # fmt: skip
JSON = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(KEYS),
            inner,
            max_size=6,
        )
    ),
    max_leaves=25,
)


@settings(max_examples=80, deadline=None)
@given(st.sampled_from(["/v1/chat/completions", "/completion", "/api/chat"]), st.lists(JSON, max_size=4))
def test_any_json_is_survived(path: str, values: list[object]) -> None:
    lines = [json.dumps(value).encode() for value in values]
    for body in (b"".join(b"data: " + line + b"\n\n" for line in lines), b"\n".join(lines)):
        meta = Meta({"engine": "llama.cpp", "request": {"path": path}, "status": 200})
        for event in decoded([meta, Read(1, body), End(2, "eof")]):
            str(event).encode("utf-8")  # no half of a surrogate pair came through


def test_each_read_tells_what_it_completed() -> None:
    arrived = some(Arrived, capture("01-chat-short-cold"))
    assert (arrived[2].messages, arrived[2].texts) == (2, 1)
    assert sum(read.texts for read in arrived) == 48


def test_llamacpp_progress_timings_and_running_count() -> None:
    events = capture("02-chat-long-progress")
    progress = some(Progress, events)
    assert [p.processed for p in progress] == [0, 256, 512, 768, 1024, 1280, 1536, 1674]
    assert (progress[-1].total, progress[0].cached, progress[0].engine_ns) == (1674, 0, 0)
    timings = some(Timings, events)
    assert [t.final for t in timings] == [False] * (len(timings) - 1) + [True]
    counts = [g.count for g in some(Generated, events)]
    assert counts == sorted(set(counts)) and counts[0] == 1
    (usage,) = some(Usage, events)
    assert (usage.prompt, usage.completion) == (1674, timings[-1].predicted_n)


def test_a_tool_call_has_a_first_sign_before_its_text() -> None:
    events = capture("12c-tool-call")
    (sign,) = some(FirstSign, events)
    generated = some(Generated, events)
    assert sign.at_ns < generated[0].at_ns
    assert generated[0].tools[0].name == "get_weather"
    assert json.loads("".join(g.tools[0].arguments for g in generated)) == {"city": "Paris"}


def test_a_role_only_event_without_a_count_is_no_first_sign() -> None:
    assert some(FirstSign, events_of(DATA / "cases" / "llamacpp_pings_during_prefill.jsonl")) == []


@pytest.mark.parametrize("name", ["10c-native-completion-plain", "10b-native-completion"])
def test_native_stream_ends_with_stop(name: str) -> None:
    events = capture(name)
    assert len(some(Generated, events)) == 24
    assert [e.reason for e in some(Finish, events)] == ["limit"]
    assert some(Timings, events)[-1].final


@pytest.mark.parametrize("name", ["19a-anthropic-messages", "19b-responses"])
def test_other_routes_give_the_same_text(name: str) -> None:
    events = capture(name)
    assert answer(events) == "1. Red: This is the most obvious colour, but it's also the"
    assert some(Usage, events)[-1].completion == 16
    assert some(Done, events)
