"""Cases that are hostile to a terminal, from a server to a real terminal: live, and as a recording."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from tests.endings.conftest import Monitor
from tests.endings.hostile import alien
from tests.endings.terminal import ROOT
from tests.wire.answers import Side, always, told
from tests.wire.server import Server
from tests.wire.stream import stream_of

CASES = ROOT / "tests" / "data" / "cases"
MODELS = Side("/v1/models", always(told({"object": "list", "data": [{"id": "m", "object": "model"}]})))


def expected(case: Path) -> dict[str, list[str]]:
    screen: dict[str, list[str]] = json.loads(case.read_text().split("\n", 1)[0])["meta"]["expect"]["screen"]
    return screen


SHOWN = [path for path in sorted(CASES.glob("*.jsonl")) if '"screen"' in path.read_text().split("\n", 1)[0]]


def test_there_are_such_cases() -> None:
    assert {path.stem for path in SHOWN} >= {"escape_sequences_in_answer", "square_brackets_in_answer"}


@pytest.mark.parametrize("live", [True, False], ids=["live", "replayed"])
@pytest.mark.parametrize("case", SHOWN, ids=lambda path: path.stem)
def test_its_text_is_shown_and_nothing_of_it_acts(monitor: Monitor, case: Path, live: bool) -> None:
    stream = replace(stream_of(case), path="/v1/chat/completions")
    with Server(stream, [MODELS]) as server:
        terminal = monitor(*(["--url", server.url] if live else ["replay", str(case)]))
        if live:
            terminal.wait_for("enter sends")
            terminal.press("\r")
        terminal.wait_for("Finished")
        screen = expected(case)
        for words in screen["must_show"]:
            terminal.wait_for(words)
        terminal.press("q")
        assert terminal.end() == 0 and terminal.restored
    for banned in screen.get("must_not_emit", []):
        assert banned.encode() not in terminal.written
    assert alien(terminal.written) == []
