"""Writes one recording: JSON Lines, in order, by an own thread, so that a slow disk delays no read."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterable
from dataclasses import replace
from queue import SimpleQueue
from threading import Event, Thread

from tui.capture.lines import to_line
from tui.capture.scrub import scrub_meta
from tui.domain.wire import FORMAT, End, Meta, Note, Record
from tui.settings import owned

_FLUSH_S = 3.0
_BATCH_S = 0.1  # writing each record at once would wake this thread for every token


class Recorder:
    """One file, created 0600, which must be absent or empty: OSError otherwise.

    Whoever kills the writer finds a recording: the first record is written at once, what follows within
    0.1 s. The first line holds status and response headers, so the few lines before the head are written
    once more when it came, by one write over the old ones. When the disk refuses, `failed` is called once
    with the reason (from the writer thread) and nothing more is written.
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
        opening: list[Record] | None = []  # all records so far, until the first line is complete
        wait_s = 0.0
        while (batch := self._batch(wait_s)) is not None:
            wait_s = _BATCH_S
            if opening is None:
                _write(descriptor, batch)
                continue
            known = bool(opening)
            opening += batch
            last = next((record for record in batch if _completes_first_line(record)), None)
            if last is not None or not known:
                opening[0] = _first_line(opening[0], last)
            if not _rewindable(descriptor):  # a pipe or a device takes each line once
                _write(descriptor, opening if last is not None else ())
            elif last is not None:
                _write(descriptor, opening, anew=True)
            else:
                _write(descriptor, batch if known else opening)
            opening = opening if last is None else None

    def _batch(self, wait_s: float) -> list[Record] | None:
        """The records that came since the last batch, after a short wait for more; None at the end."""
        first = self._queue.get()
        if first is None:
            return None
        self._closing.wait(wait_s)
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


def _rewindable(descriptor: int) -> bool:
    return stat.S_ISREG(os.fstat(descriptor).st_mode)


def _write(descriptor: int, records: Iterable[Record], anew: bool = False) -> None:
    """All of them; `anew`: from the beginning of the file, over shorter lines than these."""
    data = b"".join(map(to_line, records))
    if anew:
        os.lseek(descriptor, 0, os.SEEK_SET)
    while data:
        data = data[os.write(descriptor, data) :]


def _first_line(meta: Record, head: Record | None) -> Record:
    assert isinstance(meta, Meta)
    learned = {}
    if isinstance(head, Note):
        learned = {"status": head.fields.get("status"), "response_headers": head.fields.get("headers")}
    return replace(meta, fields=scrub_meta({"format": FORMAT, **meta.fields, **learned}))


def _opened(path: str) -> int:
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | owned.AS_IT_IS, 0o600)
    seen = os.fstat(descriptor)
    if seen.st_size or seen.st_nlink > 1:  # a second name: it is somebody's file
        os.close(descriptor)
        raise FileExistsError("the file holds something already")
    return descriptor
