"""The stage: huge and few, the same keys, the states as they are drawn, and nothing without room."""

import re
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import replace

import pytest

from tests.app.conftest import Watch, Watched
from tests.app.scripted import MS, S, ScriptedSession, machine, opening, whole
from tui.app.scene import Scene
from tui.app.screens.help import HelpScreen
from tui.app.stage.telling import told
from tui.app.words import say
from tui.domain import events as ev
from tui.domain.events import Dialect, Event
from tui.domain.knobs import Cache, Knobs
from tui.domain.view import Stage, View

SIZE = (100, 28)
KNOBS = Knobs(prompt_tokens=1674, answer_limit=256)
Script = Callable[[Knobs], list[Event]]


def slow(knobs: Knobs) -> list[Event]:
    return whole(knobs, prefill_ns=18 * S)


def stalling(knobs: Knobs) -> list[Event]:
    return whole(knobs, 300 * MS, tokens=164, gap_ns=12 * MS, cached=1024, stall=(99, 330 * MS))


def silent(knobs: Knobs) -> list[Event]:
    return [*opening(knobs, Dialect("llama.cpp")), *machine(5 * S)]


def broken(knobs: Knobs) -> list[Event]:
    events = [event for event in whole(knobs, 300 * MS, tokens=64) if event.at_ns < 700 * MS]
    return [*events, ev.Ended(700 * MS, "reset", "connection reset by peer")]


async def on_stage(at: Watched) -> None:
    await at.press("m")
    assert at.desk.on_stage


def plain(watch: Watch, monkeypatch: pytest.MonkeyPatch) -> AbstractAsyncContextManager[Watched]:
    monkeypatch.setenv("NO_COLOR", "1")
    return watch(SIZE, KNOBS)


