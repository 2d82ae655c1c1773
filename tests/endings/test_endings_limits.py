"""Limits of the system: files, memory, threads. One line with a remedy, and the terminal as it was."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.endings.conftest import Monitor, ended
from tests.endings.server import Engine
from tests.endings.terminal import ROOT, TOKLANE, Terminal, environment, eventually, living

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="other systems count otherwise")
FEW_FILES, LITTLE_KIB = 8, 24 << 10
THREADS = "can't start new thread; end other programs, or raise the limit (`ulimit -u`)"
NO_THREAD = """
import threading
from tui.__main__ import main

start = threading.Thread.start
def refuse(thread):
    if thread.name == NAME:
        raise RuntimeError("can't start new thread")
    start(thread)

threading.Thread.start = refuse
main()
"""


def limited(limit: str, home: Path, *words: str) -> subprocess.CompletedProcess[str]:
    script = f'ulimit {limit}; exec "$@"'
    return ended(["bash", "-c", script, "bash", *TOKLANE, *words], home)


def without(name: str) -> list[str]:
    return [sys.executable, "-c", NO_THREAD.replace("NAME", repr(name))]


def through(engine: Engine) -> None:
    engine.reads.set()
    engine.writes.set()


@pytest.mark.parametrize("limit", [f"-n {FEW_FILES}", f"-v {LITTLE_KIB}"], ids=["files", "memory"])
def test_far_too_little_is_one_line_or_two_and_no_traceback(
    own_home: Path, scripted: Engine, limit: str
) -> None:
    through(scripted)
    told = limited(limit, own_home, "run", "--url", scripted.url)
    assert told.returncode in (1, 3)
    lines = told.stderr.splitlines()
    assert 1 <= len(lines) <= 2 and all(line.startswith("toklane: ") for line in lines), told.stderr


def test_few_files_are_enough_for_a_run(own_home: Path, scripted: Engine) -> None:
    through(scripted)
    told = limited("-n 16", own_home, "run", "--url", scripted.url)
    assert (told.returncode, told.stderr) == (0, "")


@pytest.mark.parametrize("name", ["textual-input", "textual-output"])
def test_a_screen_that_could_not_begin_leaves_the_terminal_as_it_was(
    own_home: Path, scripted: Engine, name: str
) -> None:
    """Textual stops halfway: the screen is switched already when the thread for the keys is refused."""
    with Terminal([*without(name), "--url", scripted.url], environment(own_home)) as terminal:
        assert terminal.end(20) == 1
        assert terminal.restored
        assert f"toklane: {THREADS}" in terminal.text.replace("\n", "")
    eventually(lambda: not living(own_home))
    assert not (own_home / "state" / "crashes").exists(), "it is nobody's fault"


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("pages", "✔ Finished"),
        ("built-in engine", "the built-in engine can't be started: can't start new thread"),
    ],
)
def test_a_thread_that_is_refused_later_costs_only_what_it_was_for(
    own_home: Path, scripted: Engine, gguf: Path, name: str, said: str
) -> None:
    del gguf
    through(scripted)
    words = ["--embedded"] if "engine" in name else ["--url", scripted.url]
    with Terminal([*without(name), *words], environment(own_home), columns=160) as terminal:
        if "engine" not in name:
            terminal.wait_for("enter sends")
            terminal.press("\r")
        terminal.wait_for(said)
        terminal.press("q")
        assert terminal.end() == 0 and terminal.restored


def test_an_error_that_can_not_even_be_reported_still_ends_the_monitor(
    own_home: Path, scripted: Engine
) -> None:
    """Without memory or files the report's own modules may not load; nothing may wait for them."""
    broken = (
        "import sys\n"
        "sys.modules['tui.report.crash'] = None\n"
        "from tui.app.desk import Desk\n"
        "def fail(*_): raise KeyError('no ink left')\n"
        "Desk.__init__ = fail\n"
        "from tui.__main__ import main\n"
        "main()\n"
    )
    words = [sys.executable, "-c", broken, "--url", scripted.url]
    with Terminal(words, environment(own_home)) as terminal:
        assert terminal.end(20) == 1
        assert terminal.restored and b"toklane: " in terminal.written and b"Traceback" not in terminal.written


def test_what_nohup_starts_goes_on_when_the_terminal_has_gone(own_home: Path, scripted: Engine) -> None:
    words = ["nohup", *TOKLANE, "run", "--url", scripted.url]
    pipe, null = subprocess.PIPE, subprocess.DEVNULL
    with subprocess.Popen(
        words, env=environment(own_home), cwd=ROOT, stdin=null, stdout=pipe, stderr=null, text=True
    ) as process:
        assert scripted.asked.wait(20)
        process.send_signal(signal.SIGHUP)
        through(scripted)
        assert process.stdout is not None
        assert "first token (TTFT)" in process.stdout.read()
        assert process.wait(20) == 0


def test_a_parent_that_ignores_its_children_changes_nothing(monitor: Monitor, scripted: Engine) -> None:
    before = signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    try:
        terminal = monitor("--url", scripted.url)
    finally:
        signal.signal(signal.SIGCHLD, before)
    through(scripted)
    terminal.wait_for("enter sends")
    terminal.press("\r")
    terminal.wait_for("✔ Finished")
    terminal.press("q")
    assert terminal.end() == 0 and terminal.restored
