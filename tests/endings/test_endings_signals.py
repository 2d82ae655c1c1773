"""Every way to end the monitor: terminal as before, documented status, nobody left, a whole recording."""

import signal
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from tests.endings.conftest import Monitor, ending
from tests.endings.server import Engine
from tests.endings.terminal import PATIENCE_S, ROOT, TOKLANE, Terminal, environment, eventually
from tui.capture.recording import read

READING = "256 of 512 tokens"
WRAPPED = """
import os, signal
from tui import cli
from tui.__main__ import main

class Named:
    def __set_name__(self, owner, name):
        os.kill(os.getpid(), signal.{name})

def parse(argv):
    try:
        type("Owner", (), {{"named": Named()}})
    except SystemExit as error:  # Python 3.12 wraps nothing any more
        raise RuntimeError("a class could not be made") from error

cli.parse = parse
main()
"""
Way = Callable[[Terminal], None]


def twice(act: Way) -> Way:
    """Once to stop the request, once to quit."""

    def do(terminal: Terminal) -> None:
        act(terminal)
        terminal.wait_for("Stopped")
        act(terminal)

    return do


def ctrl_c(terminal: Terminal) -> None:
    terminal.press("\x03")


def interrupted(terminal: Terminal) -> None:
    terminal.kill(signal.SIGINT)


def terminated(terminal: Terminal) -> None:
    terminal.kill(signal.SIGTERM)


def closed(terminal: Terminal) -> None:
    terminal.hang_up()


def behind_a_page(terminal: Terminal) -> None:
    """Ctrl+c stops the request also while a page is open over it."""
    terminal.press("?")
    terminal.wait_for("keys: request")
    ctrl_c(terminal)
    terminal.press("\x1b")
    terminal.wait_for("Stopped")
    ctrl_c(terminal)


def _whole(file: Path) -> bool:
    return file.stat().st_size > 0 and read(file).ended


@pytest.mark.parametrize(
    "ways",
    [
        {
            "q": (lambda terminal: terminal.press("q"), 0),
            "ctrl+c": (twice(ctrl_c), 130),
            "page": (behind_a_page, 130),
        },
        {
            "SIGINT": (twice(interrupted), 130),
            "SIGTERM": (terminated, 143),
            "SIGHUP": (lambda terminal: terminal.kill(signal.SIGHUP), 143),
            "closed": (closed, 143),
        },
    ],
    ids=["keys", "signals"],
)
def test_amid_a_request(
    monitor: Monitor, scripted: Engine, own_home: Path, ways: dict[str, tuple[Way, int]]
) -> None:
    """Several monitors at once; each is ended in its own way. The engine would be silent for ever."""
    terminals = [monitor("--url", scripted.url) for _ in ways]
    for terminal, (name, (end, status)) in zip(terminals, ways.items(), strict=True):
        terminal.wait_for("enter sends")
        terminal.press("\r")
        terminal.wait_for(READING)
        end(terminal)
        assert terminal.end() == status, name
        assert terminal.hung_up or terminal.restored, name
    files = list((own_home / "state" / "runs").iterdir())
    assert len(files) == len(ways)
    for file in files:
        eventually(partial(_whole, file))
        assert ending(read(file)) == "cancelled"
    assert (own_home / "state" / "last.json").exists()


@pytest.mark.skipif(sys.platform != "linux", reason="the moment from which a signal is heard shows in /proc")
def test_at_any_moment_of_the_start(monitor: Monitor, scripted: Engine) -> None:
    """While modules load, while the first frame stands, while the board is built."""
    ways: list[tuple[Way, int]] = [(terminated, 143), (ctrl_c, 130), (closed, 143), (interrupted, 130)]
    for number, delay_ms in enumerate(range(0, 560, 70)):
        pair = [(monitor("--url", scripted.url), *ways[(2 * number + k) % len(ways)]) for k in range(2)]
        for terminal, act, _ in pair:
            terminal.until(partial(terminal.catches, signal.SIGTERM))
            terminal.settle(delay_ms / 2e3)
            act(terminal)
        for terminal, act, status in pair:
            assert terminal.end() == status, (act.__name__, delay_ms, terminal.written[-500:])
            assert terminal.hung_up or terminal.restored, (act.__name__, delay_ms)
            assert b"Traceback" not in terminal.written


@pytest.mark.parametrize(("name", "status"), [("SIGINT", 130), ("SIGTERM", 143)])
def test_one_that_python_wraps_into_another_error_is_still_answered(
    name: str, status: int, own_home: Path
) -> None:
    """While a library makes a class, Python 3.11 turns whatever is raised there into a RuntimeError."""
    script = WRAPPED.format(name=name)
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, env=environment(own_home), capture_output=True, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (status, b"", b"")
    assert not (own_home / "state" / "crashes").exists()


def test_amid_a_replay(monitor: Monitor) -> None:
    terminal = monitor("replay", "tests/data/captures/llamacpp/01-chat-short-cold.jsonl")
    terminal.wait_for("replay 01-chat-short-cold.jsonl")
    terminal.kill(signal.SIGTERM)
    assert terminal.end() == 143
    assert terminal.restored


def test_a_terminal_that_takes_nothing_holds_nobody(monitor: Monitor, scripted: Engine) -> None:
    terminal = monitor("--url", scripted.url)
    terminal.wait_for("enter sends")
    terminal.clog()
    terminal.kill(signal.SIGTERM)
    assert terminal.process.wait(PATIENCE_S) == 143


def test_errors_go_elsewhere_and_the_screen_is_drawn(own_home: Path, scripted: Engine) -> None:
    log = own_home / "log"
    with Terminal([*TOKLANE, "--url", scripted.url], environment(own_home), errors=log) as terminal:
        terminal.wait_for("enter sends")
        terminal.press("q")
        assert terminal.end() == 0
        assert terminal.restored
    assert log.read_bytes() == b""
