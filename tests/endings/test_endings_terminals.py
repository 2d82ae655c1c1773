"""Terminals as they are: of few colours, for readers and logs, with a mouse, with a theme under the pen."""

import re
import subprocess
from pathlib import Path

import pytest

from tests.endings.conftest import Monitor, Start
from tests.endings.server import Engine
from tests.endings.terminal import Terminal
from tui import locations

TRUE = re.compile(rb"[34]8;2;")
OF_256 = re.compile(rb"[34]8;5;")
COLOUR = re.compile(rb"\x1b\[(?:\d+;)*(?:[34][0-8]|9\d|10[0-7])(?:;\d+)*m")
RECORDING = "tests/data/captures/llamacpp/02-chat-long-progress.jsonl"
ORDER = (
    "sent  waiting",
    "reading the prompt",
    "writing  the first token came after",
    "finished  after token 40",
)


def finished(terminal: Terminal, scripted: Engine) -> None:
    scripted.reads.set()
    scripted.writes.set()
    terminal.wait_for("enter sends")
    terminal.press("\r")
    terminal.wait_for("Finished")


def quits(terminal: Terminal) -> None:
    terminal.press("q")
    assert terminal.end() == 0
    assert terminal.restored


# -- what comes in ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "typed",
    [
        "\udcff\udcfe\udc80",  # no UTF-8
        "\udc9b",
        "\udce9\r",  # a letter of a terminal in Latin-1
        "\x1b[200~caf\udce9 q\x1b[201~",  # and pasted: the q in it is no key
        f"\x1b[{'9' * 20}A",  # a key of a number that nothing holds
    ],
    ids=ascii,
)
def test_what_is_no_key_ends_nothing(monitor: Monitor, typed: str) -> None:
    terminal = monitor("replay", RECORDING)
    terminal.wait_for(Path(RECORDING).name)
    terminal.press(typed)
    terminal.settle(0.3)
    assert terminal.process.poll() is None, terminal.text
    for _ in range(50):  # what is read together with such a sequence is dropped with it
        terminal.press("q")
        terminal.settle(0.2)
        if terminal.process.poll() is not None:
            break
    assert terminal.end() == 0
    assert terminal.restored
    assert b"Error" not in terminal.written


# -- colours ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("env", "codes", "others"),
    [
        ({}, ["true"], ["256"]),
        ({"COLORTERM": ""}, ["256"], ["true"]),
        ({"TERM": "screen-256color", "COLORTERM": ""}, ["256"], ["true"]),
        ({"TERM": "xterm", "COLORTERM": ""}, ["16"], ["true", "256"]),
        ({"NO_COLOR": "1"}, [], ["true", "256", "16"]),
        ({"NO_COLOR": "1", "TERM": "xterm", "COLORTERM": ""}, [], ["true", "256", "16"]),
    ],
    ids=str,
)
def test_a_terminal_gets_the_colours_it_has_and_no_others(
    monitor: Monitor, scripted: Engine, env: dict[str, str], codes: list[str], others: list[str]
) -> None:
    """Through a request, a page, the next themes, and one by name from the palette."""
    terminal = monitor("--url", scripted.url, **env)
    finished(terminal, scripted)
    terminal.press("?")
    terminal.wait_for("keys: request")
    terminal.press("\x1b")
    terminal.wait_for("Finished")
    terminal.press("tt\x10")
    terminal.wait_for("type what you want to do")
    terminal.press("theme dracula")
    terminal.wait_for("take these colours")
    terminal.press("\r")
    terminal.wait_for("Finished")
    quits(terminal)
    sent = {
        "true": TRUE.search(terminal.written),
        "256": OF_256.search(terminal.written),
        "16": COLOUR.search(terminal.written),
    }
    assert {name for name in codes if not sent[name]} == set()
    assert {name for name in others if sent[name]} == set()


def test_the_terminals_own_theme_sends_none_but_its_sixteen(monitor: Monitor, scripted: Engine) -> None:
    terminal = monitor("--url", scripted.url, "--theme", "terminal-16")
    finished(terminal, scripted)
    terminal.press("?")
    terminal.wait_for("keys: request")
    terminal.press("\x1b")
    terminal.wait_for("Finished")
    quits(terminal)
    assert COLOUR.search(terminal.written)
    assert not TRUE.search(terminal.written) and not OF_256.search(terminal.written)


@pytest.mark.parametrize(("columns", "rows"), [(200, 60), (80, 24), (60, 20), (40, 10), (30, 5)])
def test_a_poor_locale_gets_ascii_at_every_size(
    monitor: Monitor, scripted: Engine, columns: int, rows: int
) -> None:
    terminal = monitor("--url", scripted.url, columns=columns, rows=rows, LANG="C", NO_COLOR="1")
    scripted.reads.set()
    scripted.writes.set()
    terminal.wait_for("Ready")
    terminal.until(lambda: "scripted" in terminal.text or columns < 80)
    terminal.settle(0.2)
    terminal.press("\r")
    terminal.wait_for("Finished")
    quits(terminal)
    assert terminal.written.isascii() and not COLOUR.search(terminal.written)


# -- lines --------------------------------------------------------------------------------------------------


def in_order(text: str) -> bool:
    places = [text.find(told) for told in ORDER]
    return -1 not in places and places == sorted(places)