async def test_reading_the_prompt(
    watch: Watch, session: ScriptedSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    session.script = slow
    async with plain(watch, monkeypatch) as at:
        await on_stage(at)
        await at.press("enter")
        await at.wait(7.6)
        rows = at.rows
        assert rows[0] == rows[2] == "▓" * 100
        assert re.fullmatch(
            r"   READING THE PROMPT {20,}768 of 1,674 tokens · ≈ \d+ s to the first token", rows[1]
        )
        assert rows[3] == rows[5] == rows[11] == ""
        assert re.fullmatch("   WAITING SO FAR +READS", rows[4])
        assert rows[4].index("READS") == 52 and rows[6][40:53] == " " * 12 + "█"
        assert set("".join(rows[6:10])) <= set("█ ")
        assert rows[10].endswith("tok/s ●") and "  s ○ " in rows[10]
        assert rows[12].split() == ["tokenize", "3.7", "ms", "queue", "1.2", "ms", "prefill", "7.60", "s"]
        assert rows[13] == rows[14] == rows[16] == rows[17]
        assert "READING" in rows[15] and "first token ≈ 18 s" in rows[15]
        assert "▕" not in rows[13], "the notches of the reports are too fine for a room"
        assert set(rows[18]) <= set(" ─")
        assert "▲ 7.60 s" in rows[19] and len(re.findall(r"\d+ s", rows[19])) <= 6
        assert "no token yet" in "".join(rows[20:23])
        assert rows[24].startswith(" prompt ←") and rows[25].startswith(" TTFT s")
        assert rows[27].startswith(" toklane llama.cpp · SmolLM2-135M Q4_1 ") and rows[27].endswith(" ? help")


async def test_a_stall_while_it_lasts_and_when_it_is_over(
    watch: Watch, session: ScriptedSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    session.script = stalling
    async with plain(watch, monkeypatch) as at:
        await on_stage(at)
        await at.press("enter")
        await at.wait(1)
        assert at.rows[0] == "█" * 100
        assert re.search("WRITING THE ANSWER +token .* of at most 256 · one every 12.. ms$", at.rows[1])
        assert re.fullmatch("   FIRST WORD AFTER +WRITES", at.rows[4])
        assert "READING" in at.rows[15] and "WRITING" in at.rows[15]
        await at.wait(0.75)
        assert at.rows[0] == "╳" * 100
        assert re.search("STALLED +no token for .* after token 98", at.rows[1])
        assert "╳" in at.rows[13]
        await at.wait(3)
        assert at.rows[0] == "▔" * 100
        assert re.search(
            "FINISHED +12 % of 2.5. s was reading .* one stall of 3.. ms at token 99", at.rows[1]
        )
        assert re.fullmatch("   FIRST WORD AFTER ms ○ +READS k tok/s ● +WRITES tok/s ○", at.rows[4])
        assert [at.rows[4].index(word) for word in ("FIRST", "READS", "WRITES")] == [3, 36, 68]
        lane = at.rows[15]
        assert "WRITING" in lane and not re.search("╳[^█]*WRITING|WRITING[^█]*╳", lane)
        assert re.search("╳  stall 3.. ms at token 99", at.rows[20])


async def test_waiting_for_an_engine_that_says_nothing(
    watch: Watch, session: ScriptedSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    session.script = silent
    async with plain(watch, monkeypatch) as at:
        await on_stage(at)
        await at.press("enter")
        await at.wait(1.25)
        assert at.rows[0] == "▒" * 100
        assert at.rows[1].endswith("sent, nothing has come back yet · the engine does not say why")
        assert at.rows[8].rstrip().endswith("–"), "what it reads is not known yet"
        assert " WAITING ╱" in at.rows[15]
        await at.press("escape")
        assert at.rows[4].startswith("   WAITED s ○ ") and "█" in at.rows[6], "there was no first word"


async def test_failed(watch: Watch, session: ScriptedSession, monkeypatch: pytest.MonkeyPatch) -> None:
    session.script = broken
    async with plain(watch, monkeypatch) as at:
        await on_stage(at)
        await at.press("enter")
        await at.wait(1)
        assert at.rows[0] == at.rows[2] == "▔" * 100
        assert re.search("FAILED +the engine closed the connection after 8 ", at.rows[1])
        assert "✖" in at.rows[13] and "✖" in at.rows[25]
        await at.press("6")
        assert "remedy" in "".join(at.rows[20:23]), "6 tells what can be done"


def test_the_sentence_says_how_much_there_is_to_read_where_the_engine_does_not() -> None:
    scene = Scene(view=View(stage=Stage.PREFILL), asked=2048)
    assert told(scene).parts[0] == "a prompt of 2,048 tokens"
    assert told(replace(scene, asked=0)).parts == say(scene).parts


async def test_m_goes_there_and_back(watch: Watch) -> None:
    async with watch(SIZE) as at:
        before = at.rows
        await on_stage(at)
        assert "READY" in at.rows[1] and "enter sends a prompt of 512 tokens" in at.rows[1]
        await at.press("m")
        assert at.rows == before


async def test_every_key_works_on_the_stage(watch: Watch, session: ScriptedSession) -> None:
    session.script = stalling
    async with watch(SIZE) as at:
        await on_stage(at)
        await at.press("right", "up", "c")
        knobs = at.desk.pump.knobs
        assert (knobs.prompt_tokens, knobs.answer_limit, knobs.cache) == (1024, 128, Cache.SAME)
        assert "answer 128 · cache same" in at.rows[-1], "knobs turned on a stage are seen to turn"
        await at.press("enter")
        await at.wait(0.5)
        assert session.running
        await at.press("escape")
        assert session.cancelled == 1 and "STOPPED" in at.rows[1]
        await at.press("question_mark")
        assert isinstance(at.app.screen, HelpScreen)
        await at.pilot.press("escape")
        await at.frame()
        assert at.desk.on_stage
        await at.press("enter")
        await at.wait(4)
        await at.press("enter", "g")
        await at.wait(0.5)
        assert not at.desk.pump.ghost and "▀▀▀" not in at.rows[18]
        await at.press("g")
        assert "▀▀▀" in at.rows[18], "the ghost of the run before is the line of the axis"
        await at.press("w")
        assert "run-" in at.rows[-1], "a word in place of the bottom row"


async def test_the_axis_is_the_request_s_of_now_however_long_the_ghost_is(
    watch: Watch, session: ScriptedSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    def of_seconds(prefill_s: float) -> Script:
        return lambda knobs: whole(knobs, prefill_ns=round(prefill_s * S), tokens=20, gap_ns=20 * MS)

    async with plain(watch, monkeypatch) as at:
        await on_stage(at)
        session.script = of_seconds(15)
        await at.press("enter")
        await at.wait(17)
        session.script = of_seconds(0.6)
        await at.press("left", "enter")
        await at.wait(0.3)
        assert at.desk.time.axis.end_ns <= 2 * S
        await at.wait(1.5)
        assert "READING" in at.rows[15] and "WRITING" in at.rows[15]
        assert re.search(r"▀ run 1 · .*15.4 s →$", at.rows[18]), "cut at the edge, and named"
        assert at.desk.time.axis.end_ns == 1 * S
        await at.press("m")
        assert at.desk.time.axis.end_ns == 20 * S, "in the monitor both have room"
        await at.press("m")
        assert at.desk.time.axis.end_ns == 1 * S


async def test_a_request_that_was_given_up_is_no_ghost(watch: Watch, session: ScriptedSession) -> None:
    session.script = lambda knobs: whole(knobs, prefill_ns=300 * MS, tokens=200)
    async with watch(SIZE) as at:
        await on_stage(at)
        await at.press("enter")
        await at.wait(2)
        await at.press("escape")
        assert session.cancelled == 1 and session.shelf.ghost is None
        await at.press("enter")
        await at.wait(0.2)
        assert "▀▀" not in at.rows[18]


async def test_six_puts_the_answer_in_the_place_of_the_gaps(watch: Watch, session: ScriptedSession) -> None:
    session.script = stalling
    async with watch(SIZE) as at:
        await on_stage(at)
        await at.press("enter")
        await at.wait(4)
        gaps = at.rows[20:23]
        await at.press("6")
        assert "parallel, so it is limited by arithmetic" in " ".join(at.rows[20:23])
        assert at.desk.maximised == ""
        await at.press("6")
        assert at.rows[20:23] == gaps


async def test_a_maximised_panel_comes_from_the_stage_and_goes_back_to_it(watch: Watch) -> None:
    async with watch(SIZE) as at:
        await on_stage(at)
        await at.press("1")
        assert at.desk.maximised == "time" and not at.desk.on_stage
        await at.press("escape")
        assert at.desk.on_stage


@pytest.mark.parametrize(("size", "staged"), [((80, 24), True), ((79, 30), False), ((100, 23), False)])
async def test_without_room_the_usual_screen_stays(watch: Watch, size: tuple[int, int], staged: bool) -> None:
    async with watch(size) as at:
        await at.press("m")
        assert at.desk.on_stage is staged
        assert ("the stage needs 80 x 24 cells" in at.rows[-1]) is not staged
        await at.pilot.resize_terminal(*SIZE)
        await at.frame()
        assert at.desk.on_stage, "it was wished for, so it comes with the room"


async def test_the_flag_begins_on_the_stage(watch: Watch) -> None:
    async with watch(SIZE, staged=True) as at:
        assert at.desk.on_stage and "READY" in at.rows[1]


async def test_figures_change_twice_a_second_and_the_lane_with_every_frame(
    watch: Watch, session: ScriptedSession, painted: list[str]
) -> None:
    session.script = slow
    async with watch(SIZE, KNOBS) as at:
        await on_stage(at)
        await at.press("enter")
        await at.wait(3)
        painted.clear()
        for _ in range(40):
            at.clock.now_ns += 50 * MS
            at.desk.pump.tick()
        assert 3 <= painted.count("giants") <= 4
        assert painted.count("band") <= 4
        assert painted.count("time") >= 38
        assert not {"header", "sentence", "figures", "gauges", "memory"} & set(painted)


async def test_nothing_is_painted_on_the_stage_while_nothing_changes(
    watch: Watch, session: ScriptedSession, painted: list[str]
) -> None:
    session.script = lambda knobs: whole(knobs, prefill_ns=300 * MS, tokens=20)
    async with watch(SIZE) as at:
        await on_stage(at)
        await at.press("enter")
        await at.wait(3)
        painted.clear()
        for _ in range(100):
            at.clock.now_ns += 50 * MS
            at.desk.pump.tick()
        assert painted == []


@pytest.mark.parametrize("size", [(80, 24), (90, 26), (100, 28), (120, 36), (200, 60)])
@pytest.mark.parametrize("script", [stalling, broken, silent])
async def test_only_blocks_and_plain_words_are_on_the_stage(
    watch: Watch, session: ScriptedSession, script: Script, size: tuple[int, int]
) -> None:
    session.script = script
    async with watch(size, KNOBS) as at:
        await on_stage(at)
        await at.press("enter")
        for _ in range(4):
            await at.wait(0.6)
            text = at.text
            known = set("█▀▄▔▁▂▃▅▆▇ ▏▎▍▌▋▊▉╱╳░┃─▲✖■●○◐≈–·…→←µ×\n")
            assert {char for char in text if not char.isascii()} <= known
            assert all(len(row) <= size[0] for row in at.rows)
