"""Serves captures over a real loopback socket: streams read by read, side endpoints; keeps what was asked."""

from __future__ import annotations

import contextlib
import select
import socket
import threading
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from types import TracebackType

from tests.wire.answers import Answer, Answerer, Moment, Side, always, told
from tests.wire.messages import Gone, Seen, head, request
from tests.wire.playing import PATIENCE_S, Clock, Playing
from tests.wire.stream import Coding, Stream

NOT_FOUND = told({"detail": "Not Found"}, 404)


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
        self._clock = Clock(speed)
        self.seen: list[Seen] = []
        self.closed = threading.Event()
        self._asked: Counter[tuple[str, str]] = Counter()
        self._begun = 0
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

    def hold(self, at_s: float = float("inf"), piece: int | None = None) -> None:
        """Stop the next stream until `go_on`: before what is due at `at_s` (its clock), or before a piece.

        Piece 0 is the head, also where it comes together with piece 1.
        """
        self._clock.hold_s, self._clock.hold_piece = at_s, piece
        self._clock.held.clear()

    @property
    def held(self) -> bool:
        """Whether the stream stands at the hold."""
        return self._clock.held.is_set()

    def wait_held(self) -> None:
        """Return when the stream stands at the hold."""
        assert self._clock.held.wait(PATIENCE_S), "the stream never came to the hold"

    def go_on(self) -> None:
        """Let the stream go on to its end."""
        self._clock.hold_s, self._clock.hold_piece = float("inf"), None

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
        return self._clock.position_s

    def late_s(self, sent_s: float) -> float:
        """How much later than told the newest stream was, at its worst place; sent at `sent_s`, monotonic."""
        assert self._clock.began_s is not None
        return self._clock.began_s - sent_s + self._clock.late_s

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
        with contextlib.suppress(OSError, ValueError, Gone), sock.makefile("rb") as lines:
            while (seen := request(lines, number)) is not None:
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
        sock.sendall(head(answer.status, answer.headers, coding, len(answer.body)) + answer.body)
        return not answer.old

    def _play(self, sock: socket.socket, stream: Stream) -> bool:
        """Send the stream; whether the connection stays."""
        self._begun += 1
        try:
            return Playing(sock, stream, self._clock).run()
        except (Gone, ConnectionError):
            self.closed.set()
            raise
        finally:
            self._clock.reach(float("inf"))


def _path(path: str) -> str:
    return path.partition("?")[0].rstrip("/") or "/"
