"""Whoever ends, nobody is left: the reader, the sampler, the built-in engine, and the rivals it serves."""

from __future__ import annotations

import json
import os
import signal
import termios
from functools import partial
from pathlib import Path

from tests.endings.conftest import Monitor, Start, ending
from tests.endings.server import Engine
from tests.endings.terminal import PATIENCE_S, eventually, living, named
from tui.capture.recording import read


def test_neither_a_killed_program_nor_a_closed_window_leaves_an_engine(
    monitor: Monitor, own_home: Path, gguf: Path
) -> None:
    """With rivals under way, so that nothing of it is idle."""
    del gguf
    terminals = [monitor("--embedded", "--prompt-tokens", "2k", "--rivals", "2") for _ in range(2)]
    for terminal in terminals:
        terminal.wait_for("enter sends", 60)
        terminal.press("\r")
    for terminal in terminals:
        terminal.until(lambda t=terminal: "beside it" in t.text or "in the queue" in t.text)  # type: ignore[misc]
    assert len(living(own_home)) == 2 * 4
    killed, closed = terminals
    killed.kill(signal.SIGKILL)
    closed.hang_up()
    assert killed.end() == -signal.SIGKILL
    assert closed.process.wait(PATIENCE_S) == 143
    eventually(lambda: not living(own_home), tell=lambda: [p.cmdline() for p in living(own_home)])
    for file in (own_home / "state" / "runs").iterdir():
        eventually(partial(_whole, file))
        assert ending(read(file)) == "cancelled"


def _whole(file: Path) -> bool:
    return read(file).ended


def test_an_engine_killed_amid_its_answer_leaves_the_answer(
    monitor: Monitor, own_home: Path, gguf: Path
) -> None:
    del gguf
    terminal = monitor("--embedded", "--prompt-tokens", "128", "--max-tokens", "4k", "--ignore-eos")
    terminal.wait_for("enter sends", 60)
    terminal.press("\r")
    terminal.wait_for("Writing the answer")
    terminal.wait_for("token 2")
    named(own_home, "embedded_child").kill()
    terminal.wait_for("✖ Failed  the engine closed the connection after")
    terminal.press("q")
    assert terminal.end() == 0 and terminal.restored
    (file,) = (own_home / "state" / "runs").iterdir()
    assert ending(read(file)) == "reset"


def test_a_killed_run_without_a_screen_leaves_nobody(start: Start, scripted: Engine, own_home: Path) -> None:
    process = start("run", "--url", scripted.url)
    assert scripted.asked.wait(PATIENCE_S)
    process.kill()
    assert process.wait() == -signal.SIGKILL
    eventually(lambda: not living(own_home))
    (file,) = (own_home / "state" / "runs").iterdir()
    assert ending(read(file)) == "cancelled"


def test_a_reader_killed_at_once_leaves_a_recording(start: Start, scripted: Engine, own_home: Path) -> None:
    """Its first line is on the disk before the request is."""
    process = start("run", "--url", scripted.url, "--json")
    assert scripted.asked.wait(PATIENCE_S)
    reader = named(own_home, "tui.capture.child")
    os.kill(reader.pid, signal.SIGKILL)
    told, _ = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 1 and not json.loads(told)["runs"][0]["complete"]
    (file,) = (own_home / "state" / "runs").iterdir()
    assert read(file).meta.fields["engine"] == "llama.cpp" and not read(file).ended


def test_a_terminal_without_a_size_is_drawn_as_soon_as_it_has_one(monitor: Monitor, scripted: Engine) -> None:
    terminal = monitor("--url", scripted.url)
    terminal.wait_for("enter sends")
    termios.tcsetwinsize(terminal._main, (0, 0))
    terminal.settle(0.3)
    assert terminal.process.poll() is None
    terminal.resize(100, 30)
    terminal.wait_for("enter sends")
    terminal.press("q")
    assert terminal.end() == 0 and terminal.restored
