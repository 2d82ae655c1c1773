"""Rivals on the screen: lanes under the phases, their number in words, and no trace of them elsewhere."""

from collections.abc import Iterator

import pytest

from tests.app.conftest import Watch, Watched
from tests.app.scripted import MS, S, ScriptedSession, whole
from tui.app.layout import TimeRows
from tui.app.panels.rival_lanes import shared
from tui.domain import events as ev
from tui.domain.knobs import Knobs


def crowded(knobs: Knobs) -> list[ev.Event]:
    """A request of some 8 s, and as many rivals beside it as were asked for."""
    events = [*whole(knobs, tokens=20), ev.Learned(0, {"rivals": knobs.rivals})]
    return sorted([*events, *steps(knobs.rivals)], key=lambda event: event.at_ns)


def steps(rivals: int) -> Iterator[ev.Event]:
    for number in range(1, rivals + 1):
        yield ev.RivalSeen(-100 * MS + number, number, "sent")
        yield ev.RivalSeen(number * S, number, "first")
        yield ev.RivalSeen(2 * number * S, number, "last", chunks=9)
        yield ev.RivalSeen(2 * number * S, number, "ended", how="eof")
        yield ev.RivalSeen(2 * number * S + MS, number, "sent")


@pytest.fixture
def session(session: ScriptedSession) -> ScriptedSession:
    session.script = crowded
    return session


def row(at: Watched, name: str) -> str:
    return next((text for text in at.rows if text.startswith(name)), "")


async def test_each_has_a_thin_lane_under_the_phases(watch: Watch) -> None:
    async with watch((120, 36), Knobs(rivals=2)) as at:
        await at.press("enter")
        await at.wait(5)
        names = [text.split("╱")[0].strip() for text in at.rows]
        assert names.index("rival 1") < names.index("rival 2")
        lane = row(at, " rival 1")[8:]
        assert lane.startswith("╱") and "▄" in lane and lane.rstrip().endswith("╱"), "it came again"
        assert "2 rivals beside it" in at.text


@pytest.mark.parametrize("rivals", [1, 2, 3, 4])
async def test_the_other_rows_stay_on_the_screen(watch: Watch, rivals: int) -> None:
    async with watch((120, 36), Knobs(rivals=rivals)) as at:
        before = len(at.rows)
        await at.press("enter")
        await at.wait(9)
        assert len(at.rows) == before
        assert all(row(at, f" rival {number}") for number in range(1, rivals + 1))
        assert all(row(at, name) for name in (" phases", " gaps", " cpu"))
        words = "1 rival ran beside it" if rivals == 1 else f"{rivals} rivals ran beside it"
        assert words in at.text


async def test_on_a_small_screen_they_share_a_row(watch: Watch) -> None:
    async with watch((80, 24), Knobs(rivals=3)) as at:
        await at.press("enter")
        await at.wait(5)
        lane = row(at, "rivals")[6:]
        assert set(lane.strip()) >= {"╱", "▃"}
        assert row(at, "gaps") and row(at, "cpu")


async def test_the_next_run_without_rivals_has_no_lanes(watch: Watch) -> None:
    async with watch((120, 36), Knobs(rivals=4)) as at:
        await at.press("enter")
        await at.wait(9)
        await at.press("r", "enter")
        await at.wait(1)
        assert at.session.sent[-1].rivals == 0
        assert not row(at, " rival")
        assert "rivals" not in "\n".join(at.rows[:-1]).replace("+4 rivals", "")


async def test_turning_the_knob_turns_the_curve(watch: Watch) -> None:
    async with watch((120, 36)) as at:
        await at.press("enter")
        await at.wait(9)
        assert "7.00" in at.rows[-2]
        await at.press("r")
        assert "7.00" not in at.rows[-2], "no time of a run that was alone stands for one that is not"


def test_rows_are_only_taken_where_one_is_left() -> None:
    large = TimeRows(names=1, lane=3, ghost=1, axis=2, gaps=3, load=2)
    for rivals in range(5):
        rows, shown = shared(large, rivals)
        assert (rows.total + shown, shown) == (large.total, rivals)
        assert min(rows.lane - 1, rows.gaps, rows.load) >= 1
    assert shared(TimeRows(lane=1, axis=1), 2) == (TimeRows(lane=1, axis=1), 0)
    small = TimeRows(names=1, lane=2, ghost=1, axis=1, gaps=2, load=1)
    assert shared(small, 4)[1] == 1
