"""Text from a server is only ever text on the screen, on every page, and in a picture of it."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from tests.endings.conftest import Monitor
from tests.endings.hostile import ALL, Server, alien, streamed
from tests.endings.only_text import PAGES, STREAM, seen, sound
from tests.endings.terminal import ROOT, TOKLANE, Terminal, environment

RULE = "─" * 20
_DRAWN = {"svg", "style", "defs", "clipPath", "rect", "g", "circle", "text", "title"}


def ruled(terminal: Terminal) -> list[int]:
    """How long each rule of the screen is."""
    return [len(line) for line in terminal.text.split("\n") if RULE in line]


def test_an_answer_a_model_and_a_version_are_only_text_on_every_page(monitor: Monitor) -> None:
    with Server(ALL, STREAM) as server:
        terminal = monitor("--url", server.url)
        terminal.wait_for("Ready")
        terminal.settle(0.2)
        before = ruled(terminal)
        terminal.press("\r")
        terminal.wait_for("Finished")
        terminal.settle(0.2)
        # those around the answer; the titles of the machine's panels above change with the machine
        assert ruled(terminal)[-2:] == before[-2:]
        seen(terminal, PAGES)
        terminal.wait_for("Finished")
        assert "[@click=app.quit]" in terminal.text
        sound(terminal)


@pytest.mark.parametrize(
    "word", ["[/", "m [b +", "m\x1b[", "m\x1b]0;PWNED", "\u202em", "漢\u0301"], ids=ascii
)
def test_names_that_begin_something_and_never_end_it_are_only_text(monitor: Monitor, word: str) -> None:
    with Server(word, streamed(word, reasoning=word, tool=word), cut=1) as server:
        terminal = monitor("--url", server.url)
        terminal.wait_for("Ready")
        terminal.press("\r")
        terminal.wait_for("Finished")
        seen(terminal, "e")
        sound(terminal)


@pytest.mark.parametrize("status", [307, 404, 500])
def test_a_servers_error_is_only_text(monitor: Monitor, status: int) -> None:
    with Server(ALL, refusal=status) as server:
        terminal = monitor("--url", server.url)
        terminal.wait_for("Ready")
        terminal.press("\r")
        terminal.until(lambda: f"{status}" in terminal.text)
        seen(terminal, "d")
        sound(terminal)


def test_an_address_is_only_text(monitor: Monitor) -> None:
    """One that can be none is refused, one that can is shown."""
    terminal = monitor("--url", f"http://127.0.0.1:9/{ALL}".replace("\0", ""))
    assert terminal.end() == 2
    assert alien(terminal.written) == []
    terminal = monitor("--url", "http://127.0.0.1:9/[b/[@click=app.quit]%1b[2J")
    terminal.wait_for("127.0.0.1:9")
    seen(terminal, "e")
    sound(terminal)


def test_a_word_of_a_megabyte_is_shown_and_leaves_the_keys_alive(monitor: Monitor) -> None:
    word = "\u202e漢\x1b[2J" * 100_000
    with Server(
        "m", streamed(*(word[at : at + 50_000] for at in range(0, len(word), 50_000))), cut=60_000
    ) as server:
        terminal = monitor("--url", server.url)
        terminal.wait_for("Ready")
        terminal.press("\r")
        terminal.wait_for("Finished")
        seen(terminal, "6")
        sound(terminal)


def test_a_screenshot_is_sound_xml(own_home: Path, tmp_path: Path) -> None:
    """It is written where the program was started."""
    words = ["env", "-C", str(tmp_path), *TOKLANE, "--url"]
    environ = environment(own_home, PYTHONPATH=str(ROOT))
    with Server(ALL, STREAM) as server, Terminal([*words, server.url], environ) as terminal:
        terminal.wait_for("enter sends")
        terminal.press("\r")
        terminal.wait_for("Finished")
        terminal.press("\x13")
        terminal.wait_for("saved ")
        sound(terminal)
    (picture,) = tmp_path.glob("*.svg")
    drawn = ET.fromstring(picture.read_text(encoding="utf-8"))
    assert {it.tag.rpartition("}")[2] for it in drawn.iter()} <= _DRAWN
    assert "[@click=app.quit]" in "".join(drawn.itertext()).replace("\xa0", " ")
