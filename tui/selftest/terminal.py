"""A terminal of 120 columns and 36 rows: runs a command in it, drains it, keeps what came and when."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from threading import Condition, Thread
from types import TracebackType

from tui.selftest.serving import ROOT

ROWS, COLUMNS = 36, 120
_READ_BYTES = 1 << 16
_SLOW_READ_BYTES = 1 << 12
_ASKS_FOR_FRAMES = b"\x1b[?2026$p"  # whether updates can be bracketed, so that none is shown half drawn
_HAS_FRAMES = b"\x1b[?2026;2$y"
FRAME = b"\x1b[?2026h"
_LEAVE_S = 8.0


@dataclass(frozen=True, slots=True)
class Piece:
    """What one read of the terminal brought."""

    at_ns: int
    data: bytes


class Terminal:
    """`bytes_per_s`: how fast it takes what the program writes; None is as fast as it comes."""

    def __init__(
        self, command: Sequence[str], environ: Mapping[str, str], bytes_per_s: float | None = None
    ) -> None:
        import termios  # not everywhere; nor are terminals that a program can open

        self._main, inner = os.openpty()
        termios.tcsetwinsize(inner, (ROWS, COLUMNS))
        self.started_ns = time.monotonic_ns()
        self._process = subprocess.Popen(
            command, stdin=inner, stdout=inner, stderr=inner, env=environ, cwd=ROOT, start_new_session=True
        )
        os.close(inner)
        self.pieces: list[Piece] = []
        self._bytes_per_s = bytes_per_s
        self._stalled_until = 0.0
        self._news = Condition()
        self._over = False
        self._thread = Thread(target=self._drain, daemon=True)
        self._thread.start()

    @property
    def pid(self) -> int:
        """The program's process."""
        return self._process.pid

    def press(self, keys: str) -> int:
        """Press keys; the monotonic time at which."""
        now_ns = time.monotonic_ns()
        os.write(self._main, keys.encode())
        return now_ns

    def stall(self, seconds: float) -> None:
        """Take nothing for so long."""
        self._stalled_until = time.monotonic() + seconds

    def wait_for(self, text: bytes, timeout_s: float, since: int = 0) -> int:
        """The monotonic time at which `text` was complete in what came from piece `since` on.

        TimeoutError, with the end of what came, when it does not come or the program ends.
        """
        until = time.monotonic() + timeout_s
        with self._news:
            joined = b""
            while True:
                for piece in self.pieces[since:]:
                    joined = joined[-len(text) :] + piece.data
                    if text in joined:
                        return piece.at_ns
                since = len(self.pieces)
                left = until - time.monotonic()
                if self._over or left <= 0 or not self._news.wait(left):
                    raise TimeoutError(f"{text!r} was not drawn; the last was {self.tail()!r}")

    def tail(self) -> bytes:
        """The end of what came."""
        return b"".join(piece.data for piece in self.pieces[-20:])[-2000:]

    def close(self) -> None:
        """Press q; a program that stays is killed."""
        if self._process.poll() is None and not self._over:
            self.press("q")
        try:
            self._process.wait(_LEAVE_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._thread.join(_LEAVE_S)
        os.close(self._main)

    def __enter__(self) -> Terminal:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _drain(self) -> None:
        size = _READ_BYTES if self._bytes_per_s is None else _SLOW_READ_BYTES
        while True:
            while (left := self._stalled_until - time.monotonic()) > 0:
                time.sleep(left)
            try:
                data = os.read(self._main, size)
            except OSError:  # Linux says the other side's end like this
                data = b""
            now_ns = time.monotonic_ns()
            with self._news:
                self.pieces.append(Piece(now_ns, data))
                self._over = not data
                self._news.notify_all()
            if not data:
                return
            if _ASKS_FOR_FRAMES in data:
                os.write(self._main, _HAS_FRAMES)
            if self._bytes_per_s is not None:
                time.sleep(len(data) / self._bytes_per_s)
