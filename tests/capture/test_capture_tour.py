"""The tour without an engine, its own recordings, and the same prompt again at engines of every kind."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.app.conftest import Clock
from tests.capture.test_capture_demo import LARGEST
from tui import locations
from tui.capture.checkpoints import Checkpoints
from tui.capture.errand import Errand, Memory
from tui.capture.live import Live
from tui.capture.recording import NotARecording, read
from tui.capture.target import Target
from tui.capture.tour_session import TourSession
from tui.domain.knobs import Cache, Knobs
from tui.domain.quarters import quarter_rates
from tui.domain.view import Stage, View
from tui.engines.found import Found
from tui.engines.urls import normalised
from tui.settings import tour_script

S = 1_000_000_000
OWN = sorted(locations.tour_dir().glob("*.gz"))


def seen(name: str) -> View:
    live = Live()
    live.feed(read(locations.tour_dir() / f"{name}.jsonl.gz").records)
    return live.view()


def test_every_file_there_is_played_and_small() -> None:
    played = {act.recording for act in tour_script.load()}
    assert set(OWN) <= played
    assert sum(file.stat().st_size for file in OWN) < 2 * LARGEST


def test_a_queue_and_two_rivals_are_in_the_recording() -> None:
    view = seen("rivals")
    queue = view.phase("queue")
    assert view.complete and len(view.rivals) == 2
    assert queue is not None and queue.duration_ns > S // 2
    assert all(rival.turns[0].sent_ns < 0 for rival in view.rivals)


def test_the_long_answer_grows_slower_with_depth() -> None:
    view = seen("deep")
    first, last = quarter_rates(view)
    assert view.complete and (view.tokens or 0) >= 512
    assert first.number is not None and last.number is not None
    assert last.number < 0.9 * first.number


@pytest.fixture
def slides() -> list[tuple[str, Path | None]]:
    return [(act.title, act.recording) for act in tour_script.load()]


def test_nothing_is_shown_before_a_scene_is_sent(slides: list[tuple[str, Path | None]], clock: Clock) -> None:
    session = TourSession(slides, clock=clock)
    clock.now_ns = 9 * S
    session.drain()
    assert session.view().stage is session.outcome().stage is Stage.EMPTY
    session.at = 1
    session.send(Knobs())
    clock.now_ns += S
    session.drain()
    assert session.view().stage is Stage.PREFILL
    assert session.knobs.prompt_tokens == 2048
    assert session.outcome().complete, "however far it was played"
    assert session.shelf.ghost is None, "nothing came before"
    session.at = 2
    session.send(Knobs())
    assert session.shelf.ghost is not None and "a long prompt" in session.shelf.ghost.label


def test_a_scene_without_recording_changes_nothing(
    slides: list[tuple[str, Path | None]], clock: Clock
) -> None:
    session = TourSession([slides[0], ("bare", None)], clock=clock)
    before = session.run
    session.at = 1
    session.send(Knobs())
    assert session.run is before and not session.playing


def test_a_tour_of_no_recordings_is_refused_and_a_plain_file_is_read(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="names none"):
        TourSession([("a", None)])
    file = tmp_path / "x.jsonl"
    file.write_text("nothing")
    with pytest.raises(NotARecording):
        TourSession([("a", file)])


# -- the same prompt again ----------------------------------------------------------------------------------


@pytest.fixture
def clock() -> Clock:
    return Clock()


def sent(knobs: Knobs, memory: Memory, engine: str = "openai") -> list[tuple[str, str]]:
    """The messages of a request to an engine that counts no tokens and can't switch reuse off."""
    url = "http://127.0.0.1:9"
    found = Found(engine=engine, base=normalised(url), model="m")
    numbers = iter(range(1, 1000))
    errand = Errand(
        knobs, Target(url), found, None, lambda order: pytest.fail("it asks"), lambda: next(numbers),
        memory, None,
    )  # fmt: skip
    assert errand.done and errand._sized is not None
    return [(turn.role, turn.content) for turn in errand._sized.turns]


def test_the_same_prompt_again_is_the_newest_cold_one_word_for_word() -> None:
    memory = Memory()
    knobs, again = Knobs(prompt_tokens=256), Knobs(prompt_tokens=256, cache=Cache.SAME)
    first = sent(knobs, memory)
    assert first != sent(knobs, memory), "no cache knows it"
    newest = sent(knobs, memory)
    memory.learn("http://127.0.0.1:9", "m", 4000, 700)  # what a run taught does not change it
    assert sent(again, memory) == newest == sent(again, memory)
    other = sent(Knobs(prompt_tokens=512, cache=Cache.SAME), memory)
    assert other == sent(Knobs(prompt_tokens=512, cache=Cache.SAME), memory) and other != newest


def test_what_opening_takes_is_no_part_of_a_recording(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock()

    def slowly(*told: Any) -> Checkpoints:
        clock.now_ns += S
        return Checkpoints(*told)

    monkeypatch.setattr("tui.capture.replay_session.Checkpoints", slowly)
    session = TourSession([("a", OWN[0])], clock)
    assert session.position_ns == session.start_ns
    session.send(Knobs())
    assert session.position_ns == session.start_ns
    clock.now_ns += S // 10
    assert session.position_ns == session.start_ns + S // 10
