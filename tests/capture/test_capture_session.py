"""A whole sitting on the real built-in engine: aim, size, probe, send, watch, cancel, record."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tui.capture.channel import Child
from tui.capture.live import Live
from tui.capture.recording import read
from tui.capture.session import Session
from tui.capture.shelf import Shelf
from tui.capture.target import Target
from tui.domain.knobs import Cache, Knobs, Profile
from tui.domain.values import Provenance
from tui.domain.view import Stage, View
from tui.engines.embedded import EmbeddedEngine

SHORT = Knobs(prompt_tokens=128, answer_limit=16, ignore_eos=True)
PATIENCE_S = 60
ROUNDS = 5  # where a bare round trip takes longer than the tokenizer, its time is not told: another chance


def until(session: Session, done: Callable[[], bool]) -> None:
    limit = time.monotonic() + PATIENCE_S
    session.drain()
    while not done():
        assert time.monotonic() < limit, (session.problem, session.notice, session.activity)
        session.wait(0.05)
        session.drain()


@pytest.fixture
def open_session(engine: EmbeddedEngine, tmp_path: Path) -> Iterator[Callable[[], Session]]:
    opened: list[Session] = []

    def make() -> Session:
        session = Session(Child.start(), None, Shelf(tmp_path / "runs"))
        opened.append(session)
        session.aim(Target(engine.base_url, engine.api_key))
        until(session, lambda: session.found is not None or bool(session.problem))
        assert session.problem == ""
        return session

    yield make
    for session in opened:
        session.close()


def sent(session: Session, knobs: Knobs) -> View:
    session.send(knobs)
    until(session, lambda: not session.running)
    assert session.notice == ""
    return session.view()


def test_every_phase_of_a_real_request(open_session: Callable[[], Session]) -> None:
    session = open_session()
    number, near = 0, False
    while number < ROUNDS:
        number += 1
        view = sent(session, SHORT)
        assert view.stage is Stage.FINISHED and view.complete
        phases = {p.name: p for p in view.phases}
        near = view.decode.number == pytest.approx(view.decode_engine.number, rel=0.05)
        if near and "tokenize" in phases:
            break
    assert near
    assert set(phases) >= {"send", "tokenize", "queue", "prefill", "decode"}
    assert phases["prefill"].provenance is phases["decode"].provenance is Provenance.MEASURED
    # durations are the engine's own, and all phases together are what we saw
    assert phases["prefill"].duration_ns == view.told_ns["prefill"]
    assert phases["decode"].duration_ns == view.told_ns["decode"]
    tiled = sum(p.duration_ns for p in view.phases if p.name != "connect")
    assert view.total_ns is not None and abs(tiled - view.total_ns) < 5_000_000
    assert view.prompt_tokens is not None and abs(view.prompt_tokens - 128) <= 2
    assert view.tokens == 16
    assert session.shelf.ghost is not None and session.shelf.ghost.number == number


def test_the_same_prompt_again_is_reused(open_session: Callable[[], Session]) -> None:
    session = open_session()
    knobs = Knobs(prompt_tokens=200, answer_limit=16, ignore_eos=True, cache=Cache.SAME)
    sent(session, knobs)
    view = sent(session, knobs)
    assert view.cached_tokens is not None and view.cached_tokens > 190
    assert (view.processed_tokens or 0) + view.cached_tokens == view.prompt_tokens


def test_a_busy_slot_is_queue_and_not_prefill(open_session: Callable[[], Session]) -> None:
    first, second = open_session(), open_session()
    first.send(Knobs(prompt_tokens=128, answer_limit=256, ignore_eos=True))
    until(first, lambda: first.view().stage is Stage.DECODING)
    second.send(SHORT)
    until(second, lambda: second.view().slots_busy or not second.running)
    assert second.view().phases[-1].name == "queue"
    until(second, lambda: not second.running)
    phases = {p.name: p.duration_ns for p in second.view().phases}
    assert phases["queue"] > 300_000_000  # ours; the first one writes 256 tokens meanwhile
    assert second.view().told_ns["prefill"] == phases["prefill"]


def test_cancel_frees_the_engine_at_once(open_session: Callable[[], Session]) -> None:
    session = open_session()
    session.send(Knobs(prompt_tokens=2000, answer_limit=16))
    until(session, lambda: session.view().stage is Stage.PREFILL)
    session.cancel()
    assert not session.running
    until(session, lambda: session.view().stage is Stage.CANCELLED)
    assert sent(session, SHORT).complete


def test_turning_the_knob_fast_leaves_one_request(open_session: Callable[[], Session]) -> None:
    session = open_session()
    for length in (128, 160, 192, 224, 256):
        session.send(Knobs(prompt_tokens=length, answer_limit=16, ignore_eos=True))
        session.drain()
    until(session, lambda: not session.running)
    view = session.view()
    assert view.prompt_tokens is not None and abs(view.prompt_tokens - 256) <= 2.56
    assert view.complete


def test_turning_the_knob_fast_leaves_no_file_for_what_was_not_sent(
    open_session: Callable[[], Session], tmp_path: Path
) -> None:
    session = open_session()
    for length in (128, 160, 192, 224):
        session.send(Knobs(prompt_tokens=length, answer_limit=16, ignore_eos=True))
        session.drain()
    until(session, lambda: not session.running and session.ended)
    assert session.run is not None
    assert session.shelf.runs == session.run.number
    assert len(list((tmp_path / "runs").iterdir())) == session.run.number


def test_live_and_replay_are_the_same_run(open_session: Callable[[], Session]) -> None:
    session = open_session()
    live = sent(session, SHORT)
    assert session.run is not None and session.run.recording is not None
    until(session, lambda: session.ended)
    again = Live()
    again.feed(read(session.run.recording).records)
    replayed = again.view()
    assert replayed.phases == live.phases
    assert (replayed.ttft, replayed.decode, replayed.gaps) == (live.ttft, live.decode, live.gaps)
    assert str(replayed.answer) == str(live.answer)
    assert replayed.conditions == live.conditions


def test_the_key_is_in_no_recording(open_session: Callable[[], Session], engine: EmbeddedEngine) -> None:
    session = open_session()
    sent(session, SHORT)
    until(session, lambda: session.ended)
    assert session.run is not None and session.run.recording is not None
    content = session.run.recording.read_text()
    assert engine.api_key not in content
    assert json.loads(content.splitlines()[-1])["end"] == "eof"


def test_the_agent_prompt_has_its_parts(open_session: Callable[[], Session]) -> None:
    session = open_session()
    view = sent(session, Knobs(prompt_tokens=700, answer_limit=16, profile=Profile.AGENT))
    assert session.run is not None
    assert {name for name, _ in session.run.parts} >= {"system", "tools", "history", "memory", "code"}
    assert view.prompt_tokens is not None and abs(view.prompt_tokens - 700) <= 7
    assert session.run.note


def test_nobody_there_is_one_line(tmp_path: Path) -> None:
    session = Session(Child.start(), None, Shelf(tmp_path))
    try:
        session.aim(Target("http://127.0.0.1:9"))
        until(session, lambda: bool(session.problem))
        assert "127.0.0.1:9" in session.problem
        assert "\n" not in session.problem
        session.send(SHORT)
        assert not session.running
    finally:
        session.close()


def test_a_recording_that_cannot_be_written_stops_nothing(engine: EmbeddedEngine, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    session = Session(Child.start(), None, Shelf(tmp_path / "file" / "runs"))
    try:
        session.aim(Target(engine.base_url, engine.api_key))
        until(session, lambda: session.found is not None)
        session.send(SHORT)
        until(session, lambda: not session.running)
        assert "not recorded" in session.notice
        assert session.view().complete
    finally:
        session.close()
