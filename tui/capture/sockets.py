"""The socket under httpcore: stamps every read and can be cancelled at any moment."""

from __future__ import annotations

import socket
import time
from collections.abc import Callable, Iterable
from typing import Any

import httpcore

from tui.capture.cancel import Cancel, Wait, wait_ready
from tui.capture.dial import dial
from tui.capture.failure import CaptureError, Kind
from tui.capture.readiness import READ, WRITE
from tui.capture.stamps import StampedSocket
from tui.capture.tls import TlsStream


class Stream(httpcore.NetworkStream):
    """One plain connection.

    stamps: those of its latest read.
    before_write: called once with the monotonic time just before the first byte went to the kernel.
    holds: the next write waits for the one after it, so that a request is one send: between two, another
    program may run for milliseconds while the server already waits for the rest.
    wrote_ns: just before the call that took the latest byte (an answer may come before that call returns),
    of the first call behind it: an answer that was as quick counts from there.
    deadline_ns: nothing waits longer than this; with `limit` that one tells it at each wait.
    heard: bytes came. saw_eof: the other side has closed.
    """

    def __init__(
        self, sock: socket.socket, cancel: Cancel | None, limit: Callable[[], int | None] | None = None
    ) -> None:
        self.stamps = StampedSocket(sock)
        self.cancel = cancel
        self.deadline_ns: int | None = None
        self._limit = limit
        self.before_write: Callable[[int], None] | None = None
        self.wrote_ns = 0
        self.holds = False
        self._held = b""
        self.saw_eof = False
        self.heard = False
        self._sock = sock
        self._wait: Wait | None = None

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        """What one read of the socket brings; b"" at the end."""
        try:
            return self.receive(max_bytes, self.deadline(timeout))
        except OSError as error:
            raise httpcore.ReadError(error.strerror or str(error)) from error

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        """Give all of it to the kernel."""
        if not buffer:
            return
        if self.holds:
            self._held, self.holds = bytes(buffer), False
            return
        buffer, self._held = self._held + buffer, b""
        try:
            rest = buffer if self.before_write is None else self._begun(buffer)
            self.transmit(rest, self.deadline(timeout))
        except OSError as error:
            raise httpcore.WriteError(error.strerror or str(error)) from error

    def _begun(self, buffer: bytes) -> bytes:
        """What the kernel did not take of the first bytes. Who wants to know when is told behind them: that
        takes time, in which another program may get the processor and the request would not have left."""
        told, self.before_write = self.before_write, None
        now_ns, taken = time.monotonic_ns(), 0
        try:
            taken = self._sock.send(buffer)
            self.wrote_ns = time.monotonic_ns()
        except BlockingIOError:
            pass
        finally:
            if told is not None:
                told(now_ns)
        self.stamps.at_ns = max(self.stamps.at_ns, self.wrote_ns)
        return buffer[taken:]

    def close(self) -> None:
        """Close at once."""
        self._sock.close()

    def get_extra_info(self, info: str) -> Any:
        """What httpcore and the reader ask for."""
        match info:
            case "is_readable":
                return self.is_readable()
            case "server_addr":
                return self._sock.getpeername()
            case _:
                return None

    def is_readable(self) -> bool:
        """Something came, or the connection is closed. Never waits."""
        descriptor = self._sock.fileno()
        return descriptor < 0 or bool(wait_ready({descriptor: READ}, None, 0))

    def deadline(self, timeout_s: float | None) -> int | None:
        """The monotonic moment at which to stop waiting."""
        limit_ns = self.deadline_ns if self._limit is None else self._limit()
        if timeout_s is None:
            return limit_ns
        own_ns = time.monotonic_ns() + int(timeout_s * 1e9)
        return own_ns if limit_ns is None else min(own_ns, limit_ns)

    def receive(self, max_bytes: int, deadline_ns: int | None) -> bytes:
        """Wait for bytes and stamp them. Raises OSError, CaptureError, Cancelled."""
        while True:
            if not self._readable().ready(deadline_ns):
                raise CaptureError(Kind.TIMEOUT, "no answer in time")
            try:
                data = self.stamps.receive(max_bytes)
            except BlockingIOError:
                continue
            self.saw_eof = not data
            self.heard = self.heard or bool(data)
            return data

    def _readable(self) -> Wait:
        kept = self._wait
        if kept is None or kept.cancel is not self.cancel or self._sock.fileno() != kept.descriptor:
            self._wait = kept = Wait(self._sock.fileno(), READ, self.cancel)
        return kept

    def transmit(self, data: bytes, deadline_ns: int | None) -> None:
        """Give bytes to the kernel. Raises OSError, CaptureError, Cancelled."""
        left = memoryview(data)
        while left:
            now_ns = time.monotonic_ns()
            try:
                left = left[self._sock.send(left) :]
                self.wrote_ns = now_ns
            except BlockingIOError:
                if not wait_ready({self._sock.fileno(): WRITE}, self.cancel, deadline_ns):
                    raise CaptureError(Kind.TIMEOUT, "the request could not be sent in time") from None

    def start_tls(
        self, ssl_context: Any, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore.NetworkStream:
        """The same connection, encrypted."""
        return TlsStream(self, ssl_context, server_hostname, self.deadline(timeout))


class Dialing(httpcore.NetworkBackend):
    """Opens connections for httpcore's pool; `limit` is asked at each wait, by the thread that waits."""

    def __init__(self, limit: Callable[[], int | None] | None = None) -> None:
        self._limit = limit

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[httpcore.SOCKET_OPTION] | None = None,
    ) -> httpcore.NetworkStream:
        """A new connection."""
        deadline_ns = None if timeout is None else time.monotonic_ns() + int(timeout * 1e9)
        return Stream(dial(host, port, None, deadline_ns), None, self._limit)


class Standing(httpcore.NetworkBackend):
    """Gives httpcore the one connection that stands already."""

    def __init__(self, stream: httpcore.NetworkStream) -> None:
        self._stream = stream

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[httpcore.SOCKET_OPTION] | None = None,
    ) -> httpcore.NetworkStream:
        """The connection."""
        return self._stream
