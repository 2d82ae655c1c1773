"""What every engine's decoder must do with every capture of it: any cut, any end, nothing invented."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from tests.wire.runs import (
    FILES,
    TOLD,
    arrival_is_nothing,
    body_of,
    events_of,
    has_adapter,
    method_of,
    name_of,
    path_of,
    recording,
    told_by,
)
from tui.domain.events import Ended, Event, Failed, Progress
from tui.domain.wire import End, Note, Read, Record

CHATS = [path for path in FILES if name_of(path) in TOLD]
EXACT = ("answer_len", "reasoning_len", "chunks", "ttft_s", "last_token_s", "complete")
ALWAYS = ("tokens", "prompt_tokens", "cached_tokens", "reasoning_tokens", "finish_reason")
PHASES = ("load_s", "queue_s", "prefill_s", "server_decode_tok_s")
HOWS = ("eof", "reset", "hang", "cancelled", "error")
SMALL_BYTES = 6_000
ROUNDING_S = 2e-6  # captures tell microseconds
# Words one of which must stand in a reply that tells this number.
WORDS = {
    "tokens": (b"completion_tokens", b"eval_count", b"output_tokens", b"predicted_n", b"tokens_predicted"),
    "prompt_tokens": (b"prompt_tokens", b"eval_count", b"input_tokens", b"prompt_n", b"tokens_evaluated"),
    "cached_tokens": (
        b"cached_tokens",
        b"cache_n",
        b"cached_count",
        b'"cache"',
        b"tokens_cached",
        b"cache_read",
    ),
    "reasoning_tokens": (b"reasoning_tokens", b"reasoning_output_tokens"),
}

DURATIONS = (b"_ms", b"_duration", b"_time", b"time_", b"_latency", b"_ts")

every_file = pytest.mark.parametrize("path", FILES, ids=name_of)
every_chat = pytest.mark.parametrize("path", CHATS, ids=name_of)


def cut(path: Path, edges: Sequence[int], data: bytes) -> list[Event]:
    """The events of the body in these pieces, all at one time, without those that tell of arrival."""
    records = recording(path).records
    end = records[-1]
    assert isinstance(end, End)
    reads = [Read(0, data[a:b]) for a, b in pairwise(edges)]
    notes = [replace(record, at_ns=0) for record in records if isinstance(record, Note)]
    all_at_once: list[Record] = [recording(path).meta, *notes, *reads, replace(end, at_ns=0)]
    return [event for event in events_of(all_at_once) if not arrival_is_nothing(event)]


@every_file
def test_however_the_bytes_are_cut_the_events_are_the_same(path: Path) -> None:
    data = body_of(recording(path).records)
    size = len(data)
    whole = cut(path, (0, size), data)
    chance = random.Random(name_of(path))
    for pieces in (1, 2, 5, 20, 200):
        places = sorted(chance.randrange(size + 1) for _ in range(pieces))
        assert cut(path, (0, *places, size), data) == whole
    if size < SMALL_BYTES:
        assert cut(path, range(size + 1), data) == whole


@every_file
def test_a_reply_that_breaks_off_anywhere_is_still_a_run(path: Path) -> None:
    records = recording(path).records
    data = body_of(records)
    chance = random.Random(name_of(path))
    places = {0, 1, len(data) - 1, *(chance.randrange(len(data) + 1) for _ in range(25))} if data else {0}
    for place in sorted(place for place in places if place >= 0):
        how = chance.choice(HOWS)
        events = events_of([*records[:1], Note(1, "sent"), Read(2, data[:place]), End(3, how)])
        assert isinstance(events[-1], Ended)
        assert sum(isinstance(event, Failed) for event in events) <= 1


@every_chat
def test_half_a_reply_never_tells_more_than_the_whole(path: Path) -> None:
    records = recording(path).records
    reads = [record for record in records if isinstance(record, Read)]
    whole = told_by(records)
    for kept in {0, len(reads) // 3, len(reads) // 2, max(0, len(reads) - 2)}:
        last_ns = reads[kept - 1].at_ns if kept else 0
        part = told_by(
            [*(r for r in records if not isinstance(r, Read | End)), *reads[:kept], End(last_ns, "reset")]
        )
        assert whole["answer_text"].startswith(part["answer_text"])
        assert part["chunks"] <= whole["chunks"]
        assert kept == len(reads) or not part["complete"] or part["finish_reason"] or whole["complete"]
        assert part["ttft_s"] in (None, whole["ttft_s"])


@every_file
def test_phases_touch_and_never_overlap(path: Path) -> None:
    run = told_by(recording(path).records)
    phases = run["phases"]
    for before, after in pairwise(phases):
        assert before["end_s"] == after["start_s"], (before, after)
    for phase in phases:
        assert phase["start_s"] <= phase["end_s"], phase
        assert phase["provenance"] in ("measured", "observed", "derived", "estimated"), phase
    if phases and run["total_s"] is not None:
        assert phases[-1]["end_s"] == pytest.approx(run["total_s"], abs=1e-9)
        assert phases[0]["start_s"] <= 0


@every_chat
def test_the_run_says_what_the_file_says(path: Path) -> None:
    wanted, got = dict(TOLD[name_of(path)]), told_by(recording(path).records)
    got |= {"answer_len": len(got["answer_text"]), "reasoning_len": len(got["reasoning_text"])}
    own = has_adapter(path)
    plain = own or path_of(path).startswith("/v1/")  # what OpenAI's API tells is understood without one
    strict = dict.fromkeys((*EXACT, *ALWAYS), plain) | dict.fromkeys(PHASES, own)
    wrong = {
        key: (got[key], wanted[key])
        for key, must in strict.items()
        if key in wanted and not agrees(key, got[key], wanted[key], must)
    }
    assert wrong == {}


def agrees(key: str, got: Any, wanted: Any, strict: bool) -> bool:
    """Whether a value is right. Without an adapter of its own an engine may be misheard, never misquoted."""
    if got is None and wanted is not None:
        return not strict and key != "complete"
    if wanted is None or isinstance(wanted, str | bool):
        return bool(got == wanted) or (not strict and key == "complete")
    if isinstance(wanted, int):
        return bool(got == wanted) or (not strict and key.endswith(("_len", "chunks")))
    if key in ("ttft_s", "last_token_s"):
        return bool(abs(got - wanted) <= ROUNDING_S)
    return bool(got == pytest.approx(wanted, rel=0.005, abs=1e-6))


@every_chat
def test_errors_have_their_kind(path: Path) -> None:
    wanted = TOLD[name_of(path)]
    if "error" not in wanted:
        return
    error = told_by(recording(path).records)["error"]
    if wanted["error"] is None:
        assert error is None or not has_adapter(path)
        return
    assert error is not None
    assert error["kind"] == wanted["error"]["kind"]
    assert error["status"] == wanted["error"].get("status")
    assert error["message"].strip()


@every_chat
def test_a_sound_reply_raises_no_doubt_of_its_bytes(path: Path) -> None:
    wanted, run = TOLD[name_of(path)], told_by(recording(path).records)
    assert not {"bad_chunk", "invalid_utf8", "closed_uncleanly"} & set(run["warnings"])
    end = recording(path).records[-1]
    assert isinstance(end, End)
    broke_off = end.how == "eof" and not wanted["complete"] and wanted["error"] is None
    if run["complete"] == wanted["complete"]:
        assert ("ended_without_finish" in run["warnings"]) == broke_off


@every_file
def test_a_number_that_no_word_of_the_reply_tells_is_null(path: Path) -> None:
    records = recording(path).records
    run, data = told_by(records), body_of(records)
    for key, words in WORDS.items():
        if not any(word in data for word in words):
            assert run[key] is None, key
    if not any(word in data for word in DURATIONS):
        assert run["server_decode_tok_s"] is None and run["prefill_tok_s"] is None
        # such a phase may have been seen, but no clock of the engine's told it
        assert [phase["name"] for phase in run["phases"] if phase["provenance"] == "measured"] == []


def test_mlx_lms_comments_are_its_prefill() -> None:
    """256, 512, 768, 886 and 887 of 887 tokens that were not in the cache; the first token at 98.95 s."""
    (path,) = (path for path in FILES if path.stem == "10-chat-long-prefill")
    run = told_by(recording(path).records)
    (prefill,) = (phase for phase in run["phases"] if phase["name"] == "prefill")
    assert prefill["provenance"] == "observed"
    assert prefill["end_s"] == pytest.approx(98.95, abs=0.01)
    processed = [
        event.processed for event in events_of(recording(path).records) if isinstance(event, Progress)
    ]
    assert [number for number in processed if number] == [256, 512, 768, 886, 887]


def test_every_chat_of_every_engine_is_in_the_table() -> None:
    theirs = [path for path in FILES if path.parent.name != "llamacpp" and method_of(path) == "POST"]
    missing = {name_of(path) for path in theirs} - set(TOLD)
    assert missing == {
        "lm-studio-authored/42-v1-load",
        "lm-studio-authored/43-v1-unload",
        "ollama-authored/17a-preload",
        "ollama-authored/17b-unload",
        "ollama-authored/17c-preload-chat",
        "ollama-authored/18g-show",
        "vllm/endpoint-tokenize",
    }


def test_the_table_names_only_captures() -> None:
    assert set(TOLD) <= {name_of(path) for path in FILES}
