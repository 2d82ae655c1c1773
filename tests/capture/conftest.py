"""A server whose every byte the test sends by hand, and an inbox for what the capture hands on."""

from __future__ import annotations

import socket
import time
from collections.abc import Callable, Iterator

import pytest

from tui.capture.channel import Channel, Child
from tui.capture.frames import Frame, Item, Mark, Reply
from tui.capture.in_thread import InThread
from tui.domain.wire import End, Meta, Note, Read, Record

PATIENCE_S = 20.0
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
LAST = b"0\r\n\r\n"


def chunk(data: bytes) -> bytes:
    """The data as one chunk of a chunked body."""
    return b"%x\r\n%s\r\n" % (len(data), data)


class Peer:
    """The server's end of one connection."""

    def __init__(self, sock: socket.socket) -> None:
        self.sock = sock
        sock.settimeout(PATIENCE_S)
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def request(self) -> bytes:
        """Read one whole request: head and body."""
        data = b""
        while b"\r\n\r\n" not in data:
            data += self._more()
        head, _, body = data.partition(b"\r\n\r\n")
        length = next(
            (
                int(line.split(b":")[1])
                for line in head.split(b"\r\n")
                if line.lower().startswith(b"content-length:")
            ),
            0,
        )
        while len(body) < length:
            body += self._more()
        return head + b"\r\n\r\n" + body

    def send(self, data: bytes) -> None:
        self.sock.sendall(data)

    def answer(self, body: bytes) -> None:
        """A whole small reply that keeps the connection."""
        self.send(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s" % (len(body), body))

    def closed_by_client(self) -> bool:
        """Wait for the client to close; True when it did."""
        try:
            return self.sock.recv(65536) == b""
        except ConnectionResetError:
            return True

    def close(self) -> None:
        self.sock.close()

    def reset(self) -> None:
        """Close with a RST."""
        self.sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\x01\0\0\0\0\0\0\0")
        self.sock.close()

    def _more(self) -> bytes:
        data = self.sock.recv(65536)
        assert data, "the client closed inside its request"
        return data


class Server:
    """Listens on loopback; the test accepts and answers by itself, so nothing depends on timing."""

    def __init__(self, backlog: int = 16) -> None:
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=backlog)
        self.listener.settimeout(PATIENCE_S)
        self.port: int = self.listener.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}/v1/chat/completions"
        self._peers: list[Peer] = []

    def accept(self) -> Peer:
        sock, _ = self.listener.accept()
        self._peers.append(Peer(sock))
        return self._peers[-1]

    def close(self) -> None:
        for peer in self._peers:
            peer.close()
        self.listener.close()


class Inbox:
    """Everything a channel handed on, and ways to wait for more."""

    def __init__(self, channel: Channel) -> None:
        self.channel = channel
        self.frames: list[Frame] = []

    def until(self, found: Callable[[Frame], bool]) -> Frame:
        """The first frame (old ones count) that is it."""
        seen = 0
        give_up_s = time.monotonic() + PATIENCE_S
        while True:
            for frame in self.frames[seen:]:
                if found(frame):
                    return frame
            seen = len(self.frames)
            assert self.channel.wait(max(0.0, give_up_s - time.monotonic())), self.frames
            self.frames += self.channel.drain()

    def record(self, run_id: int, found: Callable[[Record], bool]) -> Record:
        frame = self.until(lambda it: isinstance(it, Item) and it.run_id == run_id and found(it.record))
        assert isinstance(frame, Item)
        return frame.record

    def note(self, run_id: int, name: str) -> Note:
        note = self.record(run_id, lambda it: isinstance(it, Note) and it.name == name)
        assert isinstance(note, Note)
        return note

    def reads(self, run_id: int, count: int) -> list[Read]:
        """Wait for so many reads; returns all of them."""
        got: list[Read] = []

        def enough(frame: Frame) -> bool:
            if isinstance(frame, Item) and frame.run_id == run_id and isinstance(frame.record, Read):
                got.append(frame.record)
            return len(got) >= count

        self.until(enough)
        return got

    def end(self, run_id: int) -> End:
        end = self.record(run_id, lambda it: isinstance(it, End))
        assert isinstance(end, End)
        return end

    def reply(self, fetch_id: int) -> Reply:
        reply = self.until(lambda it: isinstance(it, Reply) and it.id == fetch_id)
        assert isinstance(reply, Reply)
        return reply

    def zero_ns(self, run_id: int) -> int:
        mark = self.until(lambda it: isinstance(it, Mark) and it.run_id == run_id and it.name == "sent")
        assert isinstance(mark, Mark)
        return mark.mono_ns

    def records(self, run_id: int) -> list[Record]:
        """Every record of the run, once it has ended."""
        self.end(run_id)
        return [it.record for it in self.frames if isinstance(it, Item) and it.run_id == run_id]

    def names(self, run_id: int) -> list[str]:
        """The notes' names, once the run has ended."""
        return [it.name for it in self.records(run_id) if isinstance(it, Note)]


@pytest.fixture
def server() -> Iterator[Server]:
    server = Server()
    yield server
    server.close()


@pytest.fixture
def crowded() -> Iterator[Server]:
    """A server that lets nobody in any more: a connection to it neither stands nor fails."""
    server = Server(backlog=0)
    fillers = [socket.socket() for _ in range(4)]
    for filler in fillers:
        filler.setblocking(False)
        filler.connect_ex(("127.0.0.1", server.port))
    yield server
    for filler in fillers:
        filler.close()
    server.close()


@pytest.fixture(scope="session")
def child() -> Iterator[Child]:
    child = Child.start()
    yield child
    child.close()


@pytest.fixture(scope="session")
def in_thread() -> Iterator[InThread]:
    channel = InThread()
    yield channel
    channel.close()


@pytest.fixture(params=["child", "in_thread"])
def inbox(request: pytest.FixtureRequest) -> Iterator[Inbox]:
    """The child and its fallback must do the same."""
    inbox = Inbox(request.getfixturevalue(request.param))
    yield inbox
    for frame in inbox.frames + inbox.channel.drain():
        if isinstance(frame, Item) and isinstance(frame.record, Meta):
            inbox.end(frame.run_id)  # no run may reach into the next test


class Wire:
    """The constants and helpers of this file, for tests that can't import it."""

    HEAD = HEAD
    LAST = LAST
    chunk = staticmethod(chunk)


@pytest.fixture
def wire() -> type[Wire]:
    return Wire
