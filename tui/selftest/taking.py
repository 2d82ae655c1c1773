"""Sends the requests of a selftest: by the monitor in a terminal of its own, else by `toklane run`."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tui.capture.recording import Recording, read
from tui.probes.process import ProcessFiles
from tui.selftest.facts import NEXT
from tui.selftest.monitor import home, monitor, recorded
from tui.selftest.serving import ROOT, Server
from tui.selftest.terminal import FRAME, Terminal
from tui.selftest.truth import Truth
from tui.selftest.turns import Turn

_LATE_S = 15.0
_BETWEEN_S = 0.15  # from a whole recording until the monitor has seen the end


@dataclass(frozen=True, slots=True)
class Drawing:
    """What the screen did meanwhile. cpu_s: processor time of its process, None where it is not told."""

    seconds: float
    frames: int
    size_bytes: int
    cpu_s: float | None


Take = Callable[[Turn], tuple[Truth, Recording]]
"""Sends one request; what it was and what was seen of it. TimeoutError, OSError."""


def opens_terminals() -> bool:
    """Whether a program can open a terminal here."""
    return hasattr(os, "openpty")


@contextmanager
def on_screen(server: Server, drawings: list[Drawing]) -> Iterator[Take]:
    """By a monitor; what it drew is added to `drawings` at the end."""
    with monitor(server.url, NEXT) as (terminal, runs):
        began, first, cpu_s = time.monotonic(), len(terminal.pieces), _cpu_s(terminal.pid)
        taken = 0

        def take(turn: Turn) -> tuple[Truth, Recording]:
            nonlocal taken
            taken += 1
            truth = _pressed(server, terminal, turn)
            recording = recorded(runs, taken)
            time.sleep(_BETWEEN_S)
            return truth, recording

        yield take
        drawn = b"".join(piece.data for piece in terminal.pieces[first:])
        after_s = _cpu_s(terminal.pid)
        spent_s = None if cpu_s is None or after_s is None else after_s - cpu_s
        drawings.append(Drawing(time.monotonic() - began, drawn.count(FRAME), len(drawn), spent_s))


def _pressed(server: Server, terminal: Terminal, turn: Turn) -> Truth:
    server.put_down(turn.script)
    takes_s = turn.script.first_ns / 1e9 + turn.script.decode_s
    if turn.hangs:
        terminal.stall(takes_s)
    terminal.press("\r")
    return server.truth(takes_s + _LATE_S)


def _cpu_s(pid: int) -> float | None:
    """Processor time of a process so far, where the system has it as a file."""
    if sys.platform != "linux":
        return None
    files = ProcessFiles(pid, Path("/proc"))
    try:
        return files.use.cpu_s if files.refresh(0, slow=False, rare=False) else None
    finally:
        files.close()


@contextmanager
def without_screen(server: Server) -> Iterator[Take]:
    """By a command of its own for each request."""
    with home() as environ:
        path = Path(environ["TOKLANE_HOME"], "run.jsonl")
        command = [
            sys.executable, "-m", "tui", "run", "--json", "--url", server.url, "--model", NEXT,
            "--prompt-tokens", "128", "--record", str(path),
        ]  # fmt: skip

        def take(turn: Turn) -> tuple[Truth, Recording]:
            path.unlink(missing_ok=True)
            server.put_down(turn.script)
            timeout_s = turn.script.decode_s + _LATE_S
            done = subprocess.run(
                command, cwd=ROOT, env=environ, capture_output=True, timeout=timeout_s, check=False
            )
            if not path.is_file():
                last = done.stderr.decode(errors="replace").strip().rpartition("\n")[2]
                raise OSError(f"`toklane run` sent nothing: {last}")
            return server.truth(_LATE_S), read(path)

        yield take
