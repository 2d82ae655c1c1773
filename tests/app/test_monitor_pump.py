"""The frame tick: what it asks for, and what it does not paint."""

from types import SimpleNamespace

import pytest

from tests.app.conftest import Watch
from tests.app.scripted import MS, S, ScriptedSession, machine_reading, whole
from tui.app.pacing import behind, frames_per_s
from tui.app.panels.panel import SLOW
from tui.domain.knobs import Knobs
from tui.domain.pressure import step
from tui.domain.view import View


async def test_nothing_is_painted_while_nothing_changes(
    watch: Watch, session: ScriptedSession, painted: list[str]
) -> None:
    session.script = lambda knobs: whole(knobs, prefill_ns=300 * MS, tokens=20)
    async with watch() as at:
        await at.press("enter")
        await at.wait(3)
        painted.clear()
        for _ in range(100):
            at.clock.now_ns += 50 * MS
            at.desk.pump.tick()
        assert painted == []


async def test_an_equal_reading_of_the_machine_paints_nothing_and_another_one_only_its_panels(
    watch: Watch, session: ScriptedSession, painted: list[str]
) -> None:
    async with watch() as at:
        for n in range(12):
            session.pressure = step(session.pressure, machine_reading(n * S, 10 * n), False)
            at.desk.pump.touch()
            at.desk.pump.tick()
        painted.clear()
        session.pressure = step(session.pressure, machine_reading(12 * S, 120), False)
        at.desk.pump.touch()
        await at.frame()
        assert painted == []
        session.pressure = step(session.pressure, machine_reading(13 * S, 130, busy=False), False)
        at.desk.pump.touch()
        await at.frame()
        assert set(painted) == {"gpu"}


async def test_of_news_while_nothing_runs_one_scene_is_made_and_the_slow_panels_take_it_at_their_beat(
    watch: Watch, session: ScriptedSession, painted: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    async with watch() as at:
        session.pressure = step(session.pressure, machine_reading(0, 0), False)
        at.desk.pump.touch()
        await at.frame()
        session.pressure = step(session.pressure, machine_reading(S, 10, busy=False), False)
        news, views = iter((True,)), iter((View(),))  # a second one would be an error
        monkeypatch.setattr(session, "drain", lambda: next(news, False))
        monkeypatch.setattr(session, "view", lambda: next(views))
        painted.clear()
        for _ in range(2 * SLOW):
            at.desk.pump.tick()
        assert next(views, None) is None
        assert sorted(painted) == ["gpu", "memory"]


async def test_while_it_runs_only_rows_that_changed_are_painted(
    watch: Watch, session: ScriptedSession, painted: list[str]
) -> None:
    session.script = lambda knobs: whole(knobs, prefill_ns=18 * S)
    async with watch(knobs=Knobs(prompt_tokens=1674)) as at:
        await at.press("enter")
        await at.wait(11)  # until the histories of the calm machine reach over their whole width
        painted.clear()
        at.clock.now_ns += S
        at.desk.pump.touch()
        at.desk.pump.tick()
        assert not {"header", "memory", "answer", "dial", "footer"} & set(painted)
        assert {"time", "figures", "phases"} <= set(painted)


async def test_figures_change_at_most_four_times_a_second(
    watch: Watch, session: ScriptedSession, painted: list[str]
) -> None:
    session.script = lambda knobs: whole(knobs, prefill_ns=18 * S)
    async with watch(knobs=Knobs(prompt_tokens=1674)) as at:
        await at.press("enter")
        await at.wait(3)
        painted.clear()
        for _ in range(20):
            at.clock.now_ns += 50 * MS
            at.desk.pump.tick()
        assert painted.count("figures") <= 4
        assert painted.count("time") == 20


async def test_many_turns_within_a_frame_send_once(watch: Watch, session: ScriptedSession) -> None:
    async with watch(knobs=Knobs(auto=True)) as at:
        for _ in range(3):
            at.desk.action_longer()
        at.desk.action_shorter()
        await at.frame()
        assert [knobs.prompt_tokens for knobs in session.sent] == [2048]
        await at.frame()
        assert len(session.sent) == 1


async def test_a_turn_back_and_forth_within_a_frame_still_sends(
    watch: Watch, session: ScriptedSession
) -> None:
    async with watch(knobs=Knobs(auto=True)) as at:
        await at.press("right")
        at.desk.action_longer()
        at.desk.action_shorter()
        await at.frame()
        assert [knobs.prompt_tokens for knobs in session.sent] == [1024, 1024]


async def test_in_auto_mode_the_axis_keeps_its_length(watch: Watch, session: ScriptedSession) -> None:
    session.script = lambda knobs: whole(knobs, prefill_ns=3 * knobs.prompt_tokens * MS, tokens=4)
    async with watch(knobs=Knobs(auto=True)) as at:
        await at.press("right")
        await at.wait(5)
        assert at.desk.time.axis.end_ns == 5 * S
        await at.press("left")
        await at.wait(3)
        assert at.desk.time.axis.end_ns == 5 * S
        await at.press("a", "enter")
        await at.wait(3)
        assert at.desk.time.axis.end_ns == 2 * S


@pytest.mark.parametrize(
    ("environ", "frames"), [({}, 20), ({"SSH_CONNECTION": "a b"}, 10), ({"SSH_TTY": "/dev/pts/1"}, 10)]
)
def test_fewer_frames_over_a_network(environ: dict[str, str], frames: int) -> None:
    assert frames_per_s(environ) == frames


async def test_a_terminal_that_is_behind_gets_one_frame_for_many_and_the_request_goes_on(
    watch: Watch, session: ScriptedSession, painted: list[str]
) -> None:
    session.script = lambda knobs: whole(knobs, prefill_ns=300 * MS, tokens=16, gap_ns=12 * MS)
    async with watch() as at:
        await at.press("enter")
        painted.clear()
        for _ in range(40):
            at.clock.now_ns += 50 * MS
            at.desk.pump.tick(draw=False)
        assert painted == [] and not session.running
        await at.frame()
        assert "✔ Finished" in at.text


def test_how_far_the_terminal_is_behind_is_seen_by_what_waits_for_it() -> None:
    def app(waiting: int) -> SimpleNamespace:
        queue = SimpleNamespace(qsize=lambda: waiting)
        return SimpleNamespace(_driver=SimpleNamespace(_writer_thread=SimpleNamespace(_queue=queue)))

    assert [behind(app(waiting)) for waiting in (0, 1, 30)] == [False, True, True]
    assert not behind(SimpleNamespace(_driver=None))
