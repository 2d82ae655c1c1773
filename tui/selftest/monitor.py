"""The real monitor in a terminal of its own: ready to send, with nothing of the person's settings in it."""

from __future__ import annotations

import os
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from tui.capture.recording import Recording, read
from tui.selftest.terminal import Terminal
from tui.settings.surroundings import without_keys

MONITOR = ("-m", "tui")
READY, FINISHED = b"enter sends", b"Finished"
START_S = 20.0
_AFTER_PAINT_S = 0.5  # the work after the first paint
_LATE_S = 15.0
_LOOK_S = 0.05
_ALIEN = ("COLUMNS", "LINES", "NO_COLOR", "SSH_CONNECTION", "TMUX", "STY", "TERM_PROGRAM")
_OURS = "TOKLANE_"


@contextmanager
def home() -> Iterator[Mapping[str, str]]:
    """The environment of a terminal with 24-bit colour, and a TOKLANE_HOME of its own in it."""
    with tempfile.TemporaryDirectory(prefix="toklane-", ignore_cleanup_errors=True) as folder:
        inherited = without_keys(os.environ).items()
        told = {key: value for key, value in inherited if key not in _ALIEN and not key.startswith(_OURS)}
        yield told | {
            "TERM": "xterm-256color",
            "COLORTERM": "truecolor",
            "LANG": "C.UTF-8",
            "TOKLANE_HOME": folder,
        }


@contextmanager
def monitor(
    url: str, model: str, program: Sequence[str] = MONITOR, bytes_per_s: float | None = None
) -> Iterator[tuple[Terminal, Path]]:
    """A monitor that is ready to send, and where its recordings lie. TimeoutError when it does not come."""
    with home() as environ:
        command = [
            sys.executable, *program, "--url", url, "--model", model, "--prompt-tokens", "128",
        ]  # fmt: skip
        with Terminal(command, environ, bytes_per_s) as terminal:
            terminal.wait_for(READY, START_S)
            time.sleep(_AFTER_PAINT_S)
            yield terminal, Path(environ["TOKLANE_HOME"], "state", "runs")


def recorded(runs: Path, number: int = 1) -> Recording:
    """The recording of request `number`, once it is whole. TimeoutError."""
    until = time.monotonic() + _LATE_S
    while True:
        paths = sorted(runs.glob("*.jsonl"), key=lambda path: path.stat().st_mtime_ns)
        if len(paths) >= number and paths[number - 1].stat().st_size:
            recording = read(paths[number - 1])
            if recording.ended:
                return recording
        if time.monotonic() > until:
            raise TimeoutError("the recording has no end")
        time.sleep(_LOOK_S)
