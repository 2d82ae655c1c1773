"""What stands on the screen, state by state and size by size."""

import re
from collections.abc import Callable

import pytest

from tests.app.conftest import Watch
from tests.app.scripted import ENGINE, MS, S, ScriptedSession, machine, opening, whole
from tui.domain import events as ev
from tui.domain.events import Dialect, Event
from tui.domain.knobs import Knobs

SIZES = [(80, 24), (81, 24), (99, 30), (100, 36), (119, 36), (120, 36), (150, 40), (70, 20), (50, 12)]
ROOMY = [(300, 60), (109, 80)]
Script = Callable[[Knobs], list[Event]]
KNOBS = Knobs(prompt_tokens=1674)


def fast(knobs: Knobs) -> list[Event]:
    return whole(knobs, 300 * MS, tokens=164, gap_ns=12 * MS, cached=1024, stall=(99, 330 * MS), gpu=True)


def broken(knobs: Knobs) -> list[Event]:
    events = [event for event in whole(knobs, 300 * MS, tokens=64) if event.at_ns < 700 * MS]
    return [*events, ev.Ended(700 * MS, "reset", "connection reset by peer")]


def silent(knobs: Knobs) -> list[Event]:
    return [*opening(knobs, Dialect("llama.cpp")), *machine(5 * S)]


async def test_prefill_at_the_large_size(watch: Watch, session: ScriptedSession) -> None:
    session.script = lambda knobs: whole(knobs, prefill_ns=18 * S)
    async with watch(knobs=KNOBS) as at:
        await at.press("enter")
        await at.wait(7.6)
        rows = at.rows
        assert rows[0].startswith(" toklane  llama.cpp · SmolLM2-135M Q4_1 · ctx 8192 · 127.0.0.1:8080")
        assert rows[0].endswith("run 1 · clock ±60 µs")
        assert rows[2].startswith(" ● Reading the prompt  768 of 1,674 tokens · ≈ 1")
        assert rows[4].split("  ")[0] == " since sent"
        assert "tokenize 3.7 ms  queue 1.2 ms  prefill 7.60 s" in rows[9]
        assert "256" in rows[11] and "512" in rows[11] and "768" in rows[11]
        assert "first token ≈ 18 s" in rows[11]
        assert "▲ 7.60 s" in rows[15] and rows[15].endswith("20 s")
        assert "no token yet" in rows[17]
        assert rows[19].startswith(" cpu    ▇")
        assert "768 of 1,674" in rows[25]
        assert "14.2/23.4 G" in rows[22] and "1.98/2" in rows[22]
        assert re.search("─ cpu · no NVIDIA driver ─+$", rows[21])
        assert rows[25].endswith("prefill 198 % server 190 %") and rows[27].endswith("CPU-bound: CPU 190 %")
        assert "…" in rows[34]
        assert rows[35].startswith(" esc stop")


async def test_finished_at_the_small_size(watch: Watch, session: ScriptedSession) -> None:
    session.script = fast
    async with watch((80, 24), Knobs(prompt_tokens=3072, answer_limit=256)) as at:
        await at.press("enter")
        await at.wait(4)
        rows = at.rows
        assert rows[1].startswith(" ✔ Finished  12 % of 2.5")
        assert "total s ○" in rows[3] and "prefill k tok/s ●" in rows[3] and "decode tok/s ○" in rows[3]
        assert "prefill 300 ms ●" in rows[8]
        assert "stall 343 ms at token 99" in rows[13]
        assert rows[14].startswith("12.6ms ")
        assert "2,048 + 1,024 reused" in rows[17] and rows[17].endswith("164/256")
        assert "gpu" in rows[18] and "97 %" in rows[18] and "312 W" in rows[18]
        assert "[" not in rows[21], "brackets stand for the selection only where there is no colour"
        assert rows[23].startswith(" enter send")