@pytest.mark.parametrize(
    ("words", "env"), [(("--plain",), {}), (("run", "--plain"), {}), ((), {"TERM": "dumb"})], ids=str
)
def test_lines_tell_a_request_in_a_terminal(
    monitor: Monitor, scripted: Engine, words: tuple[str, ...], env: dict[str, str]
) -> None:
    terminal = monitor(*words, "--url", scripted.url, **env)
    terminal.wait_for("sent  waiting")
    terminal.wait_for("reading the prompt")
    terminal.wait_for("256 of 512 tokens")
    scripted.reads.set()
    terminal.wait_for("stalled  nothing for")
    scripted.writes.set()
    assert terminal.end() == 0
    text = terminal.written.decode()
    assert "\x1b" not in text and in_order(text)
    assert text.index(ORDER[-1]) < text.index("---") < text.index("first token (TTFT)")


def test_lines_go_into_a_pipe_as_they_come(start: Start, scripted: Engine) -> None:
    process = start("--plain", "--url", scripted.url)
    assert process.stdout is not None
    scripted.reads.set()
    seen = ""
    while "writing" not in seen:
        seen += process.stdout.readline()
    assert not scripted.writes.is_set(), "the answer is not over, and yet its beginning was read"
    scripted.writes.set()
    rest, remarks = process.communicate(timeout=20)
    assert in_order(seen + rest) and remarks == "" and process.returncode == 0


@pytest.mark.parametrize(("words", "env"), [(("--plain",), {}), ((), {"TERM": "dumb"})], ids=str)
def test_lines_tell_a_recording_too(monitor: Monitor, words: tuple[str, ...], env: dict[str, str]) -> None:
    terminal = monitor("replay", RECORDING, "--speed", "200", *words, **env)
    assert terminal.end() == 0
    text = terminal.written.decode()
    assert (
        "\x1b" not in text and "reading  768 of 1,674 tokens" in text and "finished  after token 28" in text
    )


def test_lines_and_json_are_not_asked_for_together(start: Start) -> None:
    process: subprocess.Popen[str] = start("run", "--plain", "--json")
    assert process.communicate(timeout=20) == ("", "toklane: --plain and --json can't be given together\n")
    assert process.returncode == 2


# -- hands --------------------------------------------------------------------------------------------------


def click(terminal: Terminal, column: int, row: int, times: int = 1) -> None:
    """Press and let go at a cell, counted from 1."""
    terminal.press(f"\x1b[<0;{column};{row}M\x1b[<0;{column};{row}m" * times)


def test_the_mouse_selects_and_maximises(monitor: Monitor, scripted: Engine) -> None:
    terminal = monitor("--url", scripted.url)
    finished(terminal, scripted)
    rows = terminal.text.splitlines()
    row = next(n for n, line in enumerate(rows) if " memory " in line) + 1
    column = rows[row - 1].index("memory") + 2
    click(terminal, column, row + 2)
    terminal.until(lambda: terminal.text and terminal.lit(column - 1, row - 1))
    click(terminal, column + 1, row + 2, times=2)
    terminal.until(lambda: "first token (TTFT)" not in terminal.text)
    assert "memory" in terminal.text
    click(terminal, 5, 8, times=2)
    terminal.wait_for("first token (TTFT)")
    quits(terminal)


def test_the_wheel_scrolls_the_answer(monitor: Monitor, scripted: Engine) -> None:
    terminal = monitor("--url", scripted.url, columns=80, rows=24)
    finished(terminal, scripted)
    terminal.wait_for(" word40")
    row = next(n for n, line in enumerate(terminal.text.splitlines()) if " word40" in line) + 1
    for _ in range(4):
        terminal.press(f"\x1b[<64;9;{row}M")
    terminal.wait_for(" word1 ")
    for _ in range(4):
        terminal.press(f"\x1b[<65;9;{row}M")
    terminal.wait_for(" word40")
    quits(terminal)


# -- themes -------------------------------------------------------------------------------------------------


def test_a_theme_that_is_edited_changes_the_running_screen_and_a_slip_does_not(
    monitor: Monitor, scripted: Engine, own_home: Path
) -> None:
    folder = own_home / "config" / "themes"
    folder.mkdir(parents=True)
    text = (locations.themes_dir() / "dark.toml").read_text()
    (folder / "mine.toml").write_text(text)
    terminal = monitor("--url", scripted.url, "--theme", "mine")
    finished(terminal, scripted)
    (folder / "mine.toml").write_text(text.replace("#0d1117", "#1f2e3d"))
    terminal.until(lambda: terminal.text and b"48;2;31;46;61" in terminal.written)
    (folder / "mine.toml").write_text("title =")
    terminal.wait_for("theme 'mine' is not TOML")
    assert "Finished" in terminal.text
    quits(terminal)


def test_a_theme_that_is_broken_from_the_start_is_a_notice(
    monitor: Monitor, scripted: Engine, own_home: Path
) -> None:
    folder = own_home / "config" / "themes"
    folder.mkdir(parents=True)
    (folder / "mine.toml").write_text("dark = true")
    terminal = monitor("--url", scripted.url, "--theme", "mine")
    terminal.wait_for("theme 'mine' needs a title")
    quits(terminal)
