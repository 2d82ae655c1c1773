"""Opens a TCP connection that can be cancelled at any moment: names looked up aside, addresses raced."""

from __future__ import annotations

import errno
import os
import socket
import threading
import time
from collections import deque
from contextlib import suppress
from dataclasses import dataclass

from tui.capture.cancel import Cancel, wait_ready
from tui.capture.failure import CaptureError, Kind
from tui.capture.readiness import READ, WRITE

_HEAD_START_NS = 200_000_000  # an address gets this long before the next one is tried beside it
# seconds of silence before the first question (two names), between questions; how many stay unanswered
_KEEP_ALIVE = {"TCP_KEEPIDLE": 30, "TCP_KEEPALIVE": 30, "TCP_KEEPINTVL": 10, "TCP_KEEPCNT": 6}


@dataclass(frozen=True, slots=True)
class Address:
    """One address to try, as `getaddrinfo` gives it."""

    family: socket.AddressFamily
    where: tuple[str, int] | tuple[str, int, int, int] | tuple[int, bytes]  # the last one is getaddrinfo's


def dial(host: str, port: int, cancel: Cancel | None, deadline_ns: int | None) -> socket.socket:
    """A connected non-blocking socket with TCP_NODELAY. Raises CaptureError or Cancelled.

    Addresses are tried in order; the next one starts as soon as one fails, or 200 ms after it.
    """
    waiting = deque(_addresses(host, port, cancel, deadline_ns))
    trying: dict[int, socket.socket] = {}
    failed = OSError(errno.ECONNREFUSED, "no address")
    try:
        while waiting or trying:
            if waiting:
                sock = _begin(waiting.popleft())
                if isinstance(sock, OSError):
                    failed = sock
                    continue
                trying[sock.fileno()] = sock
            until_ns = time.monotonic_ns() + _HEAD_START_NS if waiting else deadline_ns
            if deadline_ns is not None and until_ns is not None:
                until_ns = min(until_ns, deadline_ns)
            for descriptor in wait_ready(dict.fromkeys(trying, WRITE), cancel, until_ns):
                sock = trying.pop(descriptor)
                code = sock.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR)
                if not code:
                    sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                    _keep_alive(sock)
                    return sock
                sock.close()
                failed = OSError(code, os.strerror(code))
            if deadline_ns is not None and time.monotonic_ns() >= deadline_ns:
                raise CaptureError(Kind.TIMEOUT, f"no connection to {host}:{port} in time")
        raise _explained(failed, host, port)
    finally:
        for sock in trying.values():
            sock.close()


def _keep_alive(sock: socket.socket) -> None:
    """Let the kernel ask a silent peer whether it is there: one that vanished without a word is noticed then.

    An engine that only thinks is never given up: its kernel answers.
    """
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    for name, value in _KEEP_ALIVE.items():
        if (number := getattr(socket, name, None)) is not None:
            with suppress(OSError):
                sock.setsockopt(socket.IPPROTO_TCP, number, value)


def _begin(address: Address) -> socket.socket | OSError:
    try:
        sock = socket.socket(address.family, socket.SOCK_STREAM)
    except OSError as error:
        return error
    sock.setblocking(False)
    try:
        code = sock.connect_ex(address.where)
    except OSError as error:
        sock.close()
        return error
    if code in (0, errno.EINPROGRESS, errno.EWOULDBLOCK):
        return sock
    sock.close()
    return OSError(code, os.strerror(code))


def _explained(error: OSError, host: str, port: int) -> CaptureError:
    if error.errno == errno.ECONNREFUSED:
        return CaptureError(Kind.REFUSED, f"nothing answers at {host}:{port} (connection refused)")
    if error.errno == errno.ETIMEDOUT:
        return CaptureError(Kind.TIMEOUT, f"no connection to {host}:{port} in time")
    return CaptureError(Kind.OTHER, f"can't connect to {host}:{port}: {error.strerror or error}")


def _addresses(host: str, port: int, cancel: Cancel | None, deadline_ns: int | None) -> list[Address]:
    if host == "localhost":  # both loopbacks, whatever the hosts file says
        return [
            Address(socket.AF_INET6, ("::1", port, 0, 0)),
            Address(socket.AF_INET, ("127.0.0.1", port)),
        ]
    for family, where in ((socket.AF_INET, (host, port)), (socket.AF_INET6, (host, port, 0, 0))):
        with suppress(OSError):
            socket.inet_pton(family, host)
            return [Address(family, where)]
    return _looked_up(host, port, cancel, deadline_ns)


def _looked_up(host: str, port: int, cancel: Cancel | None, deadline_ns: int | None) -> list[Address]:
    """`getaddrinfo` in a thread, because nothing else can leave it before the resolver gives up."""
    answers: list[list[Address] | OSError] = []
    reader, writer = socket.socketpair()

    def look_up() -> None:
        try:
            infos = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
            answers.append([Address(family, where) for family, _, _, _, where in infos])
        except (OSError, UnicodeError) as error:
            answers.append(error if isinstance(error, OSError) else OSError(str(error)))
        writer.close()

    threading.Thread(target=look_up, daemon=True, name="look-up").start()
    try:
        if not wait_ready({reader.fileno(): READ}, cancel, deadline_ns):
            raise CaptureError(Kind.TIMEOUT, f"looking up {host} took too long")
    finally:
        reader.close()
    match answers[0]:
        case OSError():
            raise CaptureError(Kind.UNKNOWN_HOST, f"unknown host {host} (port {port})")
        case list(found):
            return found
