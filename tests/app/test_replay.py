"""A recording on the screen: every key of a replay, the mouse, and the demo with what is behind it."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path

import pytest
from textual.events import MouseMove

from tests.app.conftest import Clock, Watch, Watched, watching
from tests.app.scripted import MS, ScriptedSession
from tui.app.demo_first import DemoFirst
from tui.app.desk import Desk
from tui.app.feed import Feed
from tui.app.main import Monitor
from tui.app.replay_words import place, speed
from tui.app.scene import Replay
from tui.capture.demo import STAND_NS, DemoSession, Reel, reels
from tui.capture.recording import read
from tui.capture.replay_session import ReplaySession
from tui.domain.knobs import Knobs
from tui.domain.view import Stage

CAPTURE = Path(__file__).parents[1] / "data" / "captures" / "llamacpp" / "01-chat-short-cold.jsonl"
Play = Callable[..., AbstractAsyncContextManager[Watched]]
S = 1_000_000_000


@pytest.fixture
def play(session: ScriptedSession, clock: Clock, monkeypatch: pytest.MonkeyPatch) -> Play:
    """Opens the monitor on a feed; frames come from the test alone."""
    monkeypatch.setattr(Desk, "on_mount", lambda desk: None)
    monkeypatch.setattr(Monitor, "_settle", lambda app: None)

    @asynccontextmanager
    async def opened(feed: Feed, size: tuple[int, int] = (120, 36)) -> AsyncIterator[Watched]:
        app = Monitor(lambda: (feed, Knobs()))
        async with watching(app, size, session, clock) as at:
            yield at

    return opened


@pytest.fixture
def player(clock: Clock) -> ReplaySession:
    return ReplaySession(read(CAPTURE), CAPTURE, clock=clock)


@pytest.fixture
def demo(clock: Clock) -> DemoSession:
    return DemoSession(clock=clock)


# -- the keys -------------------------------------------------------------------------------------------


async def test_comma_and_full_stop_go_from_token_to_token(play: Play, player: ReplaySession) -> None:
    async with play(player) as at:
        await at.press("full_stop", "full_stop", "full_stop")
        assert at.desk.pump.scene.view.track.reads == 3
        assert "token 3" in at.text
        await at.press("comma")
        assert at.desk.pump.scene.view.track.reads == 2
        assert not player.playing
        await at.press("home", "comma")
        assert "no token before" in at.rows[-1]
        await at.press("end", "full_stop")
        assert "no token after" in at.rows[-1]


async def test_brackets_go_from_phase_to_phase(play: Play, player: ReplaySession) -> None:
    async with play(player) as at:
        await at.press("space")
        seen = []
        for _ in range(9):
            await at.press("right_square_bracket")
            seen.append(at.desk.pump.scene.view.stage)
        assert seen[-1] is Stage.FINISHED
        assert [stage for stage in (Stage.PREFILL, Stage.DECODING) if stage in seen] == [
            Stage.PREFILL,
            Stage.DECODING,
        ]
        assert "no phase or stall after" in at.rows[-1]
        await at.press("left_square_bracket")
        assert at.desk.pump.scene.view.stage is Stage.DECODING


async def test_angle_brackets_change_the_speed(play: Play, player: ReplaySession) -> None:
    async with play(player) as at:
        await at.press("greater_than_sign")
        assert player.speed == 2
        assert "· ×2 · 0 of 975 ms" in at.rows[0]
        await at.press(*["greater_than_sign"] * 5)
        assert player.speed == 16
        assert "the fastest" in at.rows[-1]
        await at.press(*["less_than_sign"] * 7)
        assert player.speed == 0.25
        assert "×¼" in at.rows[0] and "the slowest" in at.rows[-1]


async def test_l_loops_and_freeze_stops_and_the_header_says_so(play: Play, player: ReplaySession) -> None:
    async with play(player) as at:
        await at.press("l")
        assert player.loop and "loop" in at.rows[0]
        await at.app.run_action("freeze")
        await at.frame()
        assert player.freeze and "loop · freeze" in at.rows[0]
        await at.press("home", "space", "space")
        await at.wait(60)
        assert player.held and not player.playing
        assert "space goes on" in at.rows[2]
        held_at = player.position_ns
        await at.press("space")
        await at.wait(0.1)
        assert player.position_ns > held_at
        await at.app.run_action("freeze")
        await at.press("l")
        assert "loop ·" not in at.rows[0] and "freeze" not in at.rows[0]


async def test_a_freeze_says_what_has_begun(play: Play, clock: Clock) -> None:
    player = ReplaySession(read(CAPTURE), CAPTURE, clock=clock, freeze=True)
    async with play(player) as at:
        said: dict[Stage, str] = {}
        for _ in range(6):
            await at.wait(30)
            said[at.desk.pump.scene.view.stage] = at.rows[2]
            await at.press("space") if player.held else None
        assert "before it writes a word · space goes on" in said[Stage.PREFILL]
        assert "one after the other · space goes on" in said[Stage.DECODING]


async def test_home_end_and_the_arrows_scrub(play: Play, player: ReplaySession) -> None:
    async with play(player) as at:
        await at.press("end")
        assert "Finished" in at.text
        await at.press("left", "left")
        assert player.position_ns == pytest.approx(player.end_ns * 0.9, abs=2)
        await at.press("shift+right")
        assert player.position_ns == pytest.approx(player.end_ns * 0.91, abs=4)
        await at.press("home")
        assert player.position_ns == player.start_ns
        assert at.desk.pump.knobs == Knobs(), "the knobs of requests are left alone"


async def test_a_recording_does_not_foretell_itself(play: Play, player: ReplaySession) -> None:
    async with play(player) as at:
        await at.press("end")
        assert "Finished" in at.text
        await at.press("home", "right")
        assert "Finished" not in at.text and "last time" not in at.text


async def test_a_silent_wait_is_one_from_its_beginning(play: Play, clock: Clock) -> None:
    """A capture that tells nothing before the reply: 6.9 s in which its model is loaded."""
    cold = CAPTURE.parents[1] / "ollama-authored" / "02-cold-load.jsonl"
    player = ReplaySession(read(cold), cold, clock=clock)
    async with play(player) as at:
        player.seek(3.0)
        await at.frame()
        assert at.rows[2].startswith(" ○ Waiting  sent, nothing has come back yet")
        assert "waiting 3.00 s" in at.rows[9] and "nothing was sent yet" not in at.text
        assert at.rows[10].count("╱") > 60


async def test_space_plays_and_stands(play: Play, player: ReplaySession) -> None:
    async with play(player) as at:
        await at.press("space")
        assert not player.playing
        await at.press("space")
        assert player.playing


async def test_the_mouse_goes_to_the_moment_it_points_at(play: Play, player: ReplaySession) -> None:
    async with play(player) as at:
        await at.press("space", "end", "home")
        time = at.desk.time
        axis_ns = time.axis.end_ns
        assert axis_ns >= player.end_ns, "all of it can be pointed at"
        await at.pilot.click("#time", offset=(8 + 55, 2))
        await at.frame()
        assert player.position_ns == pytest.approx(axis_ns / 2, rel=0.05)
        before_it = player.position_ns
        await at.pilot.click("#time", offset=(2, 2))
        assert player.position_ns == before_it, "the names at the left are no moments"
        await at.pilot.click("#answer")
        assert player.position_ns == before_it


async def test_the_mouse_moves_nothing_at_an_engine(watch: Watch, session: ScriptedSession) -> None:
    async with watch() as at:
        await at.pilot.click("#time", offset=(60, 2))
        assert session.sent == []
        assert at.desk.selected == "time"


async def test_the_screen_after_a_jump_is_the_one_that_playing_shows(
    play: Play, player: ReplaySession, clock: Clock
) -> None:
    async with play(player) as at:
        await at.press("end", "home", "space", "space")
        await at.wait(0.9)
        await at.press("space")
        for panel in at.desk.panels:
            panel.again()
        await at.frame()
        played, moment_ns = at.rows, player.position_ns
        await at.press("end", "home", "end")
        player.jump(moment_ns)
        await at.frame()
        same = [(a, b) for a, b in zip(played, at.rows, strict=True) if a != b]
        assert same == []


async def test_time_that_jumps_back_leaves_no_estimate_of_what_was(play: Play, clock: Clock) -> None:
    long = reels()[1]
    player = ReplaySession(long.load(), long.file, clock=clock)
    async with play(player) as at:
        await at.wait(0.8 * player.end_ns / S)  # it reads its prompt for nearly nine tenths of the time
        late = at.rows[2]
        assert "to the first token" in late
        player.jump(round(0.3 * player.end_ns))
        await at.wait(0.1)
        assert "to the first token" in at.rows[2]
        assert at.rows[2] != late


@pytest.mark.parametrize("size", [(120, 36), (80, 24), (60, 20), (45, 12), (40, 10)])
async def test_a_demo_is_marked_as_a_recording_at_every_size(
    play: Play, demo: DemoSession, size: tuple[int, int]
) -> None:
    async with play(demo, size) as at:
        await at.wait(0.6)
        assert "Recorded · Reading the prompt" in at.text.replace("\n", " ")
        if size[1] >= 12:
            assert "recording 1 of 5" in at.rows[0]
        if size[1] >= 24:
            assert "your own: e picks an engine · toklane --embedded" in at.text


async def test_at_eighty_columns_the_footer_of_a_demo_has_what_is_needed_most(
    play: Play, demo: DemoSession
) -> None:
    async with play(demo, (80, 24)) as at:
        for words in ("enter next", "space pause", "e your engine", "? help", "q quit"):
            assert words in at.rows[-1]


# -- the demo -------------------------------------------------------------------------------------------


async def test_enter_shows_the_next_recording_and_behind_the_last_the_first(
    play: Play, demo: DemoSession
) -> None:
    async with play(demo) as at:
        for number, reel in enumerate(demo.reels, start=1):
            assert f"recording {number} of {len(demo.reels)}" in at.rows[0]
            assert reel.caption in at.text
            assert "e picks an engine · toklane --embedded" in at.text
            await at.wait(0.5)
            assert demo.playing
            await at.press("enter")
        assert demo.at == 0
        assert f"recording 5 · {demo.reels[-1].title} ·" in at.text, "the one before is the ghost"


async def test_a_demo_goes_on_by_itself_unless_somebody_steers_it(
    play: Play, demo: DemoSession, clock: Clock
) -> None:
    async with play(demo) as at:
        await at.wait(demo.end_ns / S + 1)
        assert not demo.running and demo.at == 0
        clock.now_ns += STAND_NS
        await at.wait(0.1)
        assert demo.at == 1
        await at.press("end")
        clock.now_ns += 10 * STAND_NS
        await at.wait(0.1)
        assert demo.at == 1 and "holds" not in at.text


@pytest.mark.parametrize("size", [(120, 36), (80, 24), (60, 20)])
async def test_a_demo_says_when_it_goes_on_and_space_keeps_it(
    play: Play, demo: DemoSession, clock: Clock, size: tuple[int, int]
) -> None:
    async with play(demo, size) as at:
        await at.wait(0.5)
        assert "holds" not in at.text, "not while it plays"
        await at.wait(demo.end_ns / S)
        left = demo.next_in_s
        assert left and f"next in {left} s · space holds" in at.text and "space hold" in at.rows[-1]
        await at.wait(3)
        assert f"next in {left - 3} s · space holds" in at.text
        await at.press("space")
        assert "holds" not in at.text and "space play" in at.rows[-1]
        clock.now_ns += 10 * STAND_NS
        await at.wait(0.1)
        assert demo.at == 0, "it is kept"
        await at.press("enter", "enter", "enter", "enter")
        await at.wait(demo.end_ns / S + 0.5)
        assert "the first again in " in at.text


async def test_the_countdown_of_a_demo_looks_once_a_second(
    play: Play, demo: DemoSession, painted: list[str]
) -> None:
    async with play(demo) as at:
        await at.wait(demo.end_ns / S + 1)
        painted.clear()
        await at.pilot.pause(0)
        for _ in range(20 * 3):
            at.clock.now_ns += 50 * MS
            at.desk.pump.tick()
        assert 2 <= painted.count("dial") <= 4 and set(painted) == {"dial"}


@pytest.mark.parametrize("page", ["i", "question_mark", "d"])
async def test_a_demo_does_not_go_on_under_an_open_page(
    play: Play, demo: DemoSession, clock: Clock, page: str
) -> None:
    async with play(demo) as at:
        await at.wait(demo.end_ns / S + 5)
        await at.press(page)
        clock.now_ns += 10 * STAND_NS
        await at.wait(0.1)
        assert demo.at == 0 and demo.next_in_s is None
        await at.press("escape")
        await at.wait(1)
        assert demo.at == 0 and demo.next_in_s == 7, "afterwards its end stands anew"
        await at.wait(8)
        assert demo.at == 1


@pytest.mark.parametrize("key", ["c", "r", "p", "up", "down", "a", "n", "o"])
async def test_a_key_for_requests_says_in_a_recording_where_they_are(
    play: Play, demo: DemoSession, player: ReplaySession, key: str
) -> None:
    async with play(demo) as at:
        DemoFirst(lambda: (demo, Knobs()), lambda: None, Knobs()).begin(at.desk)
        await at.press(key)
        assert "that key is for live requests: e picks an engine" in at.rows[-1]
        assert at.desk.is_current and at.desk.pump.knobs == Knobs()
    async with play(player) as at:
        for pressed in (key, "enter", "e"):
            at.desk.footer.said = ""
            await at.press(pressed)
            assert "that key is for live requests: start toklane without" in at.rows[-1]


@pytest.mark.parametrize("key", ["escape", "e"])
async def test_a_demo_is_left_into_the_live_monitor(
    play: Play, demo: DemoSession, session: ScriptedSession, key: str
) -> None:
    session.found, session.discovered = None, ()
    async with play(demo) as at:
        begun: list[str] = []
        first = DemoFirst(
            lambda: (session, Knobs(prompt_tokens=1024)), lambda: begun.append("begun"), Knobs()
        )
        first.begin(at.desk)
        assert begun == [], "nothing is asked of any address while it plays"
        await at.press(key)
        assert at.desk.feed is session
        assert begun == ["begun"]
        assert at.desk.pump.knobs.prompt_tokens == 1024
        assert ("engine and model" in at.text) == (key == "e")
        if key == "escape":
            assert "recording" not in at.rows[0]
            await at.press("escape")
            assert at.desk.feed is session


async def test_the_welcome_page_shows_the_recordings_and_esc_comes_back(
    watch: Watch, session: ScriptedSession
) -> None:
    session.found, session.discovered = None, ()
    async with watch() as at:
        at.desk._tick()
        await at.pilot.pause()
        assert "watch recordings of real requests" in at.text
        await at.press("down", "enter")
        assert "recording 1 of 5" in at.rows[0]
        assert at.desk.pump.scene.replay is not None and at.desk.pump.scene.replay.playing
        await at.press("escape")
        assert at.desk.feed is session
        assert session.embedded == 0 and session.sent == []


async def test_the_palette_opens_the_demo_but_not_over_a_running_request(
    watch: Watch, session: ScriptedSession
) -> None:
    async with watch() as at:
        await at.press("enter")
        await at.app.run_action("demo")
        assert at.desk.feed is session
        await at.wait(0.1)
        assert "stop it first" in at.rows[-1]
        await at.press("escape")
        await at.app.run_action("demo")
        assert isinstance(at.desk.feed, DemoSession)


async def test_recordings_that_are_gone_are_one_line(
    watch: Watch, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("tui.locations.demo_dir", lambda: tmp_path)
    async with watch() as at:
        await at.app.run_action("demo")
        await at.frame()
        assert "no recordings to watch" in at.rows[-1]


# -- words ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("times", "said"), [(0.25, "×¼"), (0.5, "×½"), (1, "×1"), (1.5, "×1.5"), (100, "×100")]
)
def test_speeds_in_words(times: float, said: str) -> None:
    assert speed(times) == said


@pytest.mark.parametrize(
    ("at_ns", "end_ns", "said"),
    [
        (3_200 * MS, 18_400 * MS, "3.2 of 18.4 s"),
        (-MS, 840 * MS, "0 of 840 ms"),
        (65 * S, 185 * S, "1:05 of 3:05 min"),
    ],
)
def test_places_in_words(at_ns: int, end_ns: int, said: str) -> None:
    assert place(Replay("x", 1, True, position_ns=at_ns, end_ns=end_ns)) == said


def test_a_caption_is_shown_as_it_is(clock: Clock) -> None:
    first = reels()[0]
    demo = DemoSession([Reel(first.file, "[b]x", "\x1b[31mred [b +")], clock=clock)
    assert demo.reel.caption.startswith("\x1b")
    from tui.app.scene import gather

    scene = gather(demo, demo.view(), Knobs(), ghost=None, paused=False, again=False)
    assert scene.replay is not None and scene.replay.reel is not None
    assert "\x1b" not in scene.replay.reel.caption


async def test_a_demo_needs_neither_network_nor_the_built_in_engine(
    play: Play, monkeypatch: pytest.MonkeyPatch, clock: Clock
) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError("a demo asks no address")

    monkeypatch.setattr("socket.socket.connect", refuse)
    monkeypatch.setattr("socket.getaddrinfo", refuse)
    monkeypatch.setitem(sys.modules, "xllamacpp", None)
    first = DemoFirst(lambda: pytest.fail("no session before it is left"), lambda: None, Knobs())
    feed, _ = first.open()
    async with play(feed) as at:
        demo = at.desk.feed
        assert isinstance(demo, DemoSession)
        for _ in demo.reels:
            await at.press("end")
            assert "Recorded · Finished" in at.rows[2]
            await at.press("enter")


async def test_a_drag_over_the_time_lines_scrubs(play: Play, player: ReplaySession) -> None:
    async with play(player) as at:
        await at.press("space", "end", "home")
        time = at.desk.time
        found = []
        for column in (20, 50, 80):
            place = (time.region.x + column, time.region.y + 2)
            at.desk.on_mouse_move(MouseMove(time, column, 2, 1, 0, 1, False, False, False, *place))
            found.append(player.position_ns)
        assert sorted(set(found)) == found
        at.desk.on_mouse_move(MouseMove(time, 30, 2, 1, 0, 0, False, False, False, time.region.x + 30, 4))
        assert player.position_ns == found[-1], "without the button it only passes over"
