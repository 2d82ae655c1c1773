"""Processes that are stopped and go on, as job control and debuggers do it, and signals nobody expects."""

from __future__ import annotations

import signal
import sys
from pathlib import Path

import psutil
import pytest

from tests.endings.conftest import Monitor, ending
from tests.endings.server import Engine
from tests.endings.terminal import Terminal, eventually, left_open, named
from tui.capture.recording import read

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="no such signals")
READING = "256 of 512 tokens"
SOON_S = 2.0
UNUSUAL = [signal.SIGQUIT, signal.SIGUSR1, signal.SIGALRM]


def amid_the_prompt(terminal: Terminal) -> None:
    terminal.wait_for("enter sends")
    terminal.press("\r")
    terminal.wait_for(READING)


def stopped(process: psutil.Process) -> bool:
    return process.status() == psutil.STATUS_STOPPED


def lives(terminal: Terminal) -> None:
    """Its screen is there and answers."""
    terminal.until(lambda: "?1049h" in left_open(terminal.written))
    terminal.press("?")
    terminal.wait_for("keys: request")
    terminal.press("\x1b")
    terminal.wait_for(READING)


def finish(terminal: Terminal, engine: Engine) -> None:
    engine.reads.set()
    engine.writes.set()
    terminal.wait_for("✔ Finished")
    terminal.press("q")
    assert terminal.end(SOON_S) == 0 and terminal.restored


def test_a_monitor_that_was_stopped_comes_back_and_leaves_the_terminal_as_it_was(
    monitor: Monitor, scripted: Engine
) -> None:
    """By SIGTSTP, by SIGSTOP, and one that was told to go on though it never stood."""
    terminal = monitor("--url", scripted.url)
    amid_the_prompt(terminal)
    process = psutil.Process(terminal.process.pid)
    terminal.kill(signal.SIGTSTP)
    terminal.until(lambda: stopped(process))
    terminal.until(lambda: terminal.restored)  # whoever types now types into a terminal that is as it was
    for number in (None, signal.SIGSTOP):
        if number is not None:
            terminal.kill(number)
            terminal.until(lambda: stopped(process))
        terminal.kill(signal.SIGCONT)
        lives(terminal)
    terminal.kill(signal.SIGCONT)
    terminal.kill(signal.SIGCONT)
    lives(terminal)
    finish(terminal, scripted)


@pytest.mark.parametrize("part", ["tui.capture.child", "tui.probes.child"])
def test_a_child_that_was_stopped_costs_nothing_but_the_time(
    monitor: Monitor, scripted: Engine, own_home: Path, part: str
) -> None:
    terminal = monitor("--url", scripted.url)
    amid_the_prompt(terminal)
    child = named(own_home, part)
    child.suspend()
    scripted.reads.set()
    terminal.press("?")
    terminal.wait_for("keys: request")  # the screen waits for neither
    terminal.press("\x1b")
    child.resume()
    finish(terminal, scripted)


@pytest.mark.parametrize("part", ["tui.capture.child", "tui.probes.child"])
def test_quitting_waits_for_no_child_that_stands_still(
    monitor: Monitor, scripted: Engine, own_home: Path, part: str
) -> None:
    terminal = monitor("--url", scripted.url)
    amid_the_prompt(terminal)
    named(own_home, part).suspend()
    terminal.press("q")
    assert terminal.end(SOON_S) == 0 and terminal.restored


def test_a_signal_that_nobody_expects_leaves_the_terminal_as_it_was(
    monitor: Monitor, scripted: Engine, own_home: Path
) -> None:
    terminals = [monitor("--url", scripted.url) for _ in UNUSUAL]
    for terminal, number in zip(terminals, UNUSUAL, strict=True):
        amid_the_prompt(terminal)
        terminal.kill(number)
        assert terminal.end(SOON_S) == 143, number
        assert terminal.restored, number
    for file in (own_home / "state" / "runs").iterdir():
        eventually(lambda file=file: read(file).ended)  # type: ignore[misc]
        assert ending(read(file)) == "cancelled"


def test_one_that_is_ended_and_told_to_go_on_at_once_ends(monitor: Monitor, scripted: Engine) -> None:
    """As `timeout` does it, so that it also ends what was stopped."""
    for _ in range(2):
        terminal = monitor("--url", scripted.url)
        amid_the_prompt(terminal)
        terminal.kill(signal.SIGTERM)
        for _ in range(5):
            terminal.settle(0.02)
            terminal.kill(signal.SIGCONT)
        assert terminal.end(SOON_S) == 143 and terminal.restored


def test_a_storm_of_resizes_and_of_signals_that_mean_nothing_changes_nothing(
    monitor: Monitor, scripted: Engine
) -> None:
    terminal = monitor("--url", scripted.url)
    amid_the_prompt(terminal)
    for _ in range(100):
        for number in (signal.SIGWINCH, signal.SIGPIPE, signal.SIGCHLD, signal.SIGURG):
            terminal.kill(number)
    for step in range(20):
        terminal.resize(60 + step, 20 + step % 7)
    terminal.resize(120, 36)
    finish(terminal, scripted)
