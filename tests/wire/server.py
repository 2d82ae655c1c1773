"""Serves captures over a real loopback socket: streams read by read, side endpoints; keeps what was asked."""

from __future__ import annotations

import contextlib
import json
import select
import socket
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from http import HTTPStatus
from types import TracebackType
from typing import BinaryIO

from tests.wire.answers import Answer, Answerer, Moment, Side, always, told
from tests.wire.stream import Coding, Stream
from tests.wire.taken import unread

PATIENCE_S = 20.0
_LOOK_S = 0.0002
_BLIND_S = 0.01  # where nobody tells what the client has taken
NOT_FOUND = told({"detail": "Not Found"}, 404)


@dataclass(frozen=True, slots=True)
class Seen:
    """One request as it came. `target` is path and query; names of headers are lower case."""

    method: str
    target: str
    headers: Mapping[str, str]
    body: bytes
    connection: int

    @property
    def path(self) -> str:
        return self.target.partition("?")[0]

    def json(self) -> object:
        """The body's value."""
        return json.loads(self.body)


class _Gone(Exception):
    """The client has closed the connection."""


class Server:
    """A context manager; `url` is its address, `seen` the requests so far.

    streams: by the path they are asked at; of several at one path each is served once, the last one again
    and again. speed: times as fast as it happened; None: as fast as the client takes it. A piece is never
    sent before the client has read the one before it, so reads do not melt.
    `closed` is set when the client closed inside a stream (or in its "hang").
    """

    def __init__(
        self,
        streams: Stream | Mapping[str, Stream | Sequence[Stream]],
        sides: Iterable[Side] = (),
        *,
        otherwise: Answer | Answerer = NOT_FOUND,
        speed: float | None = None,
        port: int = 0,
    ) -> None:
        told_streams = {streams.path: streams} if isinstance(streams, Stream) else streams
        self._streams = {
            _path(path): [given] if isinstance(given, Stream) else list(given)
            for path, given in told_streams.items()
        }
        self._sides = {(side.method, _path(side.path)): side.answer for side in sides}
        self._otherwise = always(otherwise) if isinstance(otherwise, Answer) else otherwise
        self._speed = speed
        self.seen: list[Seen] = []
        self.closed = threading.Event()
        self._asked: Counter[tuple[str, str]] = Counter()
        self._begun = 0
        self._position_s = float("-inf")
        self._began_s: float | None = None
        self._hold_s = float("inf")
        self._held = threading.Event()
        self._lock = threading.Lock()
        self._connections: list[socket.socket] = []
        self._threads: list[threading.Thread] = []
        self._listener = socket.create_server(("127.0.0.1", port), backlog=64)
        self.port: int = self._listener.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"
        self._awake, self._waker = socket.socketpair()
        self._start(self._accept)

    def __enter__(self) -> Server:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    # -- for the test -------------------------------------------------------------------------------------

    def answer(self, path: str, answer: Answer | Answerer, method: str = "GET") -> None:
        """From now on say this at that path."""
        told_answer = always(answer) if isinstance(answer, Answer) else answer
        self._sides[method, _path(path)] = told_answer

    def hold(self, at_s: float) -> None:
        """Stop the next stream before what is due at `at_s` (capture's clock) or later, until `go_on`."""
        self._hold_s = at_s
        self._held.clear()

    def wait_held(self) -> None:
        """Return when the stream stands at the hold."""
        assert self._held.wait(PATIENCE_S), "the stream never came to the hold"

    def go_on(self) -> None:
        """Let the stream go on to its end."""
        self._hold_s = float("inf")

    def wait_closed(self) -> None:
        """Return when the client has closed inside a stream."""
        assert self.closed.wait(PATIENCE_S), "the client did not close"

    def asked(self, path: str) -> list[Seen]:
        """The requests for that path."""
        return [seen for seen in self.seen if _path(seen.path) == _path(path)]

    @property
    def posted(self) -> list[Seen]:
        """The requests that were answered with a stream."""
        return [seen for seen in self.seen if seen.method == "POST" and _path(seen.path) in self._streams]

    @property
    def position_s(self) -> float:
        """Where the newest stream is, on its capture's clock."""
        began_s = self._began_s
        if began_s is None or self._speed is None:
            return self._position_s
        return (time.monotonic() - began_s) * self._speed

    def close(self) -> None:
        """Break every connection, end the threads."""
        self.go_on()
        self._waker.close()
        self._threads[0].join(PATIENCE_S)
        for connection in self._connections:
            with contextlib.suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)
        for thread in self._threads:
            thread.join(PATIENCE_S)
        for still_open in (self._listener, self._awake, *self._connections):
            still_open.close()

    # -- connections --------------------------------------------------------------------------------------

    def _start(self, target: Callable[..., None], *args: object) -> None:
        thread = threading.Thread(target=target, args=args, daemon=True)
        self._threads.append(thread)
        thread.start()

    def _accept(self) -> None:
        while self._awake not in select.select([self._listener, self._awake], [], [])[0]:
            sock, _ = self._listener.accept()
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self._connections.append(sock)
            self._start(self._serve, sock, len(self._connections))

    def _serve(self, sock: socket.socket, number: int) -> None:
        with contextlib.suppress(OSError, ValueError, _Gone), sock.makefile("rb") as lines:
            while (seen := _request(lines, number)) is not None:
                self.seen.append(seen)
                stream = self._stream(seen)
                stays = self._reply(sock, seen) if stream is None else self._play(sock, stream)
                if not stays:
                    break
        sock.close()

    def _stream(self, seen: Seen) -> Stream | None:
        given = self._streams.get(_path(seen.path)) if seen.method == "POST" else None
        if given is None:
            return None
        return given.pop(0) if len(given) > 1 else given[0]

    def _reply(self, sock: socket.socket, seen: Seen) -> bool:
        """Answer at once; whether the connection stays."""
        key = seen.method, _path(seen.path)
        with self._lock:
            reads = self._asked[key]
            self._asked[key] += 1
            moment = Moment(self.position_s, self._begun, reads, seen.method, seen.target, seen.body)
            answer = self._sides.get(key, self._otherwise)(moment)
        coding: Coding = "close" if answer.old else "length"
        head = _head(answer.status, answer.headers, coding, len(answer.body))
        sock.sendall(head + answer.body)
        return not answer.old

    # -- the stream ---------------------------------------------------------------------------------------

    def _play(self, sock: socket.socket, stream: Stream) -> bool:
        """Send the stream; whether the connection stays."""
        self._begun += 1
        self._position_s, self._began_s = 0.0, time.monotonic()
        try:
            return self._parts(sock, stream)
        except (_Gone, ConnectionError):
            self.closed.set()
            raise
        finally:
            self._over()

    def _over(self) -> None:
        self._position_s, self._began_s = float("inf"), None

    def _parts(self, sock: socket.socket, stream: Stream) -> bool:
        size = sum(len(piece.data) for piece in stream.pieces) + (stream.end != "eof")
        waiting = _head(stream.status, stream.headers, stream.coding, size)
        first_s = stream.pieces[0].at_s if stream.pieces else stream.end_s
        if stream.head_s < first_s:
            self._send(sock, stream.head_s, waiting)
            waiting = b""
        for piece in stream.pieces:
            last = piece is stream.pieces[-1] and stream.end == "eof"
            data = (
                b"%x\r\n%b\r\n" % (len(piece.data), piece.data) if stream.coding == "chunked" else piece.data
            )
            self._send(sock, piece.at_s, waiting + data, last=last)
            waiting = b""
        if waiting:
            self._send(sock, stream.end_s, waiting)
        return self._end(sock, stream)

    def _end(self, sock: socket.socket, stream: Stream) -> bool:
        self._due(sock, stream.end_s)
        match stream.end:
            case "eof" if stream.coding != "close":
                if stream.coding == "chunked":
                    sock.sendall(b"0\r\n\r\n")
                return True
            case "reset":
                sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\x01\0\0\0\0\0\0\0")
            case "hang":
                while True:
                    _look(sock, 1.0)
            case _:
                pass
        return False

    def _send(self, sock: socket.socket, at_s: float, data: bytes, *, last: bool = False) -> None:
        self._due(sock, at_s)
        if last:
            self._over()  # an engine is done before it says its last word
        else:
            self._position_s = max(self._position_s, at_s)
        sock.sendall(data)
        limit_s = time.monotonic() + PATIENCE_S
        while (left := unread(sock)) and time.monotonic() < limit_s:
            _look(sock, _LOOK_S)
        if left is None:
            _look(sock, _BLIND_S)

    def _due(self, sock: socket.socket, at_s: float) -> None:
        """Wait until it is time, and while the test holds the stream."""
        if self._speed is not None and self._began_s is not None:
            due_s = self._began_s + at_s / self._speed
            while (left_s := due_s - time.monotonic()) > 0:
                _look(sock, left_s)
        while at_s >= self._hold_s:
            self._held.set()
            _look(sock, 0.001)


