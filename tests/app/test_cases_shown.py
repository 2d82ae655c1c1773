"""Every case on the real screen, amid it and at its end: what must be seen is, what must not act does not."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import pytest

from tests.app.conftest import Clock, Watched, watching
from tests.app.scripted import ScriptedSession
from tui.app.desk import Desk
from tui.app.main import Monitor
from tui.capture.demo import DemoSession, Reel
from tui.capture.recording import Recording, read
from tui.domain.knobs import Knobs
from tui.plot.cells import clean, width

CASES = sorted((Path(__file__).parents[1] / "data" / "cases").glob("*.jsonl"))


@dataclass(frozen=True)
class Case:
    """A case in the place of a recording that comes along."""

    file: Path
    title: str
    caption: str = ""

    def load(self) -> Recording:
        return read(self.file)

    @property
    def expect(self) -> dict[str, Any]:
        told: dict[str, Any] = json.loads(self.file.read_text(encoding="ascii").split("\n", 1)[0])
        expect: dict[str, Any] = told["meta"]["expect"]
        return expect


@asynccontextmanager
async def shown(
    session: ScriptedSession, clock: Clock, monkeypatch: pytest.MonkeyPatch, size: tuple[int, int]
) -> AsyncIterator[tuple[Watched, DemoSession, list[Case]]]:
    monkeypatch.setattr(Desk, "on_mount", lambda desk: None)
    monkeypatch.setattr(Monitor, "_settle", lambda app: None)
    cases = [Case(path, path.stem) for path in CASES]
    feed = DemoSession(cast("list[Reel]", cases), clock=clock)
    app = Monitor(lambda: (feed, Knobs()))
    async with watching(app, size, session, clock) as at:
        yield at, feed, cases


def unsound(rows: list[str], columns: int) -> list[str]:
    """Rows that hold what acts on a terminal, or are wider than it."""
    acting = [row for row in rows if clean(row) != row]
    return acting + [row for row in rows if width(row) > columns]


@pytest.mark.parametrize("size", [(120, 36), (80, 24)], ids=str)
async def test_each_is_told_as_what_it_is(
    session: ScriptedSession, clock: Clock, monkeypatch: pytest.MonkeyPatch, size: tuple[int, int]
) -> None:
    async with shown(session, clock, monkeypatch, size) as (at, feed, cases):
        for case in cases:
            name, expect = case.title, case.expect
            for part in (0.5, 1.0):
                feed.jump(feed.start_ns + round((feed.end_ns - feed.start_ns) * part))
                at.desk.pump.touch()
                await at.frame()
                assert unsound(at.rows, size[0]) == [], name
            sentence = next(row for row in at.rows if "Recorded · " in row)
            word = "Failed" if expect.get("error") else "Finished" if expect.get("complete") else "Incomplete"
            assert word in sentence, (name, sentence)
            screen = expect.get("screen", {})
            if screen:  # where few rows are left to the answer it can be read alone
                await at.press("2", "plus")
                for words in screen.get("must_show", ()):
                    assert words in at.text, (name, words)
                await at.press("escape")
            for banned in (*screen.get("must_not_emit", ()), *expect.get("message_must_not_contain", ())):
                assert banned not in at.text, (name, banned)
            assert at.app.screen is at.desk and at.app.is_running, (name, screen.get("must_not_run"))
            feed.next()


@pytest.mark.parametrize(
    "name",
    [
        "very_long_word",
        "wide_and_joined_characters",
        "escape_sequences_in_answer",
        "square_brackets_in_answer",
        "lone_surrogate_in_json",
        "huge_data_line_200k",
    ],
)
async def test_the_hostile_ones_stay_inside_their_panel_at_every_moment(
    session: ScriptedSession, clock: Clock, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """Also with the answer over the whole screen, on the pages beside it and on the stage."""
    async with shown(session, clock, monkeypatch, (120, 36)) as (at, feed, _):
        while feed.reel.title != name:
            feed.next()
        for keys in ((), ("2", "plus"), ("escape", "d"), ("escape", "m")):
            await at.press(*keys)
            for part in (0.2, 0.6, 1.0):
                feed.jump(feed.start_ns + round((feed.end_ns - feed.start_ns) * part))
                at.desk.pump.touch()
                await at.frame()
                assert unsound(at.rows, 120) == [], (keys, part)
        assert at.app.is_running
