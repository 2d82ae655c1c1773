"""Of several stalls the longest is named on the lane before all, the others where they have room."""

import pytest

from tests.app.conftest import Watch
from tests.app.scripted import MS, S, ScriptedSession, opening
from tui.domain import events as ev
from tui.domain.knobs import Knobs
from tui.plot.gaps import stall_labels


def halting(holes_ms: tuple[int, ...], tokens: int = 30) -> list[ev.Event]:
    """Ten milliseconds a token, and a hole before each further stretch of `tokens`."""
    events, at = [*opening(Knobs())], 50 * MS
    count = 0
    for hole in (0, *holes_ms):
        at += hole * MS
        for n in range(tokens):
            count += 1
            events.append(ev.Arrived(at, None, at, True, 1, 1))
            events.append(ev.Generated(at, answer="a" if n else " b", count=count))
            at += 10 * MS
    return [*events, ev.Finish(at, "stop"), ev.Done(at), ev.Ended(at, "eof")]


@pytest.mark.parametrize("holes_ms", [(2_000, 400, 600), (400, 2_000, 600), (400, 600, 2_000)])
async def test_the_longest_stall_is_named(
    watch: Watch, session: ScriptedSession, holes_ms: tuple[int, ...]
) -> None:
    session.script = lambda knobs: halting(holes_ms)
    async with watch() as at:
        await at.press("enter")
        await at.wait(6)
        gaps = next(row for row in at.rows if row.startswith(" gaps"))
        longest = holes_ms.index(2_000)
        assert f"stall 2.01 s at token {30 * (longest + 1) + 1}" in gaps, gaps
        assert "3 stalls, the longest 2.01 s" in at.text


async def test_more_than_one_is_named_where_there_is_room(watch: Watch, session: ScriptedSession) -> None:
    session.script = lambda knobs: halting((3_000, 3_500), tokens=100)
    async with watch((160, 50)) as at:
        await at.press("enter")
        await at.wait(12)
        assert "stall 3.01 s at token 101" in at.text and "stall 3.51 s at token 201" in at.text


def test_messages_that_are_late_are_not_called_tokens() -> None:
    assert stall_labels(2 * S, 31, counted=False)[0] == "stall 2.00 s at message 31"
