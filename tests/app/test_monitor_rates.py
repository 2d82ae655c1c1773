"""The engine's rate and the one we saw are two numbers, on the screen and in what is exported."""

from __future__ import annotations

import pytest

from tests.app.conftest import Watch
from tests.app.scripted import MS, ScriptedSession, closing, opening, reading, writing
from tui.domain import events as ev
from tui.domain.knobs import Knobs
from tui.report.numbers import run_object

TOKENS, GAP = 64, 20 * MS
SEEN, TOLD = 50.0, 100.0  # tok/s: what arrived here, and what the engine says of itself


def behind_something_slow(knobs: Knobs) -> list[ev.Event]:
    first = 300 * MS
    last = first + (TOKENS - 1) * GAP
    events = [*opening(knobs), *reading(knobs, 200 * MS), *writing(first, TOKENS, GAP)]
    return [*events, *closing(last + MS, knobs, TOKENS, 200 * MS, (TOKENS - 1) * GAP // 2)]


async def test_both_are_shown_with_their_names(watch: Watch, session: ScriptedSession) -> None:
    session.script = behind_something_slow
    async with watch() as at:
        await at.press("enter")
        await at.wait(3)
        assert "Finished" in at.text
        assert "engine 100/s ●" in at.text and "whole answer" in at.text
    run = run_object(session.view())
    assert run["decode_tok_s"] == pytest.approx(SEEN, rel=0.02)
    assert run["server_decode_tok_s"] == pytest.approx(TOLD, rel=0.02)
