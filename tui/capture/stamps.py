"""When bytes arrived: the kernel's receive time on the monotonic clock, else `recv`'s return."""

from __future__ import annotations

import socket
import sys
import time
from struct import Struct

_TIMESPEC = Struct("@qq")
# Linux calls it SO_TIMESTAMPNS; the socket module does not name it. TCP has no such stamp elsewhere.
_SO_TIMESTAMPNS = 35 if sys.platform == "linux" and hasattr(socket.socket, "recvmsg") else None
_ANCILLARY_BYTES = 64
_REFRESH_NS = 1_000_000_000
_SLACK_NS = 1_000_000  # a stamp may lie this far before the read before it had returned
_STEP_NS = 50_000  # more than this between two looks at the clocks: the wall clock was set


def _offset_ns(looks: int) -> int:
    """Wall clock minus monotonic clock, from the tightest of `looks` bracketed looks."""
    tightest, offset = 1 << 62, 0
    for _ in range(looks):
        before = time.monotonic_ns()
        wall = time.time_ns()
        after = time.monotonic_ns()
        if after - before < tightest:
            tightest, offset = after - before, wall - (before + after) // 2
    return offset


def keep_stamping() -> socket.socket:
    """A socket that makes the kernel stamp while it is open.

    Linux stamps only while some socket wants it and switches with a delay: the first reads after the switch
    would come without a stamp, so the wish must be older than the first connection.
    """
    wish = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    if _SO_TIMESTAMPNS is not None:
        wish.setsockopt(socket.SOL_SOCKET, _SO_TIMESTAMPNS, 1)
    return wish


class StampedSocket:
    """Receives from a non-blocking socket and knows, on the monotonic clock, when each read arrived.

    After `receive`: `at_ns` (arrival), `recv_ns` (return of recv), `floor_ns` (return of the read before),
    `kernel` (which clock `at_ns` is). Stamps never go down.
    """

    __slots__ = ("_offset_ns", "_taken_ns", "at_ns", "floor_ns", "kernel", "recv_ns", "sock")

    def __init__(self, sock: socket.socket) -> None:
        self.sock = sock
        self.kernel = False
        self._offset_ns = _offset_ns(200)
        self._taken_ns = time.monotonic_ns()
        self.at_ns = self.recv_ns = self.floor_ns = self._taken_ns
        if _SO_TIMESTAMPNS is not None:
            sock.setsockopt(socket.SOL_SOCKET, _SO_TIMESTAMPNS, 1)

    def receive(self, max_bytes: int) -> bytes:
        """Bytes that lie ready; BlockingIOError when none do."""
        ancillary: list[tuple[int, int, bytes]] = []
        if _SO_TIMESTAMPNS is None:
            data = self.sock.recv(max_bytes)
        else:
            data, ancillary, _, _ = self.sock.recvmsg(max_bytes, _ANCILLARY_BYTES)
        now_ns = time.monotonic_ns()
        stamp_ns = self._kernel_ns(ancillary, now_ns)
        self.kernel = stamp_ns is not None
        self.at_ns = max(self.at_ns, now_ns if stamp_ns is None else stamp_ns)
        self.floor_ns, self.recv_ns = min(self.recv_ns, self.at_ns), now_ns
        return data

    def sent(self, mono_ns: int) -> None:
        """Nothing that arrives from now on can have arrived before `mono_ns`."""
        self.at_ns = self.recv_ns = mono_ns

    def _kernel_ns(self, ancillary: list[tuple[int, int, bytes]], now_ns: int) -> int | None:
        """The kernel's stamp on the monotonic clock, or None when there is none or it can't be true."""
        for level, kind, data in ancillary:
            if level == socket.SOL_SOCKET and kind == _SO_TIMESTAMPNS and len(data) >= _TIMESPEC.size:
                if not self._offset_holds(now_ns):
                    return None
                seconds, nanoseconds = _TIMESPEC.unpack_from(data)
                stamp_ns: int = seconds * 1_000_000_000 + nanoseconds - self._offset_ns
                return stamp_ns if self.recv_ns - _SLACK_NS <= stamp_ns <= now_ns else None
        return None

    def _offset_holds(self, now_ns: int) -> bool:
        """Look at the clocks again every second; False when the wall clock was set in between."""
        if now_ns - self._taken_ns < _REFRESH_NS:
            return True
        fresh_ns = _offset_ns(20)
        stepped = abs(fresh_ns - self._offset_ns) > _STEP_NS
        self._offset_ns, self._taken_ns = fresh_ns, now_ns
        return not stepped
