"""The tour on the screen: from start to end, live and from recordings; knobs, trouble, and the way back."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from tests.app.conftest import Clock, Watch, Watched, watching
from tests.app.scripted import MS, S, ScriptedSession, whole
from tui.app.desk import Desk
from tui.app.main import Monitor
from tui.app.tour.first import TourFirst
from tui.app.tour.rows import caption
from tui.app.tour.shown import Part, Shown
from tui.capture.demo import DemoSession
from tui.capture.tour_session import TourSession
from tui.domain import events as ev
from tui.domain.knobs import Cache, Knobs
from tui.domain.pressure import Pressure
from tui.domain.view import Stage
from tui.plot.rows import plain
from tui.settings import tour_script
from tui.settings.tour_script import Act, parse

SMALL = (120, 36)
Open = Callable[..., AbstractAsyncContextManager[Watched]]
SCRIPT = """
[[scene]]
title = "short"
before = "A short one."
while = "It is read: {prompt}, first word {ttft}."
after = "First word after {ttft}, {tokens} tokens, cached {cached}, never {before.ttft}."
prompt_tokens = 256
max_tokens = 32

[[scene]]
title = "again"
before = "Once more, it was {before.ttft}."
after = "After {ttft}, before {before.ttft}: {cached} of {prompt}."
prompt_tokens = 256
max_tokens = 32
cache = "same"
rivals = 2
"""


@pytest.fixture
def acts(tmp_path: Path) -> tuple[Act, ...]:
    return parse(SCRIPT, tmp_path / "tour.toml")


@pytest.fixture
def still(monkeypatch: pytest.MonkeyPatch) -> None:
    """Frames come from the test alone."""
    monkeypatch.setattr(Desk, "on_mount", lambda desk: None)
    monkeypatch.setattr(Monitor, "_settle", lambda app: None)


@pytest.fixture
def touring(session: ScriptedSession, clock: Clock, acts: tuple[Act, ...], still: None) -> Open:
    """The monitor with a live tour on it."""
    session.script = lambda knobs: whole(
        knobs, prefill_ns=400 * MS, tokens=28, cached=200 if knobs.cache is Cache.SAME else 0
    )

    @asynccontextmanager
    async def opened(size: tuple[int, int] = SMALL, staged: bool = False) -> AsyncIterator[Watched]:
        app = Monitor(lambda: (session, Knobs(prompt_tokens=1024)), staged=staged)
        async with watching(app, size, session, clock) as at:
            at.desk.begin_tour(acts)
            await at.frame()
            yield at

    return opened


# -- at an engine ---------------------------------------------------------------------------------------


async def test_a_live_tour_goes_from_start_to_end_with_one_key(
    touring: Open, session: ScriptedSession
) -> None:
    async with touring() as at:
        assert "1/2  A short one." in at.text and "tour 1 of 2" in at.rows[0]
        assert "enter space send" in at.rows[-1] and "esc leave" in at.rows[-1]
        assert "backspace" not in at.rows[-1], "there is no scene before"
        await at.wait(30)
        assert session.sent == [], "nothing is sent without a key"
        await at.press("enter")
        await at.wait(0.2)
        assert "1/2  It is read: 256, first word –." in at.text
        assert "space next scene" in at.rows[-1] and "esc stop" in at.rows[-1]
        await at.wait(3)
        assert "First word after 401 ms, 28 tokens, cached 0, never –." in at.text
        await at.press("enter")
        assert "2/2  Once more, it was 401 ms." in at.text
        assert len(session.sent) == 1, "the key that opens a scene does not send it"
        await at.press("enter")
        await at.wait(3)
        assert "2/2  After 401 ms, before 401 ms: 200 of 256." in at.text
        await at.press("enter")
        assert "that was the last scene" in at.rows[-1]
        assert [(k.prompt_tokens, k.answer_limit, k.cache, k.rivals) for k in session.sent] == [
            (256, 32, Cache.COLD, 0),
            (256, 32, Cache.SAME, 2),
        ]
        await at.press("escape")
        assert "tour" not in at.rows[0] and "Finished" in at.rows[2]
        assert at.desk.pump.knobs == Knobs(prompt_tokens=1024), "the knobs are those of before"
        assert session.shelf.runs == 2, "its runs are kept"


@pytest.mark.parametrize("key", ["space", "pagedown"])
async def test_a_presenter_s_key_sends_then_goes_on_even_while_it_runs(
    touring: Open, session: ScriptedSession, key: str
) -> None:
    async with touring() as at:
        await at.press(key)
        await at.wait(0.2)
        assert len(session.sent) == 1
        await at.press("enter")
        assert "not over yet" in at.rows[-1] and len(session.sent) == 1
        await at.press(key)
        assert session.cancelled == 1 and "2/2" in at.text
        assert "it was –" in at.text, "it had no first token"
        await at.press(key, key)
        assert "that was the last scene" in at.rows[-1]


@pytest.mark.parametrize("key", ["backspace", "pageup"])
async def test_back_goes_to_the_scene_s_beginning_and_then_to_the_one_before(
    touring: Open, session: ScriptedSession, key: str
) -> None:
    async with touring() as at:
        await at.press("enter")
        await at.wait(3)
        await at.press("enter", "enter")
        await at.wait(0.2)
        await at.press(key)
        assert session.cancelled == 1 and "2/2  Once more" in at.text
        await at.press(key)
        assert "1/2  A short one." in at.text
        assert at.desk.pump.knobs.cache is Cache.COLD
        await at.press(key)
        assert "this is the first scene" in at.rows[-1]
        assert len(session.sent) == 2


async def test_knobs_turned_in_the_middle_are_sent_by_enter_and_left_by_space(
    touring: Open, session: ScriptedSession
) -> None:
    async with touring() as at:
        await at.press("enter")
        await at.wait(3)
        await at.press("right", "c")
        assert "prompt ←" in at.text and "1/2" not in at.text, "the dial is back while a knob is turned"
        assert "enter send" in at.rows[-1] and "space next scene" in at.rows[-1]
        await at.press("enter")
        assert (session.sent[-1].prompt_tokens, session.sent[-1].cache) == (512, Cache.SAME)
        await at.wait(3)
        assert "1/2  First word after 401 ms" in at.text, "the caption is of what was sent"
        await at.press("right", "space")
        assert "2/2" in at.text
        assert at.desk.pump.knobs.prompt_tokens == 256, "a scene begins with its own knobs"


async def test_a_knob_turned_while_it_runs_is_sent_when_it_ends(
    touring: Open, session: ScriptedSession
) -> None:
    async with touring() as at:
        await at.press("enter", "down")
        assert "enter send then" in at.rows[-1]
        await at.press("enter")
        assert len(session.sent) == 1
        await at.wait(4)
        assert [knobs.answer_limit for knobs in session.sent] == [32, 16]


async def test_a_scene_that_fails_says_so_and_the_tour_goes_on(
    touring: Open, session: ScriptedSession
) -> None:
    def failing(knobs: Knobs) -> list[ev.Event]:
        return [
            *whole(knobs)[:12],
            ev.Failed(200 * MS, "http", "the model is [b]gone", ""),
            ev.Ended(S, "eof"),
        ]

    good, session.script = session.script, failing
    async with touring() as at:
        session.script = failing
        await at.press("enter")
        await at.wait(2)
        assert "1/2  Failed: the model is [b]gone. The tour goes on." in at.text
        assert "enter send" in at.rows[-1] and "space next scene" in at.rows[-1]
        session.script = good
        await at.press("enter")
        await at.wait(3)
        assert "First word after" in at.text, "enter tries again"
        session.script = failing
        await at.press("enter", "enter")
        await at.wait(2)
        assert "2/2  Failed" in at.text


async def test_what_was_stopped_or_never_sent_is_told(touring: Open, session: ScriptedSession) -> None:
    async with touring() as at:
        await at.press("enter")
        await at.wait(0.2)
        await at.press("escape")
        assert "1/2  Stopped after 200 ms. The tour goes on." in at.text
        assert at.desk.tour is not None, "esc stops first"
        session.notice = "not sent: the engine did not finish counting"
        session.send = lambda knobs: None  # type: ignore[method-assign]
        await at.press("enter")
        assert "Not shown: not sent: the engine did not finish counting." in at.text


async def test_enter_says_when_there_is_no_engine_yet(touring: Open, session: ScriptedSession) -> None:
    session.found, session.discovered, session.aiming = None, None, True
    async with touring() as at:
        await at.press("enter")
        assert "there is no engine yet" in at.rows[-1]
        assert session.sent == []


async def test_a_scene_may_choose_the_stage(touring: Open, acts: tuple[Act, ...]) -> None:
    async with touring() as at:
        at.desk.leave_tour()
        at.desk.begin_tour((replace(acts[0], stage=True), replace(acts[1], stage=False), acts[0]))
        await at.frame()
        assert at.desk.on_stage
        await at.press("enter", "space")
        assert not at.desk.on_stage
        await at.press("m", "space", "space")
        assert at.desk.on_stage, "where the script leaves it open it stays as it is"


async def test_on_the_stage_the_caption_is_a_stripe_of_its_own(touring: Open) -> None:
    async with touring((100, 28), staged=True) as at:
        assert at.rows[24].startswith(" 1/2  A short one.")
        assert "enter space send" in at.rows[-1]
        await at.press("r")
        assert "rivals 1" in at.rows[-1], "a knob that is turned is seen to turn"


# -- without an engine ----------------------------------------------------------------------------------


@pytest.fixture
def cut(monkeypatch: pytest.MonkeyPatch) -> None:
    """No network, and nothing built in."""

    def refuse(*_: object) -> None:
        raise AssertionError("a tour of recordings asks no address")

    monkeypatch.setattr("socket.socket.connect", refuse)
    monkeypatch.setattr("socket.getaddrinfo", refuse)
    monkeypatch.setitem(sys.modules, "xllamacpp", None)


@pytest.mark.parametrize("size", [(120, 36), (80, 24), (100, 28)])
async def test_from_recordings_it_goes_from_start_to_end_with_the_network_cut(
    still: None, cut: None, session: ScriptedSession, clock: Clock, size: tuple[int, int]
) -> None:
    acts = tour_script.load()
    first = TourFirst(acts, lambda: pytest.fail("no session yet"), lambda: None, Knobs(), recorded=True)
    app = Monitor(first.open, staged=size == (100, 28))
    async with watching(app, size, session, clock) as at:
        first.begin(at.desk)
        await at.frame()
        feed = at.desk.feed
        assert isinstance(feed, TourSession)
        feed._clock = clock
        for number, act in enumerate(acts, start=1):
            flat = " ".join(at.text.split())
            assert f"{number}/5 {act.captions['before']}" in flat
            assert "enter space play" in at.rows[-1]
            assert not at.desk.pump.scene.view.running
            await at.press("enter")
            await at.wait(0.3)
            assert act.captions["while"] in " ".join(at.text.split())
            if size != (100, 28):
                assert f"tour {number} of 5 · recording" in at.rows[0]
                assert "Recorded · " in at.text
            await at.press("end")
            shown = at.desk.pump.scene.tour
            assert shown is not None and shown.part is Part.AFTER
            assert "{" not in shown.caption and "–" not in shown.caption, shown.caption
            assert shown.caption in " ".join(at.text.split()), "all of it has room"
            await at.press("enter")
        assert "that was the last scene" in at.rows[-1]


@pytest.mark.parametrize("key", ["space", "enter"])
async def test_a_recording_that_stands_still_plays_on_before_the_next_scene(
    still: None, session: ScriptedSession, clock: Clock, key: str
) -> None:
    first = TourFirst(tour_script.load(), lambda: pytest.fail("no session"), lambda: None, Knobs(), True)
    async with watching(Monitor(first.open), (80, 24), session, clock) as at:
        first.begin(at.desk)
        feed = at.desk.feed
        assert isinstance(feed, TourSession)
        feed._clock = clock
        await at.press("space")
        await at.wait(1.5)
        await at.press("comma")
        assert not feed.playing and "enter space play on" in at.rows[-1]
        await at.press(key)
        assert feed.playing and "space next scene" in at.rows[-1]
        assert "tour 1 of 5" in at.rows[0]
        await at.press("space")
        assert "tour 2 of 5" in at.rows[0]


@pytest.mark.parametrize("played_s", [1.5, 20])
async def test_caption_header_and_lane_are_of_one_scene(
    still: None, session: ScriptedSession, clock: Clock, played_s: float
) -> None:
    """Whether the recording of the scene before still played or was over."""
    acts = tour_script.load()
    first = TourFirst(acts, lambda: pytest.fail("no session"), lambda: None, Knobs(), True)
    async with watching(Monitor(first.open), SMALL, session, clock) as at:
        first.begin(at.desk)
        feed = at.desk.feed
        assert isinstance(feed, TourSession)
        feed._clock = clock

        async def opened(number: int) -> None:
            for _ in range(2):
                assert at.desk.pump.scene.view.stage is Stage.EMPTY and not feed.playing
                assert feed.pressure == Pressure(), "nor the machine of another scene"
                assert f"tour {number} of 5 · recording · ×1" in at.rows[0]
                assert " of 11" not in at.rows[0] and "Recorded · Ready" in at.rows[2]
                assert acts[number - 1].captions["before"] in " ".join(at.text.split())
                await at.wait(1)

        await at.frame()
        await opened(1)
        await at.press("end")
        assert "this scene was not played yet" in at.rows[-1]
        at.desk.footer.said = ""
        await at.press("space")
        await at.wait(2)
        await at.press("space", "space")
        await at.wait(played_s)
        assert "tour 2 of 5" in at.rows[0] and "11.6 s" in at.rows[0]
        await at.press("space")
        await opened(3)
        assert "a long prompt · 11.6 s" in at.text, "the ghost is named after its scene"
        await at.press("backspace")
        await opened(2)
        assert "backspace back" in at.rows[-1]
        await at.press("backspace")
        await opened(1)
        assert "backspace" not in at.rows[-1]
        await at.press("space")
        await at.wait(0.3)
        assert feed.playing and "127 tokens" in at.rows[2], "its own recording from the beginning"


async def test_at_an_engine_too_a_scene_begins_with_an_empty_lane(
    touring: Open, session: ScriptedSession
) -> None:
    async with touring() as at:
        await at.press("enter")
        await at.wait(3)
        assert "Finished" in at.rows[2]
        await at.press("space")
        assert "2/2" in at.text and "Ready" in at.rows[2] and at.rows[0].endswith("tour 2 of 2")
        assert "▀ run 1" in at.text, "what came before is the ghost"
        await at.press("space")
        await at.wait(0.2)
        await at.press("backspace")
        assert session.cancelled == 1 and "Ready" in at.rows[2]
        await at.press("escape")
        assert "Stopped" in at.rows[2], "the monitor shows the latest request again"


async def test_leaving_recordings_opens_what_is_behind(
    still: None, session: ScriptedSession, clock: Clock
) -> None:
    begun: list[str] = []
    own = Knobs(prompt_tokens=1024)
    first = TourFirst(
        tour_script.load(), lambda: (session, own), lambda: begun.append("begun"), own, recorded=True
    )
    async with watching(Monitor(first.open), SMALL, session, clock) as at:
        first.begin(at.desk)
        await at.press("enter")
        assert begun == []
        assert at.desk.own_knobs == own
        await at.press("escape")
        assert at.desk.feed is session and begun == ["begun"]
        assert at.desk.pump.knobs == own and at.desk.tour is None


async def test_where_no_engine_is_found_it_turns_to_recordings(
    still: None, session: ScriptedSession, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "xllamacpp", None)
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    session.found, session.discovered = None, None
    first = TourFirst(tour_script.load(), lambda: (session, Knobs()), lambda: None, Knobs())
    async with watching(Monitor(first.open), SMALL, session, clock) as at:
        first.begin(at.desk)
        at.desk._tick()
        await at.frame()
        assert at.desk.feed is session, "it still looks"
        session.discovered = ()
        at.desk._tick()
        await at.frame()
        assert isinstance(at.desk.feed, TourSession)
        assert "the tour plays recordings" in at.rows[-1]
        assert session.embedded == 0
        await at.press("escape")
        assert at.desk.feed is session


async def test_the_built_in_engine_is_taken_where_it_is_there_already(
    still: None, session: ScriptedSession, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    from tui.app.screens.choices import BuiltIn

    monkeypatch.setattr("tui.app.pages.builtin", lambda: BuiltIn(there=True))
    session.found, session.discovered = None, ()
    first = TourFirst(tour_script.load(), lambda: (session, Knobs()), lambda: None, Knobs())
    async with watching(Monitor(first.open), SMALL, session, clock) as at:
        first.begin(at.desk)
        at.desk._tick()
        session.builtin.state = "starting"
        at.desk._tick()
        assert session.embedded == 1 and at.desk.feed is session
        session.builtin.state, session.builtin.why = "failed", "it has no memory"
        at.desk._tick()
        await at.frame()
        assert "it has no memory; the tour plays recordings" in at.rows[-1]
        assert session.sent == []


async def test_an_address_that_does_not_answer_leads_to_recordings_too(
    still: None, session: ScriptedSession, clock: Clock
) -> None:
    session.found, session.discovered, session.problem = None, None, "nothing answers at http://127.0.0.1:9"
    first = TourFirst(tour_script.load(), lambda: (session, Knobs()), lambda: None, Knobs())
    async with watching(Monitor(first.open), SMALL, session, clock) as at:
        first.begin(at.desk)
        at.desk._tick()
        await at.frame()
        assert "nothing answers at http://127.0.0.1:9; the tour plays recordings" in at.rows[-1]


async def test_a_script_without_recordings_and_without_engine_says_so(
    still: None, session: ScriptedSession, clock: Clock, acts: tuple[Act, ...]
) -> None:
    session.found = None
    async with watching(Monitor(lambda: (session, Knobs())), SMALL, session, clock) as at:
        at.desk.begin_tour(acts, recorded=True)
        await at.frame()
        assert at.desk.tour is None and at.desk.feed is session
        assert "no engine, and no recordings for the tour" in at.rows[-1]


async def test_a_scene_without_a_recording_says_so_and_the_tour_goes_on(
    still: None, session: ScriptedSession, clock: Clock, acts: tuple[Act, ...]
) -> None:
    recording = tour_script.load()[0].recording
    session.found = None
    async with watching(Monitor(lambda: (session, Knobs())), SMALL, session, clock) as at:
        at.desk.begin_tour((acts[0], replace(acts[1], recording=recording)), recorded=True)
        await at.press("enter")
        assert "Not shown: there is no engine, and the script names no recording" in at.text
        await at.press("enter", "enter")
        assert isinstance(at.desk.feed, TourSession) and at.desk.feed.playing


# -- how it is opened -----------------------------------------------------------------------------------


async def test_the_palette_opens_it_at_the_engine_that_is_there(
    watch: Watch, session: ScriptedSession
) -> None:
    async with watch() as at:
        await at.press("enter")
        await at.app.run_action("tour")
        assert at.desk.tour is None
        await at.frame()
        assert "stop it first" in at.rows[-1]
        await at.press("escape")
        await at.app.run_action("tour")
        await at.frame()
        assert at.desk.feed is session and "tour 1 of 5" in at.rows[0]
        await at.app.run_action("demo")
        await at.frame()
        assert "leave the tour first" in at.rows[-1]
        await at.app.run_action("tour")
        await at.frame()
        assert "on already" in at.rows[-1]


async def test_over_a_demo_it_plays_recordings_and_goes_back_to_it(
    still: None, session: ScriptedSession, clock: Clock
) -> None:
    demo = DemoSession(clock=clock)
    async with watching(Monitor(lambda: (demo, Knobs())), SMALL, session, clock) as at:
        await at.app.run_action("tour")
        await at.frame()
        assert isinstance(at.desk.feed, TourSession)
        await at.press("escape")
        assert at.desk.feed is demo


async def test_a_damaged_own_script_is_one_line(
    watch: Watch, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("TOKLANE_HOME", str(tmp_path))
    tour_script.own_file().parent.mkdir(parents=True)
    tour_script.own_file().write_text("[[scene]]\ntitle = 3\n")
    async with watch() as at:
        await at.app.run_action("tour")
        await at.frame()
        assert "tour.toml, line 2: title needs a text in quotes" in at.rows[-1]
        assert at.desk.tour is None


# -- rows -----------------------------------------------------------------------------------------------


def test_a_caption_keeps_numbers_with_their_units_and_cuts_what_has_no_room() -> None:
    shown = Shown(1, 2, "x", "The first word came only after a wait of 18.1 s and then it went on and on.")
    rows = [plain(row) for row in caption(shown, 53, 2)]
    assert rows[0].endswith("a wait of") and rows[1].lstrip().startswith("18.1 s")
    assert plain(caption(shown, 30, 2)[1]).endswith("…")
    assert len(caption(Shown(1, 2, "only a title", ""), 40, 2)) == 1


def test_every_caption_has_room_at_eighty_columns() -> None:
    for act in tour_script.load():
        for text in act.captions.values():
            longest = text.replace("{", "").replace("}", "")
            assert not plain(caption(Shown(1, 5, "", longest), 80, 2)[-1]).endswith("…"), text
