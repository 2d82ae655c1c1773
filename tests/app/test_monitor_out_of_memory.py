"""The system ends the engine for want of memory: the request fails, and the panel says what happened."""

from __future__ import annotations

from dataclasses import replace

from tests.app.conftest import Watch
from tests.app.scripted import MS, S, ScriptedSession, machine_reading, opening, reading, writing
from tui.domain import events as ev
from tui.domain.knobs import Knobs

TOKENS, KILLED = 20, 2 * S


def killed_amid_its_answer(knobs: Knobs) -> list[ev.Event]:
    """Twenty tokens; then the kernel's counter of kills grows, the server is gone, the connection too."""
    start = 400 * MS
    events = [*opening(knobs), *reading(knobs, 300 * MS), *writing(start, TOKENS, 50 * MS)]
    for n, at_ns in enumerate(range(0, 4 * S, 100 * MS)):
        seen = replace(machine_reading(at_ns, n), oom_kills=0, ram_available_bytes=200 * 2**20)
        gone = replace(seen, oom_kills=1, server=None, ram_available_bytes=9 * 2**30)
        events.append(ev.Sampled(at_ns, seen if at_ns < KILLED else gone))
    return [*events, ev.Ended(KILLED + MS, "reset", "127.0.0.1:8080 broke the connection inside the reply")]


async def test_it_is_told_from_an_engine_that_just_went(watch: Watch, session: ScriptedSession) -> None:
    session.script = killed_amid_its_answer
    async with watch() as at:
        await at.press("enter")
        await at.wait(1.5)
        assert "OOM-KILLED" not in at.text
        await at.wait(2)
        assert "✖ Failed  the engine closed the connection" in at.text
        assert "OOM-KILLED" in at.text
        assert str(session.view().answer).count(".") >= 2, "what had come stays"
        await at.press("3")
        assert "OOM-KILLED" in at.text


async def test_a_stopped_request_says_that_the_engine_may_not_have_heard(
    watch: Watch, session: ScriptedSession
) -> None:
    async with watch((160, 40)) as at:
        await at.press("enter")
        await at.wait(1)
        await at.press("escape")
        assert "Stopped  after" in at.text and "some engines go on computing for a while" in at.text
