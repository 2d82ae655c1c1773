"""The instrument has a ruler: the server keeps to its script, and errors are computed right."""

from __future__ import annotations

import json
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from tui.capture.live import Live
from tui.capture.recording import read
from tui.domain.wire import Meta, Note, Read
from tui.selftest.script import DIALECTS, PREFILL_NS, SHAPES, Script, named, reply
from tui.selftest.serving import Server
from tui.selftest.truth import (
    Pair,
    Seen,
    Truth,
    gap_errors,
    impossible,
    lag_growth,
    pairs,
    percentile,
    recv_errors,
    seen,
    stamp_errors,
)

MS = 1_000_000


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with Server() as server:
        yield server


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("shape", SHAPES)
def test_a_reply_holds_the_tokens_of_its_script(shape, dialect):
    script = Script(shape, 100, 41)
    messages = list(reply(script, dialect, 128))
    assert sum(message.tokens for message in messages) == 41
    assert max(message.tokens for message in messages) == {"two": 2, "lump": 8}.get(shape, 1)
    due_ns = [message.due_ns for message in messages]
    assert due_ns == sorted(due_ns)
    texts = [message for message in messages if message.tokens]
    assert texts[0].due_ns == script.first_ns == PREFILL_NS + script.queue_ns
    assert texts[-1].due_ns == script.first_ns + 40 * 10 * MS
    assert named(script.name) == script


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("shape", SHAPES)
def test_what_is_counted_as_a_token_is_text_for_the_program(shape, dialect):
    live = Live()
    live.feed([Meta({"engine": dialect}), Note(0, "sent"), Note(1, "head", {"status": 200, "headers": []})])
    for message in reply(Script(shape, 100, 41), dialect, 128):
        before = live.view().chunks
        live.feed([Read(message.due_ns, message.data)])
        assert (live.view().chunks > before) == (message.tokens > 0)
    view = live.view()
    assert (view.tokens, view.complete) == (41, True)
    assert set(view.warnings) == ({"buffered_delivery"} if shape == "lump" else set())
    assert bool(view.reasoning.length) == (shape == "reasoning")


def truth_of(*sent_ms: float) -> Truth:
    return Truth(
        "one-1-1",
        0,
        [round(ms * MS) for ms in sent_ms],
        [10 * (i + 1) for i in range(len(sent_ms))],
        [1] * len(sent_ms),
    )


def reads_of(truth: Truth, late_ns: int = 0, recv_late_ns: int = 0) -> list[Seen]:
    return [
        Seen(end, sent_ns + late_ns, sent_ns + recv_late_ns)
        for end, sent_ns in zip(truth.ends, truth.sent_ns, strict=True)
    ]


def test_the_truth_against_itself_has_no_error():
    truth = truth_of(300, 310, 320, 330, 345)
    matched = pairs(truth, reads_of(truth))
    assert set(stamp_errors(matched)) == set(recv_errors(matched)) == set(gap_errors(matched)) == {0}
    assert impossible(matched) == 0


def test_what_is_late_is_late_by_as_much():
    truth = truth_of(300, 310, 320)
    matched = pairs(truth, reads_of(truth, 20_000, 70_000))
    assert stamp_errors(matched) == [20_000] * 3
    assert recv_errors(matched) == [70_000] * 3
    assert gap_errors(matched) == [0, 0]


def test_messages_in_one_read_have_its_stamp():
    truth = truth_of(300, 310, 320)
    matched = pairs(truth, [Seen(10, 300 * MS, 300 * MS), Seen(30, 321 * MS, 322 * MS)])
    assert stamp_errors(matched) == [0, 11 * MS, 1 * MS]
    assert gap_errors(matched) == pytest.approx([1.1, 1.0])


def test_a_message_cut_in_two_has_the_stamp_of_its_end():
    truth = truth_of(300, 310)
    reads = [Seen(4, 300 * MS, 300 * MS), Seen(10, 301 * MS, 301 * MS), Seen(20, 310 * MS, 310 * MS)]
    assert stamp_errors(pairs(truth, reads)) == [1 * MS, 0]


def test_messages_without_tokens_are_not_measured():
    truth = Truth("role-1-1", 0, [5, 300, 310], [10, 20, 30], [0, 2, 1])
    assert [pair.sent_ns for pair in pairs(truth, reads_of(truth))] == [300, 310]
    assert truth.ttft_ns == 300
    assert truth.rate_tps == 1e9 / 10


def test_missing_bytes_are_no_small_error():
    truth = truth_of(300, 310)
    with pytest.raises(ValueError, match="10 bytes"):
        pairs(truth, reads_of(truth)[:1])


def test_impossible_stamps_are_counted():
    early = Pair(100_000, Seen(1, 90_000, 200_000))
    late = Pair(100_000, Seen(1, 200_001, 200_000))
    assert impossible([early, late, Pair(100_000, Seen(1, 150_000, 200_000))]) == 2


def test_lag_that_grows_is_seen():
    steady = [Pair(0, Seen(1, 10, 10))] * 5
    assert lag_growth(steady) == 1
    assert lag_growth([*steady, *[Pair(0, Seen(1, 30, 30))] * 2]) == 3


def test_a_recording_without_its_zero_is_refused(tmp_path: Path):
    (tmp_path / "old.jsonl").write_text(
        '{"meta": {"format": "toklane/1"}}\n{"t": 0, "event": {"name": "sent"}}\n'
    )
    with pytest.raises(ValueError, match="monotonic"):
        seen(read(tmp_path / "old.jsonl"))


def test_percentiles_are_values_that_occurred():
    assert [percentile(range(1, 101), p) for p in (50, 95, 99, 100)] == [50, 95, 99, 100]
    assert percentile([7], 99) == 7


def test_the_server_tells_no_more_than_its_dialect_knows(server: Server):
    with urllib.request.urlopen(f"{server.url}/v1/models") as answer:
        assert named(json.load(answer)["data"][0]["id"])
    with pytest.raises(urllib.error.HTTPError, match="404"):
        urllib.request.urlopen(f"{server.url}/props")
