"""Writes to a pipe without ever waiting for its reader: what does not fit waits in memory."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Callable
from threading import Lock

_PIPE_BYTES = 1 << 20


class Outlet:
    """One pipe end, made non-blocking. `backed_up` is called when a write did not fit: flush when writable.

    When the reader is gone everything is dropped: whoever watches the reader learns it there.
    """

    def __init__(self, descriptor: int, backed_up: Callable[[], object]) -> None:
        self.descriptor = descriptor
        self._backed_up = backed_up
        self._backlog = bytearray()
        self._lock = Lock()
        os.set_blocking(descriptor, False)

    @property
    def pending(self) -> bool:
        """Something waits."""
        return bool(self._backlog)

    def put(self, data: bytes) -> None:
        """Write or keep; safe from any thread."""
        with self._lock:
            if self._backlog:
                self._backlog += data
                return
            written = self._write(data)
            if written < len(data):
                self._backlog += data[written:]
                self._backed_up()

    def flush(self) -> None:
        """Write what fits now of what waits."""
        with self._lock:
            if self._backlog:
                del self._backlog[: self._write(self._backlog)]

    def _write(self, data: bytes | bytearray) -> int:
        try:
            return os.write(self.descriptor, data)
        except BlockingIOError:
            return 0
        except BrokenPipeError:
            return len(data)


def widen(descriptor: int) -> None:
    """Let the pipe hold 1 MiB, where the system allows it."""
    if sys.platform == "linux":
        with contextlib.suppress(OSError, ImportError):
            import fcntl

            fcntl.fcntl(descriptor, fcntl.F_SETPIPE_SZ, _PIPE_BYTES)
