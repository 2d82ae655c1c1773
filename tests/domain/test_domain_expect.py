"""What earlier runs promise: known truths come back, and what no longer fits is forgotten."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tui.domain.events import ErrorKind, Failed
from tui.domain.expect import Expected, Known, expect, fields_of, known_from, told_expectation
from tui.domain.fit import fitted
from tui.domain.phases import Phase
from tui.domain.values import Provenance, Value
from tui.domain.view import Stage, View

WOBBLE = (0.99, 1.01, 1.0, 1.02, 0.98, 1.0)
DONE = View(
    Stage.FINISHED,
    complete=True,
    prompt_tokens=512,
    ttft=Value(1.9, "s", Provenance.OBSERVED),
    conditions={"prompt_tokens_asked": 512, "cache_mode": "cold", "start_time": "then"},
)


def runs(*ttft_s: float, asked: int = 512) -> list[Known]:
    return [Known(asked, each) for each in ttft_s]


def test_one_run_is_no_habit() -> None:
    assert expect(runs(1.9), 512) is None
    assert expect([], 512) is None


def test_equal_lengths_give_their_middle_and_their_range() -> None:
    assert expect(runs(1.9, 1.7, 2.4, 1.9, 1.8), 512) == Expected(1.9, 1.7, 2.4, 5)


def test_newer_runs_count_more() -> None:
    rising = expect(runs(1.0, 1.0, 1.0, 1.05, 1.05, 1.05), 512)
    assert rising is not None and rising.ttft_s == 1.05


def test_a_changed_speed_is_learned_from_two_runs_and_the_old_one_forgotten() -> None:
    assert expect(runs(2.0, 2.1, 2.0, 1.0, 1.02), 512) == Expected(1.02, 1.0, 1.02, 2)
    assert expect(runs(2.0, 2.1, 2.0, 4.0, 4.1), 512) == Expected(4.1, 4.0, 4.1, 2)


def test_an_accident_is_passed_over_once_a_usual_run_follows() -> None:
    assert expect(runs(2.0, 2.1, 9.0, 2.05), 512) == Expected(2.05, 2.0, 2.1, 3)
    doubted = expect(runs(2.0, 2.1, 9.0), 512)
    assert doubted is not None and doubted.high_s == 9.0, "until then it is shown in the range"


def test_another_length_is_read_off_a_curve_with_a_known_truth() -> None:
    known = [
        Known(n, (0.1 + 0.001 * n + 2e-7 * n * n) * wobble)
        for n, wobble in zip((128, 256, 512, 1024, 2048, 512), WOBBLE, strict=True)
    ]
    found = expect(known, 1536)
    truth = 0.1 + 0.001 * 1536 + 2e-7 * 1536**2
    assert found is not None and found.fitted and found.runs == 6
    assert found.ttft_s == pytest.approx(truth, rel=0.05)
    assert found.low_s < truth < found.high_s


def test_a_curve_promises_nothing_far_away_from_what_it_knows() -> None:
    known = [Known(n, 0.1 + 0.001 * n) for n in (128, 256, 512)]
    assert expect(known, 1024) is not None
    assert expect(known, 4096) is None
    assert expect(runs(1.0, asked=256) + runs(1.5, asked=300), 400) is None, "two runs are no curve"


def test_the_range_is_as_wide_as_the_estimates_were_wrong() -> None:
    narrow = runs(2.0, 2.0, 2.0, 2.0)
    wrong = [replace(run, expected_s=1.6) for run in narrow]
    assert expect(narrow, 512) == Expected(2.0, 2.0, 2.0, 4)
    assert expect(wrong, 512) == Expected(2.0, pytest.approx(1.5), pytest.approx(2.5), 4)


def test_factors_are_never_negative() -> None:
    fit = fitted([(100, 1.0), (200, 0.8), (400, 0.6), (800, 0.5), (1600, 0.4)])
    assert fit is not None and min(fit.a, fit.b, fit.c) >= 0 and fit.spread > 0.1


def test_the_bend_is_kept_only_where_it_pays() -> None:
    lengths = (128, 512, 1024, 2048) * 2
    straight = fitted([(n, (0.2 + 0.001 * n) * WOBBLE[k % 6]) for k, n in enumerate(lengths)])
    bent = fitted([(n, 0.2 + 0.001 * n + 1e-6 * n * n) for n in lengths])
    assert straight is not None and straight.c == 0
    assert (straight.a, straight.b) == (pytest.approx(0.2, rel=0.1), pytest.approx(0.001, rel=0.05))
    assert bent is not None and bent.c == pytest.approx(1e-6, rel=1e-3)


def test_a_whole_run_teaches_its_time() -> None:
    assert known_from(DONE) == Known(512, 1.9, 512, at="then")


@pytest.mark.parametrize(
    "view",
    [
        replace(DONE, stage=Stage.CANCELLED, complete=False),
        replace(DONE, complete=False),
        replace(DONE, stage=Stage.FAILED, failure=Failed(0, ErrorKind.HTTP_ERROR, "no"), complete=False),
        replace(DONE, ttft=replace(DONE.ttft, reliable=False)),
        replace(DONE, slots_busy=True),
        replace(DONE, conditions={**DONE.conditions, "rivals": 2}),
        replace(DONE, warnings={"not_streamed": "whole"}),
        replace(DONE, phases=(Phase("load", 0, 10, Provenance.MEASURED, "told"),)),
        replace(DONE, cached_tokens=400),
        replace(DONE, conditions={**DONE.conditions, "cache_mode": "same"}),
        replace(DONE, conditions={**DONE.conditions, "cache_mode": "same"}, cached_tokens=0),
    ],
)
def test_a_disturbed_run_teaches_nothing(view: View) -> None:
    assert known_from(view) is None


def test_a_reused_prompt_is_learned_only_where_reuse_was_told() -> None:
    same = replace(DONE, conditions={**DONE.conditions, "cache_mode": "same"}, cached_tokens=500)
    assert known_from(same) is not None


def test_an_expectation_survives_its_recording_and_a_false_one_does_not() -> None:
    expected = Expected(1.9, 1.7, 2.4, 5)
    assert told_expectation({"expected": fields_of(expected)}) == expected
    for damaged in (None, 3, {}, fields_of(expected) | {"low_s": 5.0}, fields_of(expected) | {"runs": "5"}):
        assert told_expectation({"expected": damaged}) is None
