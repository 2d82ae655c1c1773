"""Every key in every state, and long walks of keys: nothing fails, and only keys that send do send."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.app.conftest import Clock, Watched, watching
from tests.app.scripted import MS, S, ScriptedBuiltIn, ScriptedSession, whole
from tui.app.desk import Desk
from tui.app.feed import Feed
from tui.app.main import Monitor
from tui.capture.demo import DemoSession
from tui.capture.recording import read
from tui.capture.replay_session import ReplaySession
from tui.domain import events as ev
from tui.domain.knobs import Knobs
from tui.domain.view import Stage
from tui.settings import tour_script
from tui.settings.keys import KEYS

CAPTURE = Path(__file__).parents[1] / "data" / "captures" / "llamacpp" / "01-chat-short-cold.jsonl"
LEAVE = {"quit", "interrupt"}
SENDERS = {"send", "stop", "auto", *LEAVE}
PRESSES = [key for row in KEYS if row.action not in LEAVE for key in row.keys]
VIEWS = [key for row in KEYS if row.action not in SENDERS for key in row.keys]
# of pages, and of none
WORDS = ["7", "h", "ctrl+o", "delete", "shift+tab", "ctrl+a", "f1", "ctrl+z", "ctrl+v"]
PAUSES = ["wait:0.1", "wait:1", "wait:9"]
SIZES = [(120, 36), (80, 24), (60, 20), (40, 10)]
PREFILL_S, STALL_S = 1, 5
EVERY = int(os.environ.get("TOKLANE_EVERY_KEY", "6"))  # a state gets every sixth key, its neighbour the next
Way = Callable[[Watched], Awaitable[None]]


def script(knobs: Knobs) -> list[ev.Event]:
    return whole(knobs, prefill_ns=PREFILL_S * S, tokens=40, gap_ns=25 * MS, stall=(20, STALL_S * S))


def failing(knobs: Knobs) -> list[ev.Event]:
    events = [event for event in script(knobs) if event.at_ns < 2 * S]
    return [*events, ev.Ended(2 * S, "reset")]


@asynccontextmanager
async def opened(
    patch: pytest.MonkeyPatch, feed: Feed, session: ScriptedSession, clock: Clock, size: tuple[int, int]
) -> AsyncIterator[Watched]:
    with patch.context() as still:
        still.setattr(Desk, "on_mount", lambda desk: None)
        still.setattr(Monitor, "_settle", lambda app: None)
        async with watching(Monitor(lambda: (feed, Knobs())), size, session, clock) as at:
            yield at


def fed(kind: str, session: ScriptedSession, clock: Clock) -> Feed:
    """What is shown: a live session by default."""
    if kind == "replay":
        return ReplaySession(read(CAPTURE), CAPTURE, clock=clock)
    if kind == "demo":
        return DemoSession(clock=clock)
    if kind == "fetching":
        session.found, session.discovered = None, ()
        session.builtin = ScriptedBuiltIn("fetching", 5_000_000, stage="downloading")
    if kind == "no engine":
        session.found, session.discovered, session.problem = None, (), "nothing answers at 127.0.0.1:9"
    if kind == "lost":
        session.found, session.lost, session.problem = None, True, "the capture process ended"
    session.script = failing if kind == "failed" else script
    return session


async def later(at: Watched, seconds: float) -> None:
    """One frame, so long after the last one."""
    at.clock.now_ns += round(seconds * S)
    await at.frame()


async def sent(at: Watched, seconds: float) -> None:
    at.desk.action_send()
    await later(at, seconds)


async def _idle(at: Watched) -> None:
    await at.frame()


async def _over(at: Watched) -> None:
    at.desk.action_send()
    await later(at, 9)
    assert at.desk.pump.scene.view.stage is Stage.FINISHED


async def _cancelled(at: Watched) -> None:
    await sent(at, 0.5)
    at.session.cancel()


async def _tour(at: Watched) -> None:
    if at.desk.tour is None:
        at.desk.begin_tour(tour_script.load(None))


async def _staged(at: Watched) -> None:
    at.desk.stage(True)
    await sent(at, 0.5)


def _at(seconds: float, stage: Stage) -> Way:
    async def way(at: Watched) -> None:
        await sent(at, seconds)
        assert at.desk.pump.scene.view.stage is stage

    return way


def _page(key: str) -> Way:
    async def way(at: Watched) -> None:
        await at.press(key)

    return way


STATES: dict[str, Way] = {
    "idle": _idle,
    "waiting": _at(0.001, Stage.WAITING),
    "prefill": _at(0.5, Stage.PREFILL),
    "decode": _at(PREFILL_S + 0.3, Stage.DECODING),
    "stalled": _at(PREFILL_S + 3, Stage.STALLED),
    "done": _over,
    "failed": _at(9, Stage.FAILED),
    "stopped": _cancelled,
    "fetching": _idle,
    "no engine": _idle,
    "lost": _idle,
    "replay": _idle,
    "demo": _idle,
    "tour": _tour,
    "stage": _staged,
    "picker": _page("e"),
    "help": _page("question_mark"),
    "explain": _page("i"),
    "detail": _page("d"),
    "exact": _page("n"),
    "own prompt": _page("o"),
    "palette": _page("ctrl+p"),
    "time": _page("1"),
    "answer": _page("2"),
    "dial": _page("6"),
}


async def home(at: Watched) -> None:
    """Close pages, step back, stop what runs."""
    at.session.cancel()
    at.desk.pump.again = False
    at.desk.pump.knobs = Knobs()
    for _ in range(6):
        if at.app.screen is at.desk and not at.desk.maximised:
            break
        await at.pilot.press("escape")
    at.clock.now_ns += 10 * S
    await at.frame()
    assert at.app.screen is at.desk


def alive(at: Watched, after: object) -> None:
    assert at.app.is_running and at.app.return_code is None, after
    assert at.text.strip(), after


@pytest.mark.parametrize("state", STATES)
async def test_every_key_in_every_state(
    state: str, session: ScriptedSession, clock: Clock, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    feed = fed(state, session, clock)
    async with opened(monkeypatch, feed, session, clock, (120, 36)) as at:
        for key in PRESSES[list(STATES).index(state) % EVERY :: EVERY]:
            await STATES[state](at)
            await at.frame()
            on_a_page = at.app.screen is not at.desk
            before = (len(session.sent), session.cancelled)
            await at.press(key)
            alive(at, key)
            if key in VIEWS and not on_a_page and at.desk.tour is None:
                assert (len(session.sent), session.cancelled) == before, key
            await home(at)
        if at.desk.tour is not None:
            at.desk.leave_tour()
        await at.press("q")
        assert at.app.return_code == 0


@settings(max_examples=8, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    kind=st.sampled_from(["live", "failed", "fetching", "no engine", "lost", "replay", "demo", "tour"]),
    size=st.sampled_from(SIZES),
    keys=st.lists(st.sampled_from([*PRESSES, *WORDS, *PAUSES, "ctrl+c", "enter", "escape"]), max_size=40),
)
async def test_no_walk_of_keys_ends_the_monitor(
    kind: str, size: tuple[int, int], keys: list[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    clock = Clock()
    session = ScriptedSession(clock)
    async with opened(monkeypatch, fed(kind, session, clock), session, clock, size) as at:
        if kind == "tour":
            await _tour(at)
        for key in keys:
            if key.startswith("wait:"):
                await later(at, float(key[5:]))
            elif key == "ctrl+c" and not session.running:
                continue  # quits, as it should
            else:
                await at.press(key)
            alive(at, key)
        await home(at)
        await at.press("q")
        assert at.app.return_code == 0
