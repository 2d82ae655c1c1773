"""Whole sittings with an engine that tells nothing: calibrate, expect, split, replay, and when not to."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.capture.silent import SilentEngine
from tui.capture.calibrating import lengths_for
from tui.capture.experience import Experience
from tui.capture.lines import to_line
from tui.capture.live import Live
from tui.capture.recording import read
from tui.capture.session import Session
from tui.capture.target import Target
from tui.domain.calibration import Calibration
from tui.domain.expect import told_expectation
from tui.domain.knobs import Cache, Knobs
from tui.domain.values import Provenance
from tui.domain.view import View
from tui.report.calibration import calibrate
from tui.report.numbers import run_object

A, B = 0.15, 0.002
KNOBS = Knobs(prompt_tokens=1024, answer_limit=2)
Sit = Callable[..., Session]


def truth(tokens: int) -> float:
    return A + B * tokens


@pytest.fixture
def engine() -> SilentEngine:
    return SilentEngine(truth)


@pytest.fixture
def sit(engine: SilentEngine, tmp_path: Path) -> Sit:
    """A new program: a session of its own, the same file."""

    def begin() -> Session:
        session = Session(engine, clock=lambda: 0, experience=Experience(tmp_path / "experience.jsonl"))
        session.aim(Target("http://127.0.0.1:8080"))
        turn(session, lambda: session.found is not None)
        return session

    return begin


def turn(session: Session, done: Callable[[], bool]) -> None:
    for _ in range(200):
        session.drain()
        if done():
            return
    raise AssertionError((session.problem, session.notice))


def sent(session: Session, knobs: Knobs = KNOBS) -> View:
    session.send(knobs)
    turn(session, lambda: not session.running)
    return session.view()


def calibrated(session: Session) -> Calibration | str | None:
    session.calibrate(KNOBS)
    turn(session, lambda: not session.running)
    return session.calibrated


def test_the_factors_of_the_engine_are_found(sit: Sit, engine: SilentEngine) -> None:
    session = sit()
    found = calibrated(session)
    assert isinstance(found, Calibration)
    assert (found.a_s, found.b_s, found.c_s) == (pytest.approx(A, rel=0.02), pytest.approx(B, rel=0.02), 0.0)
    assert found.runs == 8 and len(engine.orders) == 9, "the first one is to warm up"
    assert session.notice.startswith("calibrated by 8 runs: ≈ 150 ms + 2.0 ms a token, ± 2 %")
    bodies = [json.loads(order.body or "") for order in engine.orders]
    assert {body["max_tokens"] for body in bodies} == {2}
    assert len({json.dumps(body["messages"]) for body in bodies}) == 9, "no two prompts are the same"


def test_a_later_program_splits_the_wait_and_marks_it(sit: Sit) -> None:
    calibrated(sit())
    view = sent(sit())
    prefill, waiting = view.phase("prefill"), view.phase("waiting")
    assert prefill is not None and waiting is not None and view.prompt_tokens is not None
    assert prefill.provenance is waiting.provenance is Provenance.ESTIMATED
    assert prefill.duration_ns / 1e9 == pytest.approx(B * view.prompt_tokens, rel=0.02)
    assert run_object(view)["prefill_s"] is None


def test_a_replay_shows_the_same(sit: Sit, engine: SilentEngine, tmp_path: Path) -> None:
    calibrated(sit())
    engine.records.clear()  # the next program counts from 1 again
    view = sent(sit())
    file = tmp_path / "run.jsonl"
    file.write_bytes(b"".join(map(to_line, engine.records[engine.orders[-1].id])))
    again = Live()
    again.feed(read(file).records)
    assert again.view().phases == view.phases and view.phase("prefill") is not None
    assert told_expectation(again.view().conditions) == told_expectation(view.conditions) is not None


def test_nothing_is_split_before_a_calibration_nor_elsewhere(sit: Sit) -> None:
    assert sent(sit()).phase("prefill") is None
    calibrated(sit())
    other = sit()
    other.aim(Target("http://127.0.0.1:8081"))
    turn(other, lambda: other.found is not None and other.found.base.root.endswith("8081"))
    assert sent(other).phase("prefill") is None


def test_reuse_told_or_asked_for_is_not_split(sit: Sit, engine: SilentEngine) -> None:
    calibrated(sit())
    engine.usage = {"prompt_tokens_details": {"cached_tokens": 900}}
    assert sent(sit()).phase("prefill") is None
    engine.usage = {}
    assert sent(sit(), Knobs(prompt_tokens=1024, cache=Cache.SAME)).phase("prefill") is None


def test_a_wait_unlike_the_trials_is_not_split(sit: Sit, engine: SilentEngine) -> None:
    calibrated(sit())
    engine.delay_s = lambda tokens: 3 * truth(tokens)
    waiting = sent(sit()).phase("waiting")
    assert waiting is not None and "longer than the calibration runs" in waiting.source


def test_an_engine_that_tells_is_left_alone_after_one_prompt(sit: Sit, engine: SilentEngine) -> None:
    engine.timings = lambda tokens: {
        "prompt_n": tokens, "prompt_ms": 90.0, "predicted_n": 2, "predicted_ms": 10.0,
    }  # fmt: skip
    session = sit()
    assert "tells how long it reads" in str(calibrated(session))
    assert len(engine.orders) == 1 and "not calibrated" in session.notice


def test_an_engine_whose_wait_does_not_grow_is_not_calibrated(sit: Sit, engine: SilentEngine) -> None:
    engine.delay_s = lambda tokens: 0.3
    session = sit()
    assert "does not grow" in str(calibrated(session))
    assert sent(session).phase("prefill") is None


def test_it_can_be_stopped_and_a_send_stops_it_too(sit: Sit, engine: SilentEngine) -> None:
    engine.delay_s = None
    session = sit()
    assert "7,552 tokens" in session.calibrate(KNOBS)
    turn(session, lambda: len(engine.orders) == 1)
    assert session.running and session.calibrating is not None
    session.cancel()
    turn(session, lambda: session.ended)
    assert not session.running and session.calibrated is None and len(engine.orders) == 1
    session.calibrate(KNOBS)
    engine.delay_s = truth
    sent(session)
    assert session.calibrated is None and session.calibrating is None


def test_the_lengths_fit_the_context() -> None:
    assert lengths_for(None) == lengths_for(4096) == (128, 512, 1024, 2048)
    assert lengths_for(514) == (32, 128, 256, 512)
    assert lengths_for(40) == ()


def test_two_runs_are_expected_by_the_next_program_and_its_error_is_kept(
    sit: Sit, engine: SilentEngine, tmp_path: Path
) -> None:
    first = sent(sit())
    assert told_expectation(first.conditions) is None
    sent(sit())
    expected = told_expectation(sent(sit()).conditions)
    assert expected is not None and expected.runs == 2
    assert expected.ttft_s == pytest.approx(first.ttft.number, rel=0.1)
    lines = [json.loads(line) for line in (tmp_path / "experience.jsonl").read_text().splitlines()]
    assert [("expected_s" in line["run"]) for line in lines] == [False, False, True]
    assert told_expectation(sent(sit(), Knobs(prompt_tokens=1024, cache=Cache.SAME)).conditions) is None


def test_stopped_runs_and_rivals_teach_nothing(sit: Sit, engine: SilentEngine) -> None:
    session = sit()
    engine.delay_s = None
    session.send(KNOBS)
    turn(session, lambda: len(engine.orders) == 1)
    session.cancel()
    turn(session, lambda: session.ended)
    engine.delay_s = truth
    sent(session, Knobs(prompt_tokens=1024, rivals=1))
    sent(session)
    assert told_expectation(sent(session).conditions) is None


def test_the_command_line_tells_cost_progress_and_result(sit: Sit) -> None:
    out, err = io.StringIO(), io.StringIO()
    assert calibrate(sit(), KNOBS, False, out, err) == 0
    assert out.getvalue().startswith("calibrated by 8 runs: ≈ ")
    lines = err.getvalue().splitlines()
    assert "9 prompts without reuse, 7,552 tokens in all" in lines[0]
    assert [line.partition(":")[2].partition(" of")[0] for line in lines[1:]] == [
        f" prompt {n}" for n in range(1, 10)
    ]


def test_the_command_line_tells_why_there_is_no_curve(sit: Sit, engine: SilentEngine) -> None:
    engine.delay_s = lambda tokens: 0.3
    out, err = io.StringIO(), io.StringIO()
    assert calibrate(sit(), KNOBS, True, out, err) == 1
    assert len(json.loads(out.getvalue())["runs"]) == 9
    assert "not calibrated: the time to the first token does not grow" in err.getvalue()