def _look(sock: socket.socket, wait_s: float) -> None:
    """Wait, or find out that the client closed: raises _Gone then."""
    readable, _, _ = select.select([sock], [], [], wait_s)
    if readable and not sock.recv(1, socket.MSG_PEEK):
        raise _Gone


def _path(path: str) -> str:
    return path.partition("?")[0].rstrip("/") or "/"


def _head(status: int, headers: Iterable[tuple[str, str]], coding: Coding, size: int) -> bytes:
    reason = HTTPStatus(status).phrase if status in HTTPStatus._value2member_map_ else "Unknown"
    lines = [f"HTTP/1.{0 if coding == 'close' else 1} {status} {reason}"]
    dropped = ("content-length", "transfer-encoding")
    lines += [f"{name}: {value}" for name, value in headers if name.lower() not in dropped]
    match coding:
        case "chunked":
            lines.append("Transfer-Encoding: chunked")
        case "length":
            lines.append(f"Content-Length: {size}")
        case "close":
            pass
    return "\r\n".join([*lines, "", ""]).encode("latin-1")


def _request(lines: BinaryIO, connection: int) -> Seen | None:
    """The next request of a connection; None when it was closed."""
    first = lines.readline().split()
    if len(first) < 2:
        return None
    headers: dict[str, str] = {}
    while line := lines.readline().strip():
        name, _, value = line.decode("latin-1").partition(":")
        headers[name.lower()] = value.strip()
    body = lines.read(int(headers.get("content-length", 0)))
    return Seen(first[0].decode(), first[1].decode(), headers, body, connection)
