"""Processes that die under the monitor, and the monitor that dies over them."""

import json
import re
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from tests.endings.conftest import Monitor, Start, ending
from tests.endings.server import Engine
from tests.endings.terminal import PATIENCE_S, ROOT, Terminal, environment, eventually, living, named
from tui.capture.recording import Recording, read

READING = "256 of 512 tokens"
BROKEN = """
from tui.app.panels.answer import Answer
from tui.__main__ import main

def rows(panel, scene, width, height):
    if scene.view.chunks:
        raise RuntimeError("no [red]ink[/] left")
    return ()

Answer.rows = rows
main()
"""
BROKEN_THREAD = """
import threading
from tui.__main__ import main
from tui.app.desk import Desk

def fail():
    raise RuntimeError("no [red]thread[/] left")

send = Desk.action_send

def action_send(desk):
    threading.Thread(target=fail).start()
    send(desk)

Desk.action_send = action_send
main()
"""
BROKEN_RUN = """
from tui.report.passing import Passing
from tui.__main__ import main

def follow(passing, view):
    if view.chunks:
        raise RuntimeError("no ink left")

Passing.follow = follow
main()
"""


def recorded(home: Path, enough: Callable[[Recording], object]) -> Recording:
    """The one recording, once there is enough of it on the disk."""
    (file,) = (home / "state" / "runs").iterdir()
    eventually(lambda: file.stat().st_size and enough(read(file)))
    return read(file)


def amid_the_prompt(monitor: Monitor, engine: Engine, home: Path) -> Terminal:
    terminal = monitor("--url", engine.url)
    terminal.wait_for("enter sends")
    terminal.press("\r")
    terminal.wait_for(READING)
    recorded(home, lambda recording: len(recording.records) > 3)
    return terminal


def test_a_killed_monitor_takes_everybody_along(monitor: Monitor, scripted: Engine, own_home: Path) -> None:
    terminal = amid_the_prompt(monitor, scripted, own_home)
    assert len(living(own_home)) == 3
    terminal.kill(signal.SIGKILL)
    assert terminal.end() == -signal.SIGKILL
    eventually(lambda: not living(own_home))
    recording = recorded(own_home, lambda recording: recording.ended)
    assert ending(recording) == "cancelled"


def test_a_killed_reader_is_told_and_nothing_waits_for_it(
    monitor: Monitor, scripted: Engine, own_home: Path
) -> None:
    terminal = amid_the_prompt(monitor, scripted, own_home)
    named(own_home, "tui.capture.child").kill()
    terminal.wait_for("✖ Failed  the capture process ended with status -9; start toklane again")
    terminal.press("\r")
    terminal.press("?")
    terminal.wait_for("keys: request")  # the enter before it was answered
    terminal.press("\x1b")
    terminal.wait_for("✖ Failed")
    assert len(living(own_home)) == 2
    terminal.press("q")
    assert terminal.end() == 0
    assert terminal.restored
    recording = recorded(own_home, lambda recording: True)
    assert not recording.ended and len(recording.records) > 3


def test_a_killed_reader_ends_a_run_without_a_screen(start: Start, scripted: Engine, own_home: Path) -> None:
    process = start("run", "--url", scripted.url, "--repeat", "3", "--json")
    assert scripted.asked.wait(PATIENCE_S)
    named(own_home, "tui.capture.child").kill()
    told, remarks = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 1
    assert remarks.splitlines()[0] == "toklane: the capture process ended with status -9; start toklane again"
    assert "Traceback" not in remarks
    (run,) = json.loads(told)["runs"]
    assert not run["complete"]


