"""A cancellation that a thread can both ask for and wait for together with a socket."""

from __future__ import annotations

import errno
import select
import socket
import threading
import time

from tui.capture.failure import Cancelled
from tui.capture.readiness import READ, poller


class Cancel:
    """Set once, by any thread; wakes whoever waits for it in `wait_ready` within microseconds."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._closed = True  # until there is something to close
        self.how: str | None = None
        self._reader, self._writer = socket.socketpair()  # no pipe: Windows waits for sockets only
        self._closed = False

    def set(self, how: str = "cancelled") -> None:
        """Cancel; only the first call counts, and none after `close`."""
        with self._lock:
            if self.how is None and not self._closed:
                self.how = how
                self._writer.send(b"x")

    def wait(self, timeout_s: float) -> bool:
        """Sleep; True at once when cancelled."""
        return bool(select.select([self._reader], [], [], timeout_s)[0])

    def fileno(self) -> int:
        """Readable once cancelled."""
        return self._reader.fileno()

    def close(self) -> None:
        """Give the pipe back; nobody may wait any more."""
        with self._lock:
            if not self._closed:
                self._closed = True
                self._reader.close()
                self._writer.close()

    def __del__(self) -> None:
        self.close()


class Wait:
    """Waits for one descriptor and a cancellation, again and again; making it for each read costs time."""

    def __init__(self, descriptor: int, events: int, cancel: Cancel | None) -> None:
        if descriptor < 0:
            raise OSError(errno.EBADF, "the connection is closed")
        self.cancel = cancel
        self.descriptor = descriptor
        self._poller = poller()
        self._poller.register(descriptor, events)
        if cancel is not None:
            self._poller.register(cancel.fileno(), READ)

    def ready(self, deadline_ns: int | None) -> bool:
        """Wait; False when `deadline_ns` (monotonic) passed first. Raises Cancelled."""
        if deadline_ns is None:
            found = self._poller.poll()
        else:
            found = self._poller.poll(max(0, -(-(deadline_ns - time.monotonic_ns()) // 1_000_000)))
        for descriptor, _ in found:
            if descriptor != self.descriptor:  # there are but two
                raise Cancelled
        return bool(found)


def wait_ready(waits: dict[int, int], cancel: Cancel | None, deadline_ns: int | None) -> list[int]:
    """Wait until one of the descriptors (descriptor → poll events) is ready; returns the ready ones.

    Empty when `deadline_ns` (monotonic) passed first. Raises Cancelled; OSError for a
    descriptor that another thread has closed.
    """
    polling = poller()
    for descriptor, events in waits.items():
        if descriptor < 0:
            raise OSError(errno.EBADF, "the connection is closed")
        polling.register(descriptor, events)
    if cancel is not None:
        polling.register(cancel.fileno(), READ)
    left_ms = None if deadline_ns is None else max(0, -(-(deadline_ns - time.monotonic_ns()) // 1_000_000))
    ready = [descriptor for descriptor, _ in polling.poll(left_ms)]
    if cancel is not None and cancel.fileno() in ready:
        raise Cancelled
    return ready
