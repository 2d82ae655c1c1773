"""A terminal with a program in it: its screen, its keys, its signals, and what is left when it is gone."""

from __future__ import annotations

import contextlib
import os
import re
import select
import signal
import subprocess
import sys
import termios
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any

import psutil
import pyte

ROOT = Path(__file__).parents[2]
TOKLANE = (sys.executable, "-m", "tui")
PATIENCE_S = 20.0
_LOOK_S = 0.02
_CLOGGED_AFTER = 60  # the kernel takes a few screens, Textual keeps thirty writes
_ALIEN = re.compile(
    r"COLUMNS|LINES|NO_COLOR|COLORTERM|SSH_.*|TMUX|STY|TERM_.*|LC_.*|LANG|PYTHONIOENCODING|TOKLANE_.*"
)
# the leader of a session that opens a terminal is what the terminal controls
_IN_TERMINAL = 'exec 0<>"$0" 1<>"$0"; if test "$1"; then exec 2>"$1"; else exec 2>&1; fi; shift; exec "$@"'
_MODE = re.compile(rb"\x1b\[\?(\d+)([hl])")
_KITTY = re.compile(rb"\x1b\[([<>])\d*u")
# alternate screen, mouse, focus, mouse in pixels, bracketed paste, frames, resizes
_OFF = {1049, 1047, 47, 1000, 1002, 1003, 1004, 1005, 1006, 1015, 1016, 2004, 2026, 2048}
_ON = {25, 7}  # the cursor, line wrap


def environment(home: Path, **more: str) -> dict[str, str]:
    """That of a terminal with 24-bit colour whose toklane lives in `home`."""
    told = {key: value for key, value in os.environ.items() if not _ALIEN.fullmatch(key)}
    usual = {"TERM": "xterm-256color", "COLORTERM": "truecolor", "LANG": "C.UTF-8"}
    return told | usual | {"TOKLANE_HOME": str(home)} | more


def left_open(written: bytes) -> set[str]:
    """What the bytes of a program have switched in the terminal and not switched back."""
    last = {int(mode): letter for mode, letter in _MODE.findall(written)}
    left = {f"?{mode}h" for mode in _OFF if last.get(mode) == b"h"}
    left |= {f"?{mode}l" for mode in _ON if last.get(mode) == b"l"}
    pushed = _KITTY.findall(written)
    return left | ({"keyboard"} if pushed.count(b">") > pushed.count(b"<") else set())


def living(home: Path) -> list[psutil.Process]:
    """Every process that runs with this TOKLANE_HOME: a program, and all that it started."""
    found = []
    for process in psutil.process_iter():
        with contextlib.suppress(psutil.Error):
            running = process.status() != psutil.STATUS_ZOMBIE
            if running and process.environ().get("TOKLANE_HOME") == str(home):
                found.append(process)
    return found


def named(home: Path, part: str) -> psutil.Process:
    """The one process of `home` whose command line holds `part`."""
    (found,) = [p for p in living(home) if any(part in word for word in p.cmdline())]
    return found


def eventually(
    true: Callable[[], Any], seconds: float = PATIENCE_S, tell: Callable[[], object] = str
) -> None:
    """Look again and again until it is so; AssertionError, with what `tell` says, when time is up."""
    until = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < until, tell()
        time.sleep(_LOOK_S)


class Terminal:
    """It controls the program's session, so closing it hangs the program up. `errors`: where stderr goes."""

    def __init__(
        self,
        words: Sequence[str],
        environ: Mapping[str, str],
        columns: int = 120,
        rows: int = 36,
        errors: Path | None = None,
    ) -> None:
        self._main, inner = os.openpty()
        termios.tcsetwinsize(inner, (rows, columns))
        self._screen = pyte.Screen(columns, rows)
        self._stream = pyte.ByteStream(self._screen)
        self.written = b""
        self._unseen = bytearray()
        self._text = ""
        self.hung_up = False
        self._inner = inner
        self.before = termios.tcgetattr(inner)
        command = ["sh", "-c", _IN_TERMINAL, os.ttyname(inner), str(errors or ""), *words]
        self.process = subprocess.Popen(command, env=environ, cwd=ROOT, start_new_session=True)

    # -- what is seen ---------------------------------------------------------------------------------------

    @property
    def text(self) -> str:
        """The screen, a line each row."""
        if self._unseen:
            self._stream.feed(_KITTY.sub(b"", bytes(self._unseen)))
            self._unseen.clear()
            self._text = "\n".join(line.rstrip() for line in self._screen.display)
        return self._text

    def lit(self, column: int, row: int) -> bool:
        """Whether the cell, counted from 0, is drawn in reverse. The screen is that of the last `text`."""
        return bool(self._screen.buffer[row][column].reverse)

    def wait_for(self, text: str, seconds: float = PATIENCE_S) -> None:
        """Until `text` stands on the screen."""
        self.until(lambda: text in self.text, seconds)

    def until(self, true: Callable[[], Any], seconds: float = PATIENCE_S) -> None:
        """Until it is so; AssertionError with the screen when time is up."""
        until = time.monotonic() + seconds
        while not true():
            over = self.process.poll() is not None
            self._take(_LOOK_S)
            assert not over or true(), f"it ended with {self.process.returncode}; the screen:\n{self.text}"
            assert time.monotonic() < until, f"not in time; the screen:\n{self.text}"

    def settle(self, seconds: float) -> None:
        """Go on reading for so long."""
        until = time.monotonic() + seconds
        while (left := until - time.monotonic()) > 0:
            self._take(left)

    # -- what is done ---------------------------------------------------------------------------------------

    def press(self, keys: str) -> None:
        os.write(self._main, keys.encode("utf-8", "surrogateescape"))

    def clog(self) -> None:
        """Make the program draw and draw, and read none of it, until it can't go on."""
        for columns in range(_CLOGGED_AFTER):
            termios.tcsetwinsize(self._main, (36, 120 + columns % 2))
            time.sleep(_LOOK_S)

    def resize(self, columns: int, rows: int) -> None:
        self._take(0)
        assert self.text is not None  # drawn for the size that was
        self._screen.resize(rows, columns)
        termios.tcsetwinsize(self._main, (rows, columns))

    def kill(self, number: signal.Signals) -> None:
        self.process.send_signal(number)

    def catches(self, number: signal.Signals) -> bool:
        """The program answers this signal by now (Linux)."""
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        return bool(int(status.partition("SigCgt:")[2].split()[0], 16) >> number - 1 & 1)

    def hang_up(self) -> None:
        """Close the terminal's window."""
        self.hung_up = True
        os.close(self._inner)
        os.close(self._main)

    def end(self, seconds: float = PATIENCE_S) -> int:
        """Wait until the program is over; its exit status. AssertionError when it stays."""
        until = time.monotonic() + seconds
        while self.process.poll() is None:
            self._take(_LOOK_S)
            assert time.monotonic() < until, f"it is still there; the screen:\n{self.text}"
        self._take(0)
        return self.process.returncode

    @property
    def restored(self) -> bool:
        """Line discipline and modes are those of before."""
        return termios.tcgetattr(self._inner) == self.before and not left_open(self.written)

    def close(self) -> None:
        """Kill what is still there."""
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        if not self.hung_up:
            self.hang_up()

    def __enter__(self) -> Terminal:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _take(self, seconds: float) -> None:
        """What comes within so long, all of it that lies ready."""
        while not self.hung_up and select.select([self._main], [], [], seconds)[0]:
            data = os.read(self._main, 1 << 16)
            self.written += data
            self._unseen += data
            seconds = 0
        if self.hung_up and seconds:
            time.sleep(seconds)
