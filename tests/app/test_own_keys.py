"""Sentences name the keys that act: those of the person where there are any, as the footer does."""

import re
from dataclasses import replace

import pytest

from tests.app.conftest import Watch
from tests.app.scripted import MS, ScriptedSession, whole
from tui.app.commands import Commands
from tui.app.enter import Enter
from tui.app.panels.answer import nothing
from tui.app.panels.replaying import caption
from tui.app.scene import Engine, Reel, Replay, Scene, Setup
from tui.app.words import say
from tui.domain.view import Stage, View
from tui.plot.rows import plain
from tui.settings.keymap import apply

KEYS = {
    "send": "f5", "pause": "f6", "engine": "f7", "auto": "f8", "help": "f9", "stop": ["f2", "x"],
    "shorter": "j", "longer": "k", "scroll_up": "f3",
}  # fmt: skip
TABLE = apply(KEYS)
NAMES = {row.action: row.shown for row in TABLE}


@pytest.mark.parametrize(
    ("scene", "said"),
    [
        (Scene(engine=Engine("x")), ["f5 sends a prompt of 512 tokens"]),
        (Scene(), ["f7 picks one"]),
        (Scene(enter=Enter.CHOOSE), ["f5 offers the built-in one or an address", "f7 picks one"]),
        (Scene(problem="None.", enter=Enter.AGAIN), ["f5 tries again"]),
        (Scene(setup=Setup("failed", why="none"), enter=Enter.CHOOSE), ["f5 offers"]),
        (Scene(replay=Replay("a", 1.0, False)), ["f6 plays"]),
        (Scene(replay=Replay("a", 1.0, False, held=True), view=View(stage=Stage.PREFILL)), ["f6 goes on"]),
        (Scene(paused=True, engine=Engine("x")), ["f6 goes on"]),
    ],
)
def test_the_sentence_names_the_persons_own_keys(scene: Scene, said: list[str]) -> None:
    told = " · ".join(say(replace(scene, keys=NAMES)).parts)
    assert all(words in told for words in said), told
    assert not re.search(r"\b(enter|space|e)\b", told)


def test_so_does_what_stands_where_no_answer_is() -> None:
    told = nothing(Scene(keys=NAMES))
    assert told == ("j k turn the length of the prompt", "f8 sends at every turn", "f9 explains every number")


def test_so_does_the_caption_of_a_demo() -> None:
    replay = Replay("a", 1.0, True, reel=Reel(1, 5, "title", "caption"))
    told = " ".join(plain(row) for row in caption(replay, 120, 2, NAMES))
    assert "your own: f7 picks an engine" in told


async def test_so_does_the_palette(watch: Watch) -> None:
    async with watch(keys=TABLE) as at:
        commands = Commands(at.desk)
        told = {name: does for name, does, _ in commands._all()}
        assert told["freeze"].endswith("f6 goes on") and told["tour"].endswith("; f2 leaves")
        assert told["demo"].endswith("f2 comes back") and told["calibrate this endpoint"].endswith("f2 stops")


async def test_the_screen_is_given_them(watch: Watch, session: ScriptedSession) -> None:
    session.script = lambda knobs: whole(knobs, prefill_ns=MS, tokens=3, gap_ns=MS)
    async with watch(keys=TABLE) as at:
        assert "f5 sends a prompt" in at.text and "f5 send" in at.rows[-1] and "enter" not in at.text
        await at.press("f5", "f5")
        assert "f2 stops both" in at.rows[-1]
