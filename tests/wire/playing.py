"""Sends one stream, piece by piece, when it is due and when the client has taken the piece before."""

from __future__ import annotations

import socket
import threading
import time

from tests.wire.messages import head, look
from tests.wire.stream import Stream
from tests.wire.taken import unread

PATIENCE_S = 20.0
_LOOK_S = 0.0002
_BLIND_S = 0.01  # where nobody tells what the client has taken
_NEVER_S = float("inf")


class Clock:
    """Where the newest stream is, on its capture's clock, and where a test holds it.

    -inf before the first stream, inf from just before its last piece: an engine is done before it says its
    last word.
    """

    def __init__(self, speed: float | None) -> None:
        self.speed = speed
        self.hold_s = _NEVER_S
        self.hold_piece: int | None = None
        self.held = threading.Event()
        self.late_s = 0.0  # the most that a piece was sent after it was due, by this machine's clock
        self._began_s: float | None = None
        self._reached_s = -_NEVER_S

    def begin(self) -> float:
        """A stream begins; the monotonic time of that."""
        self._reached_s, self._began_s = 0.0, time.monotonic()
        return self._began_s

    def reach(self, at_s: float) -> None:
        """What is due then is being sent."""
        self._reached_s = max(self._reached_s, at_s)

    @property
    def began_s(self) -> float | None:
        """When the newest stream was asked for, monotonic."""
        return self._began_s

    @property
    def position_s(self) -> float:
        began_s = self._began_s
        if began_s is None or self.speed is None or self._reached_s == _NEVER_S:
            return self._reached_s
        return (time.monotonic() - began_s) * self.speed


class Playing:
    """One stream on its way over `sock`. Raises messages.Gone or ConnectionError when the client closed."""

    def __init__(self, sock: socket.socket, stream: Stream, clock: Clock) -> None:
        self._sock = sock
        self._stream = stream
        self._clock = clock
        self._began_s = clock.begin()

    def run(self) -> bool:
        """Send all of it; whether the connection stays."""
        stream = self._stream
        size = sum(len(piece.data) for piece in stream.pieces) + (stream.end != "eof")
        waiting = head(stream.status, stream.headers, stream.coding, size)
        first_s = stream.pieces[0].at_s if stream.pieces else stream.end_s
        self._hold(0, 0.0)
        if stream.head_s < first_s:
            self._send(0, stream.head_s, waiting)
            waiting = b""
        for number, piece in enumerate(stream.pieces, 1):
            self._send(number, piece.at_s, waiting + self._coded(piece.data))
            waiting = b""
        if waiting:
            self._send(0, stream.end_s, waiting)
        return self._end()

    def _coded(self, data: bytes) -> bytes:
        return b"%x\r\n%b\r\n" % (len(data), data) if self._stream.coding == "chunked" else data

    def _end(self) -> bool:
        stream = self._stream
        self._due(stream.end_s)
        match stream.end:
            case "eof" if stream.coding != "close":
                if stream.coding == "chunked":
                    self._sock.sendall(b"0\r\n\r\n")
                return True
            case "reset":
                self._sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\x01\0\0\0\0\0\0\0")
            case "hang":
                while True:
                    look(self._sock, 1.0)
            case _:
                pass
        return False

    def _send(self, number: int, at_s: float, data: bytes) -> None:
        self._due(at_s)
        self._hold(number, at_s)
        over = number == len(self._stream.pieces) and self._stream.end == "eof"
        self._clock.reach(_NEVER_S if over else at_s)
        self._sock.sendall(data)
        limit_s = time.monotonic() + PATIENCE_S
        while (left := unread(self._sock)) and time.monotonic() < limit_s:
            look(self._sock, _LOOK_S)
        if left is None:
            look(self._sock, _BLIND_S)

    def _due(self, at_s: float) -> None:
        if self._clock.speed is not None:
            due_s = self._began_s + at_s / self._clock.speed
            while (left_s := due_s - time.monotonic()) > 0:
                look(self._sock, left_s)
            self._clock.late_s = max(self._clock.late_s, -left_s)

    def _hold(self, number: int, at_s: float) -> None:
        """Stand still while the test wants it, before this piece or before what is due then."""
        clock = self._clock
        while True:
            by_time, by_piece = (
                at_s >= clock.hold_s,
                clock.hold_piece is not None and number >= clock.hold_piece,
            )
            if not (by_time or by_piece):
                return
            if by_time:
                clock.reach(clock.hold_s)
            clock.held.set()
            look(self._sock, 0.001)
