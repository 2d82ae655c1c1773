"""Rivals on the real engine: with one slot the request queues behind them, with two they share it."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tui.capture.channel import Child
from tui.capture.live import Live
from tui.capture.recording import read
from tui.capture.replay_session import ReplaySession
from tui.capture.session import Session
from tui.capture.shelf import Shelf
from tui.capture.target import Target
from tui.domain.knobs import Knobs
from tui.domain.view import Stage, View
from tui.engines.embedded import EmbeddedEngine

PATIENCE_S = 90
KNOBS = Knobs(prompt_tokens=256, answer_limit=16, ignore_eos=True)


def until(session: Session, done: Callable[[], bool]) -> None:
    limit = time.monotonic() + PATIENCE_S
    session.drain()
    while not done():
        assert time.monotonic() < limit, (session.problem, session.notice, session.activity)
        session.wait(0.05)
        session.drain()


def sent(session: Session, knobs: Knobs) -> View:
    session.send(knobs)
    until(session, lambda: not session.running)
    assert session.notice == ""
    until(session, lambda: session.ended)
    return session.view()


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    session = Session(Child.start(), None, Shelf(tmp_path / "runs"))
    yield session
    session.close()


def test_with_one_slot_it_waits_for_all_that_were_sent_before(
    session: Session, engine: EmbeddedEngine
) -> None:
    session.aim(Target(engine.base_url, engine.api_key))
    until(session, lambda: session.found is not None)
    session.send(Knobs(prompt_tokens=256, answer_limit=16, ignore_eos=True, rivals=2))
    until(session, lambda: session.view().slots_busy or not session.running)
    assert session.view().phases[-1].name == "queue", "it is told while it lasts"
    until(session, lambda: session.ended)
    view = session.view()
    assert view.complete and view.conditions["rivals"] == 2
    queue = view.phase("queue")
    assert queue is not None
    ended = [rival.turns[0].ended_ns or 0 for rival in view.rivals]
    assert len(ended) == 2 and all(at < (view.phase("prefill") or queue).end_ns for at in ended)
    assert abs(max(ended) - queue.end_ns) < queue.duration_ns / 4, "the queue ends when the last of them does"
    assert all(rival.turns[-1].ended_ns is not None for rival in view.rivals)
    assert session.run is not None and session.run.label.endswith("+2 rivals")


def test_a_replay_shows_the_same_rivals(session: Session, engine: EmbeddedEngine) -> None:
    session.aim(Target(engine.base_url, engine.api_key))
    until(session, lambda: session.found is not None)
    view = sent(session, Knobs(prompt_tokens=128, answer_limit=16, ignore_eos=True, rivals=1))
    assert session.run is not None and session.run.recording is not None
    recording = read(session.run.recording)
    again = Live()
    again.feed(recording.records)
    assert again.view().rivals == view.rivals != ()
    player = ReplaySession(recording, session.run.recording, clock=lambda: 0)
    assert player.knobs.rivals == 1


def test_the_built_in_engine_gets_a_second_slot_when_it_is_needed(session: Session, gguf: Path) -> None:
    session.gguf = gguf
    session.embed()
    until(session, lambda: session.found is not None)
    assert session.found is not None and session.found.slots == 1
    assert sent(session, KNOBS).conditions["slots"] == 1
    session.send(Knobs(prompt_tokens=256, answer_limit=16, ignore_eos=True, rivals=1))
    assert session.running and "2 slots" in session.activity
    until(session, lambda: not session.running)
    view = session.view()
    assert view.stage is Stage.FINISHED and view.conditions["slots"] == 2
    assert session.context == 8192, "each slot has the whole context"
    assert not view.slots_busy
    engine = session.builtin.engine
    sent(session, KNOBS)
    assert session.builtin.engine is engine, "once it has two it keeps them"


def test_an_engine_that_begins_with_rivals_is_started_once(session: Session, gguf: Path) -> None:
    session.gguf = gguf
    session.builtin.make_room(2)
    session.embed()
    until(session, lambda: session.found is not None)
    engine = session.builtin.engine
    session.send(Knobs(prompt_tokens=128, answer_limit=16, rivals=2))
    assert session.builtin.engine is engine
    session.cancel()
    assert not session.running


def test_cancel_while_the_engine_starts_anew_sends_nothing(session: Session, gguf: Path) -> None:
    session.gguf = gguf
    session.embed()
    until(session, lambda: session.found is not None)
    session.send(Knobs(prompt_tokens=128, answer_limit=16, rivals=1))
    session.cancel()
    assert not session.running and session.activity == ""
    until(session, lambda: session.found is not None)
    assert session.run is None
