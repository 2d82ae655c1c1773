"""Runs requests against a replay server through the real reader, and through a whole session."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.wire.playing import PATIENCE_S
from tests.wire.server import Server
from tui.capture.channel import Channel
from tui.capture.frames import Item
from tui.capture.in_thread import InThread
from tui.capture.orders import CancelOrder, StreamOrder
from tui.capture.session import Session
from tui.capture.shelf import Shelf
from tui.capture.target import Target
from tui.domain.wire import End, Note, Read, Record


class Wire:
    """One channel for many requests."""

    def __init__(self, channel: Channel) -> None:
        self._channel = channel
        self._last = 0

    def send(self, server: Server, path: str) -> int:
        """Begin a request; returns its number."""
        self._last += 1
        self._channel.send(StreamOrder(self._last, server.url + path, body="{}"))
        return self._last

    def records(self, number: int, stop_after: int | None = None) -> list[Record]:
        """Its records, once it has ended; with `stop_after` it is given up after so many reads."""
        records: list[Record] = []
        limit_s = time.monotonic() + PATIENCE_S
        stopped = stop_after is None
        while not (records and isinstance(records[-1], End)):
            headed = any(isinstance(record, Note) and record.name == "head" for record in records)
            if not stopped and headed and stop_after == sum(isinstance(record, Read) for record in records):
                self._channel.send(CancelOrder(number))
                stopped = True
            assert self._channel.wait(max(0.0, limit_s - time.monotonic())), records
            for frame in self._channel.drain():
                if isinstance(frame, Item) and frame.run_id == number:
                    records.append(frame.record)
        return records

    def request(self, server: Server, path: str, stop_after: int | None = None) -> list[Record]:
        """All records of one request."""
        return self.records(self.send(server, path), stop_after)


def until(session: Session, done: Callable[[], bool]) -> None:
    """Drain until it is so."""
    limit_s = time.monotonic() + PATIENCE_S
    session.drain()
    while not done():
        assert time.monotonic() < limit_s, (session.problem, session.notice, session.activity)
        session.wait(0.05)
        session.drain()


@contextmanager
def sitting(server: Server, recordings: Path | None = None, model: str = "") -> Iterator[Session]:
    """A session that is aimed at the server and has found its engine."""
    session = Session(InThread(), None, Shelf(recordings) if recordings else None)
    try:
        session.aim(Target(server.url, model=model))
        until(session, lambda: session.found is not None or bool(session.problem))
        assert session.problem == ""
        yield session
    finally:
        session.cancel()
        for thread in threading.enumerate():
            if thread.name in ("warm", "fetch", "poll"):
                thread.join(PATIENCE_S)  # a connection that is still being opened would be closed by nobody
        session.close()
