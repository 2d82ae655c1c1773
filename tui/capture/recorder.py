"""Writes one recording: JSON Lines, append-only, by an own thread, so that a slow disk delays no read."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from queue import SimpleQueue
from threading import Event, Thread

from tui.capture.lines import to_line
from tui.capture.scrub import scrub_meta
from tui.domain.wire import End, Meta, Note, Record

FORMAT = "toklane/1"
_FLUSH_S = 3.0
_BATCH_S = 0.1  # writing each record at once would wake this thread for every token


class Recorder:
    """One file, created 0600, which must be absent or empty: OSError otherwise.

    The first line holds status and response headers, so it is written when the head came or the run ended;
    what comes before is held back until then. When the disk refuses, `failed` is called once with the reason
    (from the writer thread) and nothing more is written.
    """

    def __init__(self, path: str, failed: Callable[[str], None]) -> None:
        descriptor = _opened(path)
        self._failed = failed
        self._queue: SimpleQueue[Record | None] = SimpleQueue()
        self._closing = Event()
        self._thread = Thread(target=self._run, args=(path, descriptor), daemon=True, name="recorder")
        self._thread.start()

    def put(self, record: Record) -> None:
        """Append; never blocks. The run's Meta comes first, its End last."""
        self._queue.put(record)

    def close(self) -> None:
        """Wait (3 s at most) until everything is written."""
        self._queue.put(None)
        self._closing.set()
        self._thread.join(_FLUSH_S)

    def _run(self, path: str, descriptor: int) -> None:
        try:
            self._write_all(descriptor)
        except OSError as error:
            self._failed(f"{path}: {error.strerror or error}")
        finally:
            os.close(descriptor)

    def _write_all(self, descriptor: int) -> None:
        held: list[Record] = []
        holding = True
        while (batch := self._batch()) is not None:
            for record in batch:
                held.append(record)
                if holding and _completes_first_line(record):
                    holding = False
                    held[0] = _first_line(held[0], record)
            if not holding:
                data = b"".join(map(to_line, held))
                held.clear()
                while data:
                    data = data[os.write(descriptor, data) :]

    def _batch(self) -> list[Record] | None:
        """The records that came since the last batch, after a short wait for more; None at the end."""
        first = self._queue.get()
        if first is None:
            return None
        self._closing.wait(_BATCH_S)
        batch = [first]
        while not self._queue.empty():
            record = self._queue.get()
            if record is None:
                self._queue.put(None)  # for the next call
                break
            batch.append(record)
        return batch


def _completes_first_line(record: Record) -> bool:
    return isinstance(record, End) or (isinstance(record, Note) and record.name == "head")


def _first_line(meta: Record, head: Record) -> Record:
    assert isinstance(meta, Meta)
    learned = {}
    if isinstance(head, Note):
        learned = {"status": head.fields.get("status"), "response_headers": head.fields.get("headers")}
    return replace(meta, fields=scrub_meta({"format": FORMAT, **meta.fields, **learned}))


def _opened(path: str) -> int:
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)
    if os.fstat(descriptor).st_size:
        os.close(descriptor)
        raise FileExistsError("the file holds something already")
    return descriptor
