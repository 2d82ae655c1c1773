"""The same reader in threads of this process: the fallback where no child can be started, and for tests."""

from __future__ import annotations

import contextlib
import select
import socket
from collections import deque

from tui.capture.desk import Desk
from tui.capture.frames import Frame
from tui.capture.orders import Order

_ALL_BYTES = 1 << 20


class InThread:
    """A `channel.Channel` without a process. Its stamps wait for this process's other threads."""

    def __init__(self) -> None:
        self._frames: deque[Frame] = deque()
        self._reader, self._writer = socket.socketpair()
        self._reader.setblocking(False)
        self._writer.setblocking(False)
        self._desk = Desk(self._put)

    def send(self, order: Order) -> None:
        """Give an order; never blocks."""
        self._desk.do(order)

    def drain(self) -> list[Frame]:
        """What came since the last call; never blocks."""
        with contextlib.suppress(OSError):  # nothing, or closed
            self._reader.recv(_ALL_BYTES)
        return [self._frames.popleft() for _ in range(len(self._frames))]

    def wait(self, timeout_s: float | None) -> bool:
        """Wait until `drain` has something; False when the time passed first."""
        return bool(select.select([self._reader], [], [], timeout_s)[0])

    def fileno(self) -> int:
        """Readable when `drain` has something."""
        return self._reader.fileno()

    def close(self) -> None:
        """End what runs; recordings are whole afterwards."""
        self._desk.close()
        self._reader.close()
        self._writer.close()

    def _put(self, frame: Frame) -> None:
        self._frames.append(frame)
        with contextlib.suppress(OSError):  # full, so it is readable anyway; or closed
            self._writer.send(b"x")
