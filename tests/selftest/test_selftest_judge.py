"""What the selftest makes of its figures: when it trusts, and the words that say why."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from tui.capture.live import Live
from tui.domain.view import Clock, View
from tui.domain.wire import End, Meta, Note, Read
from tui.selftest.judge import Figures, figures, judge
from tui.selftest.measure import Taken
from tui.selftest.script import Script, reply
from tui.selftest.taking import Drawing
from tui.selftest.told import closing, heading, line, result_object
from tui.selftest.truth import Pair, Seen, Truth
from tui.selftest.turns import TURNS, Turn

MS = 1_000_000
FINE = 1e-9  # the resolution of a good clock, s
GOOD = Figures(
    Turn("one", "openai", Script("one", 250, 100)),
    ttft_ms=0.3,
    rate_pct=0.01,
    gap_pct=0.2,
    queue_ms=None,
    stamp_ns=[20_000] * 100,
    left_out=0,
    merged_share=0.0,
    stamps="kernel",
    problem="",
)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"ttft_ms": 7.1}, "the first token is told wrong by up to 7.1 ms (one token per message), 5 ms"),
        ({"rate_pct": 0.6}, "the rate is told wrong by up to 0.6 % (one token per message), 0.5 %"),
        ({"queue_ms": 5.2}, "the wait in the queue is told wrong by up to 5.2 ms"),
        (
            {"stamp_ns": [20_000] * 97 + [4_000_000] * 3},
            "one stamp in a hundred is wrong by 4 ms or more, 0.1",
        ),
        ({"stamp_ns": [2_100_000] * 100, "stamps": "recv"}, "wrong by 2.1 ms or more, 2 ms are allowed"),
        ({"stamp_ns": [20_000] * 40, "left_out": 60}, "interrupted so often that the stamps can't be judged"),
        ({"stamp_ns": []}, "the stamps can't be judged"),
        (
            {"problem": "99 of 100 tokens were counted"},
            "one token per message: 99 of 100 tokens were counted",
        ),
    ],
)
def test_what_is_too_far_off_is_not_trusted_and_said(change: dict[str, Any], words: str) -> None:
    verdict = judge([replace(GOOD, **change)], FINE)
    assert not verdict.trusted
    assert len(verdict.reasons) == 1 and words in verdict.reasons[0]


@pytest.mark.parametrize(
    "change",
    [
        {},
        {"ttft_ms": 5.0, "rate_pct": 0.5, "queue_ms": 5.0},
        {"stamp_ns": [100_000] * 100},
        {"stamp_ns": [2_000_000] * 100, "stamps": "recv"},
        {"stamp_ns": [20_000] * 50, "left_out": 50},
        {"gap_pct": 100.0, "merged_share": 0.3},
        {"ttft_ms": None, "rate_pct": None, "gap_pct": None, "merged_share": None},
    ],
)
def test_what_is_near_enough_is_trusted(change: dict[str, Any]) -> None:
    assert judge([replace(GOOD, **change)], FINE).trusted


def test_trust_has_its_reasons() -> None:
    verdict = judge([GOOD, replace(GOOD, ttft_ms=0.5, queue_ms=0.04)], FINE, load=9.0, cores=2)
    assert verdict.reasons == (
        "the first token is told right within 0.5 ms",
        "rates within 0.01 %",
        "a wait in the queue within 0.04 ms",
        "99 of 100 arrivals within 0.02 ms, by the kernel's stamps, while the screen was drawn",
    )
    assert (verdict.ttft_ms, verdict.queue_ms, verdict.sends) == (0.5, 0.04, 200)


def test_a_busy_machine_and_a_coarse_clock_are_named() -> None:
    bad = replace(GOOD, ttft_ms=9.0)
    assert "load 6.5 on 2 cores" in judge([bad], FINE, load=6.5, cores=2).reasons[-1]
    assert len(judge([bad], FINE, load=1.0, cores=2).reasons) == 1
    coarse = judge([GOOD], 0.015625)
    assert coarse.reasons == ("the clock of this system ticks in steps of 15.6 ms",)


def told(turn: Turn, late_ns: int = 0, lost: int = 0, slow_send_ns: int = 0) -> Taken:
    """A request as a reader would see it that is late by so much; the last `lost` messages never come."""
    messages = list(reply(turn.script, turn.dialect, 128))
    kept = messages[: len(messages) - lost]
    ends = [sum(len(message.data) for message in kept[: n + 1]) for n in range(len(kept))]
    sent = [message.due_ns for message in kept]
    done = [at + 20_000 + slow_send_ns for at in sent]
    truth = Truth(turn.script.name, 0, sent, ends, [message.tokens for message in kept], done)
    live = Live()
    reads = [
        Read(at + late_ns, it.data, None, at + late_ns + 9, True) for at, it in zip(sent, kept, strict=True)
    ]
    head = Note(1, "head", {"status": 200, "headers": []})
    live.feed([Meta({"engine": turn.dialect}), Note(0, "sent"), head, *reads, End(sent[-1] + MS, "eof")])
    pairs = [
        Pair(at, Seen(end, at + late_ns, at + late_ns), after)
        for at, end, after, it in zip(sent, ends, done, kept, strict=True)
        if it.tokens
    ]
    return Taken(turn, truth, live.view(), pairs)


@pytest.mark.parametrize("turn", TURNS, ids=lambda turn: turn.key)
def test_a_perfect_reader_has_no_error_in_any_shape(turn: Turn) -> None:
    it = figures(told(turn))
    assert it.problem == ""
    assert it.ttft_ms == pytest.approx(0, abs=1e-6)
    assert it.rate_pct is None if turn.lumped else it.rate_pct is not None and it.rate_pct < 0.26
    assert it.queue_ms is None if turn.key != "queue" else it.queue_ms == pytest.approx(0, abs=1e-6)
    assert set(it.stamp_ns) == {0} and it.left_out == 0 and it.merged_share == 0
    assert it.stamps == "kernel"


def test_errors_are_those_of_the_reader() -> None:
    it = figures(told(TURNS[0], late_ns=3 * MS))
    assert it.ttft_ms == pytest.approx(3)
    assert set(it.stamp_ns) == {3 * MS}
    assert it.gap_pct == 0 and it.rate_pct == pytest.approx(0, abs=1e-6)


def test_a_send_that_was_interrupted_is_left_out() -> None:
    it = figures(told(TURNS[0], slow_send_ns=200_000))
    assert it.stamp_ns == [] and it.left_out == 120 and it.gap_pct is None


def test_several_sends_in_one_read_are_merged() -> None:
    taken = told(TURNS[0])
    pairs: Sequence[Pair] = taken.pairs
    joined = [
        Pair(one.sent_ns, two.read, one.done_ns) for one, two in zip(pairs[:40:2], pairs[1:40:2], strict=True)
    ]
    kept = [pair for two in zip(joined, pairs[1:40:2], strict=True) for pair in two] + list(pairs[40:])
    it = figures(replace(taken, pairs=kept))
    assert it.merged_share == pytest.approx(20 / 100)


@pytest.mark.parametrize(
    ("view", "words"),
    [
        (View(complete=False), "incomplete"),
        (View(complete=True, tokens=7), "7 of 120 tokens"),
        (View(complete=True, tokens=120, warnings={"bad_chunk": "x"}), "without a cause: bad_chunk"),
        (View(complete=True, tokens=120), "no time of the first token"),
    ],
)
def test_what_is_told_wrong_beside_the_times_is_a_problem(view: View, words: str) -> None:
    assert words in figures(replace(told(TURNS[0]), view=view)).problem


def test_lumps_must_be_recognised() -> None:
    lump = next(turn for turn in TURNS if turn.lumped)
    taken = told(lump)
    blind = replace(taken.view, warnings={}, clock=Clock("kernel"))
    assert figures(replace(taken, view=blind)).problem == "a rate was taken from lumps"


def test_the_object_has_all_keys_also_where_nothing_was_measured() -> None:
    nothing = replace(GOOD, ttft_ms=None, rate_pct=None, gap_pct=None, stamp_ns=[], merged_share=None)
    for it, drawings in ((GOOD, [Drawing(2.0, 40, 80_000, 0.08)]), (nothing, [])):
        told_object = result_object(judge([it], FINE), [it], drawings)
        assert list(told_object) == [
            "format", "trusted", "reasons", "ttft_error_ms", "rate_error_pct", "gap_error_pct",
            "queue_error_ms", "stamp_error_ms", "stamps", "merged_share", "sends", "sends_left_out", "frame",
            "shapes",
        ]  # fmt: skip
        assert set(told_object["stamp_error_ms"]) == {"p50", "p95", "p99", "max"}  # type: ignore[call-overload]
        assert told_object["shapes"]["one"]["problem"] is None  # type: ignore[index]
    assert told_object["stamp_error_ms"]["p99"] is None  # type: ignore[index]
    assert told_object["frame"] == {"cpu_ms": None, "bytes": None, "per_s": None}


def test_the_lines_fit_and_say_the_verdict() -> None:
    every = [replace(GOOD, turn=turn, ttft_ms=12.3456, queue_ms=123.4) for turn in TURNS]
    verdict = judge(every, FINE)
    lines = [*heading(), *map(line, every), *closing(verdict, [Drawing(2.0, 40, 80_000, 0.08)])]
    assert max(map(len, lines)) <= 80
    text = " ".join(" ".join(lines).split())
    assert "trusted: no, because the first token is told wrong by up to 12.3 ms" in text
    assert "20 frames a second into a terminal of its own, 120 × 36, 2 ms of processor each, 2 kB" in text
    assert "not drawn" in " ".join(closing(verdict, []))
    assert "trusted: yes, because" in " ".join(closing(judge([GOOD], FINE), []))
