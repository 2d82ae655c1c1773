"""A terminal with a program in it: its screen, its keys, its signals, and what is left when it is gone."""

from __future__ import annotations

import contextlib
import fcntl
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
_ALIEN = re.compile(r"NO_COLOR|COLORTERM|SSH_.*|TMUX|STY|TERM_PROGRAM.*|LC_.*|LANG|PYTHONIOENCODING|TOKLANE_.*")
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
    pushed = [sign for sign in _KITTY.findall(written)]
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


def eventually(true: Callable[[], Any], seconds: float = PATIENCE_S, tell: Callable[[], object] = str) -> None:
    """Look again and again until it is so; AssertionError, with what `tell` says, when time is up."""
    until = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < until, tell()
        time.sleep(_LOOK_S)


class Terminal:
    """The terminal controls the program's session, so that closing it hangs the program up."""

    def __init__(
        self, words: Sequence[str], environ: Mapping[str, str], columns: int = 120, rows: int = 36
    ) -> None:
        self._main, inner = os.openpty()
        termios.tcsetwinsize(inner, (rows, columns))
        self._screen = pyte.Screen(columns, rows)
        self._stream = pyte.ByteStream(self._screen)
        self.written = b""
        self._hung_up = False
        self._inner = inner
        self.before = termios.tcgetattr(inner)
        self.process = subprocess.Popen(
            words,
            stdin=inner,
            stdout=inner,
            stderr=inner,
            env=environ,
            cwd=ROOT,
            start_new_session=True,
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
        )

    # -- what is seen ---------------------------------------------------------------------------------------

    @property
    def text(self) -> str:
        """The screen, a line each row."""
        return "\n".join(line.rstrip() for line in self._screen.display)

    def wait_for(self, text: str, seconds: float = PATIENCE_S) -> None:
        """Until `text` stands on the screen."""
        self.until(lambda: text in self.text, seconds)

    def until(self, true: Callable[[], Any], seconds: float = PATIENCE_S) -> None:
        """Until it is so; AssertionError with the screen when time is up."""
        until = time.monotonic() + seconds
        while not true():
            self._take(_LOOK_S)
            assert time.monotonic() < until, f"not in time; the screen:\n{self.text}"

    def settle(self, seconds: float) -> None:
        """Go on reading for so long."""
        until = time.monotonic() + seconds
        while (left := until - time.monotonic()) > 0:
            self._take(left)

    # -- what is done ---------------------------------------------------------------------------------------

    def press(self, keys: str) -> None:
        os.write(self._main, keys.encode())

    def resize(self, columns: int, rows: int) -> None:
        self._take(0)
        self._screen.resize(rows, columns)
        termios.tcsetwinsize(self._main, (rows, columns))

    def signal(self, number: signal.Signals) -> None:
        self.process.send_signal(number)

    def hang_up(self) -> None:
        """Close the terminal's window."""
        self._hung_up = True
        os.close(self._inner)
        os.close(self._main)

    def end(self, seconds: float = 5.0) -> int:
        """Wait until the program is over; its exit status. AssertionError, and it is killed, when it stays."""
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
        if not self._hung_up:
            self.hang_up()

    def __enter__(self) -> Terminal:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _take(self, seconds: float) -> None:
        """What comes within so long, all of it that lies ready."""
        while not self._hung_up and select.select([self._main], [], [], seconds)[0]:
            data = os.read(self._main, 1 << 16)
            self.written += data
            self._stream.feed(_KITTY.sub(b"", data))
            seconds = 0
        if self._hung_up and seconds:
            time.sleep(seconds)
