"""Takes orders and hands out frames: a thread per stream, poll and fetch. The child is this and two pipes."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from functools import partial
from threading import Event, Lock, Thread
from typing import NamedTuple

from tui.capture import reader
from tui.capture.cancel import Cancel
from tui.capture.connection import Warmed, target
from tui.capture.failure import CaptureError, Kind
from tui.capture.fetcher import Fetcher
from tui.capture.frames import Frame, Item, Reply
from tui.capture.orders import (
    CancelOrder,
    FetchOrder,
    HushOrder,
    NoteOrder,
    Order,
    SampleOrder,
    StreamOrder,
    WarmOrder,
)
from tui.capture.rivals import Rivals
from tui.capture.run import Run
from tui.capture.stamps import keep_stamping
from tui.domain.wire import Note, Read
from tui.exhausted import exhausted

_END_S = 4.0


class _Stream(NamedTuple):
    """What a run under way can be ended with."""

    cancel: Cancel
    thread: Thread
    rivals: Rivals | None


class Desk:
    """Does orders. `put` gets every frame, from any thread; `busy` learns whether streams run."""

    def __init__(self, put: Callable[[Frame], None], busy: Callable[[bool], None] = lambda _: None) -> None:
        self._put = put
        self._busy = busy
        self._stamping = keep_stamping()
        self._warmed = Warmed()
        self._fetcher = Fetcher()
        self._lock = Lock()
        self._runs: dict[Run, _Stream] = {}

    def do(self, order: Order) -> None:
        """Start what the order asks for; returns at once. What can't be started is answered as failed."""
        try:
            self._do(order)
        except (OSError, RuntimeError) as error:  # no descriptor or no thread left; later there may be one
            told = exhausted(error) or str(error)
            if isinstance(order, FetchOrder):
                self._put(Reply(order.id, 0, (), b"", 0, str(Kind.OTHER), told))
            elif isinstance(order, StreamOrder):
                reader.fail(Run(replace(order, record=None), self._put), Kind.OTHER, told)

    def _do(self, order: Order) -> None:
        match order:
            case FetchOrder():
                _start("fetch", lambda: self._put(self._fetcher.fetch(order)))
            case StreamOrder():
                self._begin(order)
            case CancelOrder(run_id, how):
                for _, stream in self._running(run_id):
                    stream.cancel.set(how)
            case HushOrder(run_id):
                for _, stream in self._running(run_id):
                    if stream.rivals is not None:
                        stream.rivals.stop()
            case SampleOrder(fields, mono_ns, run_id):
                for run, _ in self._running(run_id):
                    run.sample(mono_ns, dict(fields))
            case NoteOrder(run_id, name, fields, mono_ns):
                for run, _ in self._running(run_id):
                    run.note(name, mono_ns, **fields)
            case WarmOrder():
                _start("warm", lambda: self._warm(order))

    def close(self) -> None:
        """Cancel what runs and wait (4 s at most) until it has ended, its recording included."""
        with self._lock:
            running = list(self._runs.values())
        for stream in running:
            stream.cancel.set()
        until_s = time.monotonic() + _END_S
        for stream in running:
            stream.thread.join(max(0.0, until_s - time.monotonic()))
        self._warmed.close()
        self._fetcher.close()
        self._stamping.close()

    def _begin(self, order: StreamOrder) -> None:
        cancel = Cancel()
        reached = {"head": Event(), "first": Event(), "end": Event()}

        def watch(frame: Frame) -> None:
            if not reached["first"].is_set():  # behind it every token would be looked at for nothing
                note(frame)
            self._put(frame)

        def note(frame: Frame) -> None:
            match frame:
                case Item(_, Note(_, "head")):
                    reached["head"].set()
                case Item(_, Read(_, data)) if not data.startswith(b":"):  # a comment is a sign of life only
                    reached["first"].set()

        def look(when: str, sleep: Callable[[float], object]) -> None:
            for one in order.looks:
                if one.when == when:
                    self._fetcher.look(one, run, lambda seconds: bool(sleep(seconds)))

        def hush() -> None:
            if rivals is not None:
                rivals.close()

        run = Run(order, watch, lambda: look("after", time.sleep), hush)
        rivals = Rivals(run) if order.rivals else None

        def read() -> None:
            look("before", cancel.wait)
            if rivals is not None:
                rivals.start(cancel.wait)
            reader.stream(run, cancel, self._warmed)
            for event in reached.values():
                event.set()
            with self._lock:
                del self._runs[run]
                self._busy(bool(self._runs))
            cancel.close()

        thread = Thread(target=read, daemon=True, name=f"stream-{order.id}")
        with self._lock:
            self._busy(True)
            self._runs[run] = _Stream(cancel, thread, rivals)
        try:
            thread.start()
        except RuntimeError:
            with self._lock:
                del self._runs[run]
                self._busy(bool(self._runs))
            cancel.close()
            raise
        for one in order.polls:
            with suppress(RuntimeError):  # the run goes on with what its stream tells
                _start("poll", partial(self._fetcher.poll, one, run, reached[one.until]))

    def _running(self, run_id: int | None) -> list[tuple[Run, _Stream]]:
        with self._lock:
            return [(run, stream) for run, stream in self._runs.items() if run_id in (None, run.order.id)]

    def _warm(self, order: WarmOrder) -> None:
        with suppress(CaptureError):  # the stream itself will say what is wrong
            self._warmed.open(target(order.url, order.ca_file, order.insecure))


def _start(name: str, work: Callable[[], None]) -> None:
    Thread(target=work, daemon=True, name=name).start()
