"""What the eye would stumble over: text at the edge, units beside other rows, a stall that nobody tells."""

from __future__ import annotations

import re

import pytest

from tests.app.conftest import Watch
from tests.app.scripted import MS, S, ScriptedSession, whole
from tui.app.figures import Shown
from tui.app.layout import plan
from tui.app.panels.figures import blocks
from tui.app.panels.sentence import over
from tui.app.scene import Scene
from tui.domain.events import Event
from tui.domain.knobs import Knobs
from tui.plot.glyphs import Fill
from tui.plot.rows import plain

NO_COUNT = "the engine gave no token count; chunks are not tokens"


def stalling(knobs: Knobs) -> list[Event]:
    return whole(knobs, 300 * MS, tokens=64, gap_ns=12 * MS, cached=1024, stall=(25, 700 * MS))


@pytest.mark.parametrize("width", [110, 119, 120, 121, 137, 149, 150, 200])
async def test_no_panel_writes_up_to_the_edge(watch: Watch, session: ScriptedSession, width: int) -> None:
    session.script = stalling
    async with watch((width, 36)) as at:
        await at.press("enter")
        await at.wait(4)
        assert "Finished" in at.text
        full = [row for row in at.rows if len(row) == width and not row.endswith("─")]
        assert full == []


@pytest.mark.parametrize("keys", [(), ("2",), ("3",)])
async def test_a_stall_is_told_at_80_columns_too(
    watch: Watch, session: ScriptedSession, keys: tuple[str, ...]
) -> None:
    session.script = stalling
    async with watch((80, 24)) as at:
        await at.press("enter")
        await at.wait(4)
        await at.press(*keys)
        assert re.search(r"Finished  \d+ % of 1\.\d\d s was reading the prompt", at.rows[1])
        assert at.rows[2].startswith("  one stall of 713 ms at token 25"), at.rows[2]


@pytest.mark.parametrize(
    ("words", "rows"),
    [
        ("Nothing answers.", [" ✖ No engine  Nothing answers."]),
        ("Nothing answers at all", [" ✖ No engine", "  Nothing answers at all"]),
        ("Nothing answers at any port, again", [" ✖ No engine  Nothing answers", "  at any port, again"]),
        (
            "Nothing answers at any port, not even the third",
            [" ✖ No engine  Nothing answers", "  at any port, not even the …"],
        ),
    ],
)
def test_a_reason_too_long_for_a_row_begins_in_the_first(words: str, rows: list[str]) -> None:
    assert [plain(row).rstrip() for row in over(Scene(problem=words), 30, 2)] == rows


async def test_where_no_token_came_none_is_awaited(watch: Watch, session: ScriptedSession) -> None:
    session.script = lambda knobs: whole(knobs, 5 * S, tokens=9)
    async with watch((80, 24)) as at:
        await at.press("enter")
        await at.wait(1)
        assert "no token yet" in at.text and "no token came" not in at.text
        await at.press("escape")
        assert "no token yet" not in at.text and "no token came" in at.rows[14]


@pytest.mark.parametrize("size", [(120, 36), (80, 24)])
async def test_how_far_a_stopped_request_had_read_stays(
    watch: Watch, session: ScriptedSession, size: tuple[int, int]
) -> None:
    session.script = lambda knobs: whole(knobs, 18 * S)
    async with watch(size, knobs=Knobs(prompt_tokens=1674)) as at:
        await at.press("enter")
        await at.wait(7.6)
        await at.press("escape")
        assert "Stopped" in at.text and at.text.count("768 of 1,674") == 1


def test_plain_numbers_stand_beside_their_units() -> None:
    rate = Shown("reading (prefill)", "prefill", "prefill", True, "74.9", "tok/s", "*", "@ 2,048 tok")
    large = [plain(row).rstrip() for row in blocks([rate], [1], 40, Fill.ASCII, beside=True)]
    assert large == [" reading (prefill)", " 74.9 tok/s *", " @ 2,048 tok", ""]
    small = [plain(row).rstrip() for row in blocks([rate], [1], 20, Fill.ASCII)]
    assert small == [" prefill tok/s *", " 74.9", "", ""]


@pytest.mark.parametrize(
    ("why", "cells", "rows"),
    [
        (NO_COUNT, 20, ["", " – the engine gave", "   no token count"]),
        (NO_COUNT, 30, [" – the engine gave no token", "   count; chunks are not", "   tokens"]),
        ("it ended before the prompt was read", 20, [" – it ended before", "   the prompt was", "   read"]),
        ("no token came", 20, ["", " – no token came", ""]),
    ],
)
def test_why_a_figure_is_absent_is_told_in_whole_clauses(why: str, cells: int, rows: list[str]) -> None:
    none = Shown("writing (decode)", "decode", "decode", False, why=why)
    told = [plain(row).rstrip() for row in blocks([none], [1], cells, Fill.COLOUR)]
    assert told[1:] == rows


def test_a_very_tall_screen_gives_the_answer_its_whole_width() -> None:
    tall, low = plan(200, 60).boxes, plan(200, 40).boxes
    assert tall["answer"].width == 200 and low["answer"].width == low["time"].width
    for boxes, below in ((tall, "answer"), (low, "dial")):
        assert boxes["gpu"].y + boxes["gpu"].height == boxes[below].y
    assert min(tall["memory"].height, tall["gpu"].height) >= 18