async def test_the_ghost_is_the_run_before(watch: Watch, session: ScriptedSession) -> None:
    session.script = fast
    async with watch(knobs=Knobs(prompt_tokens=3072)) as at:
        await at.press("enter")
        await at.wait(4)
        assert "▀▀▀▀" not in at.rows[13]
        await at.press("enter")
        await at.wait(4)
        assert "▀▀▀▀" in at.rows[13] and at.rows[13].endswith("run 1 · 2.59 s")


async def test_failure_shows_cause_remedy_and_what_had_arrived(
    watch: Watch, session: ScriptedSession
) -> None:
    session.script = broken
    async with watch(knobs=KNOBS) as at:
        await at.press("enter")
        await at.wait(1)
        assert at.rows[2].startswith(" ✖ Failed  the engine closed the connection after 8 messages")
        assert "✖ connection closed" in at.text or "✖ closed" in at.text
        assert at.rows[28].startswith("─ what happened ─")
        assert at.rows[29].startswith(" cause   connection reset by peer")
        assert at.rows[30].startswith(" remedy  look at the engine's log")
        assert at.rows[31].startswith(" answer  1. Prefill reads")
        assert at.text.count("the engine closed the connection") == 1, "the sentence is not repeated"
        assert "✖" in at.rows[34], "the length that failed is marked on the dial"


async def test_a_wait_that_cannot_be_split_says_so(watch: Watch, session: ScriptedSession) -> None:
    session.script = silent
    async with watch((80, 24)) as at:
        await at.press("enter")
        await at.wait(2)
        assert at.rows[9].startswith("phase  ╱╱╱╱╱╱")
        assert at.rows[17] == " queue, tokenize and prefill can't be told apart here"


async def test_the_last_time_at_this_length_is_what_a_silent_engine_is_expected_to_take(
    watch: Watch, session: ScriptedSession
) -> None:
    session.script = lambda knobs: whole(knobs, prefill_ns=1900 * MS, tokens=8)
    async with watch() as at:
        await at.press("enter")
        await at.wait(4)
        session.script = silent
        await at.press("enter")
        await at.wait(1)
        assert "last time 1.9 s" in at.text
        await at.wait(2)
        assert "longer than last time: 1.9 s" in at.text


@pytest.mark.parametrize("script", [fast, broken, silent])
async def test_no_word_and_no_number_is_cut(watch: Watch, session: ScriptedSession, script: Script) -> None:
    """Every word of a narrow screen stands as it is on a screen that has room for everything."""
    session.script = script
    seen: dict[tuple[int, int], set[str]] = {size: set() for size in (*ROOMY, *SIZES)}
    async with watch(ROOMY[0], Knobs(prompt_tokens=2048, answer_limit=256)) as at:
        await at.press("enter")
        for _ in range(4):
            await at.wait(0.6)
            for size, words in seen.items():
                await at.pilot.resize_terminal(*size)
                await at.frame()
                words |= set(re.sub(r"[^\x20-\x7eµ°≈…]+", " ", at.text).split())
    known = set.union(*(seen[size] for size in ROOMY))
    assert not {word for size in SIZES for word in seen[size] if not _known(word, known)}


def _known(word: str, known: set[str]) -> bool:
    """Numbers of an axis and initials depend on the width; everything else must not."""
    return word in known or bool(re.fullmatch(r"[\d.,:/×%]+|[a-z][\d.]+|[\d.]+ms|…|.", word))


async def test_hostile_names_cannot_act_on_the_terminal(watch: Watch, session: ScriptedSession) -> None:
    session.found = ENGINE.__class__("llama.cpp", ENGINE.base, "evil\x1b]0;x\x07[bold]model", context=4096)
    async with watch() as at:
        strips = at.desk._compositor.render_strips(at.desk.size)
        shown = "".join(segment.text for strip in strips for segment in strip)
        assert "\x1b" not in shown and "\x07" not in shown
        assert "[bold]model" in shown