def test_a_killed_sampler_is_started_once_more_and_the_request_goes_on(
    monitor: Monitor, scripted: Engine, own_home: Path
) -> None:
    terminal = amid_the_prompt(monitor, scripted, own_home)
    first = named(own_home, "tui.probes.child")
    first.kill()
    eventually(
        lambda: any(p.pid != first.pid and "tui.probes.child" in p.cmdline() for p in living(own_home))
    )
    named(own_home, "tui.probes.child").kill()
    terminal.wait_for("sampler stopped")
    scripted.reads.set()
    scripted.writes.set()
    terminal.wait_for("✔ Finished")
    terminal.press("q")
    assert terminal.end() == 0
    assert terminal.restored
    assert ending(recorded(own_home, lambda recording: recording.ended)) == "eof"


def test_a_killed_engine_is_told_and_starts_again(monitor: Monitor, own_home: Path, gguf: Path) -> None:
    del gguf
    terminal = monitor("--embedded", "--prompt-tokens", "4k")
    terminal.wait_for("enter sends")
    terminal.press("\r")
    terminal.wait_for("Reading the prompt")
    first = named(own_home, "embedded_child")
    first.kill()
    terminal.wait_for("✖ Failed  the engine closed the connection")
    terminal.press("\r")
    terminal.wait_for("use the built-in engine")
    terminal.press("\r")
    eventually(lambda: any(p != first and "embedded_child" in str(p.cmdline()) for p in living(own_home)))
    terminal.wait_for("ctx 8192")
    terminal.press("\r")  # the request
    terminal.wait_for("Reading the prompt")
    terminal.kill(signal.SIGTERM)
    assert terminal.end() == 143
    assert terminal.restored


def test_an_error_inside_puts_the_terminal_back_and_is_one_line(own_home: Path, scripted: Engine) -> None:
    scripted.reads.set()
    words = [sys.executable, "-c", BROKEN, "--url", scripted.url]
    with Terminal(words, environment(own_home)) as terminal:
        terminal.wait_for("enter sends")
        terminal.press("\r")
        assert terminal.end() == 1
        assert terminal.restored
        said = terminal.written.rpartition(b"\x1b[?1006l")[2].decode()
    (report,) = (own_home / "state" / "crashes").iterdir()
    told = f"toklane: internal error: RuntimeError: no [red]ink[/] left; the report is {report}"
    assert "".join(said.split()) == "".join(told.split())  # the terminal wraps it
    assert "raise RuntimeError" not in said and "RuntimeError: no [red]ink[/] left" in report.read_text()
    assert report.stat().st_mode & 0o777 == 0o600
    assert ending(recorded(own_home, lambda recording: recording.ended)) == "cancelled"


def test_an_error_inside_a_run_without_a_screen_is_one_line(own_home: Path, scripted: Engine) -> None:
    scripted.reads.set()
    words = [sys.executable, "-c", BROKEN_RUN, "run", "--url", scripted.url]
    told = subprocess.run(
        words, env=environment(own_home), cwd=ROOT, capture_output=True, text=True, timeout=20, check=False
    )
    assert (told.returncode, told.stdout) == (1, "")
    (report,) = (own_home / "state" / "crashes").iterdir()
    line = r"toklane: internal error: RuntimeError: no ink left \(<string>, line \d+\)"
    assert re.fullmatch(rf"{line}; the report is {report}\n", told.stderr), told.stderr
    assert "RuntimeError: no ink left" in report.read_text()
    assert ending(recorded(own_home, lambda recording: recording.ended)) == "cancelled"


def test_an_error_in_a_thread_is_one_line_and_the_screen_goes_on(own_home: Path, scripted: Engine) -> None:
    scripted.reads.set()
    scripted.writes.set()
    words = [sys.executable, "-c", BROKEN_THREAD, "--url", scripted.url]
    with Terminal(words, environment(own_home)) as terminal:
        terminal.wait_for("enter sends")
        terminal.press("\r")
        terminal.wait_for("internal error: RuntimeError: no [red]thread[/] left")
        terminal.wait_for("Finished")
        terminal.press("q")
        assert terminal.end() == 0
        assert terminal.restored and b"Traceback" not in terminal.written
    (report,) = (own_home / "state" / "crashes").iterdir()
    assert "RuntimeError: no [red]thread[/] left" in report.read_text()
