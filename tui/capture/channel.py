"""The parent's end of the capture child: starts it, sends orders, drains frames."""

from __future__ import annotations

import contextlib
import os
import select
import subprocess
import time
from typing import Protocol

from tui.capture.frames import Frame, Gone, Unpacker
from tui.capture.orders import Order, encode
from tui.capture.pipes import Outlet, widen
from tui.capture.spawn import dismiss, spawn

_READ_BYTES = 1 << 18
_LAST_WORDS_BYTES = 1 << 16


class Channel(Protocol):
    """Orders in, frames out."""

    def send(self, order: Order) -> None:
        """Give an order; never blocks."""

    def drain(self) -> list[Frame]:
        """What came since the last call; never blocks."""

    def wait(self, timeout_s: float | None) -> bool:
        """Wait until `drain` has something; False when the time passed first."""

    def fileno(self) -> int:
        """Readable when `drain` has something."""

    def close(self) -> None:
        """End what runs; recordings are whole afterwards."""


class Child:
    """The capture child in a session of its own, so that a terminal's signals miss it."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        assert process.stdin is not None and process.stdout is not None and process.stderr is not None
        self._process = process
        self._output = process.stdout.fileno()
        self._errors = process.stderr.fileno()
        for descriptor in (process.stdin.fileno(), self._output):
            widen(descriptor)
        os.set_blocking(self._output, False)
        os.set_blocking(self._errors, False)
        self._input = Outlet(process.stdin.fileno(), lambda: None)
        self._unpacker = Unpacker()
        self._gone = False

    @classmethod
    def start(cls) -> Child:
        """Start the child; returns at once, orders may be sent at once. OSError when there is no process."""
        return cls(spawn())

    @property
    def pid(self) -> int:
        """The child's process id."""
        return self._process.pid

    def send(self, order: Order) -> None:
        """Give an order; never blocks. A dead child ignores it: `drain` tells."""
        if not self._gone:
            self._input.put(encode(order))

    def drain(self) -> list[Frame]:
        """What came since the last call; never blocks. `Gone` is the last frame when the child died."""
        frames: list[Frame] = []
        if not self._gone:
            self._input.flush()
        while not self._gone:
            try:
                data = os.read(self._output, _READ_BYTES)
            except BlockingIOError:
                break
            if data:
                frames += self._unpacker.feed(data)
                self._gone = any(isinstance(frame, Gone) for frame in frames[-1:])
            else:
                self._gone = True
                frames.append(Gone(self._why()))
        return frames

    def wait(self, timeout_s: float | None) -> bool:
        """Wait until `drain` has something; False when the time passed first."""
        until_s = None if timeout_s is None else time.monotonic() + timeout_s
        while True:
            unsent = [self._input.descriptor] if self._input.pending else []
            left_s = None if until_s is None else max(0.0, until_s - time.monotonic())
            readable, _, _ = select.select([self._output], unsent, [], left_s)
            self._input.flush()
            if readable:
                return True
            if until_s is not None and time.monotonic() >= until_s:
                return False

    def fileno(self) -> int:
        """Readable when `drain` has something."""
        return self._output

    def close(self) -> None:
        """End what runs, wait for the child (6 s, then it is killed). Recordings are whole afterwards."""
        self._gone = True
        dismiss(self._process)

    def _why(self) -> str:
        try:
            status = self._process.wait(1.0)
        except subprocess.TimeoutExpired:
            return "the capture process closed its pipe"
        words = b""
        with contextlib.suppress(OSError):
            words = os.read(self._errors, _LAST_WORDS_BYTES)
        last = words.decode(errors="replace").strip().rpartition("\n")[2]
        return f"the capture process ended with status {status}" + (f": {last}" if last else "")
