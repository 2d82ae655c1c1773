"""One run's records: turned to its time zero, cleaned of secrets, handed on and recorded in one order."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from threading import Condition, Lock

from tui.capture.echo import Veil
from tui.capture.frames import Item, Mark
from tui.capture.orders import StreamOrder
from tui.capture.recoded import Recoded, coding_of
from tui.capture.recorder import Recorder
from tui.capture.scrub import scrub_headers, scrub_meta
from tui.domain.wire import FORMAT, End, Meta, Note, Poll, Read, Record, Sample

_LAST_SAMPLE_S = 0.25
Emit = Callable[[Item | Mark], None]


class Run:
    """Takes what happened, by any thread, in monotonic times. What came before zero is known waits for it."""

    def __init__(
        self,
        order: StreamOrder,
        emit: Emit,
        afterwards: Callable[[], None] = lambda: None,
        ending: Callable[[], None] = lambda: None,
    ) -> None:
        """`ending` is called first of all when the stream ended, however it did; `afterwards` when it ended
        by itself, before the End is emitted.
        """
        self.order = order
        self._afterwards = afterwards
        self._ending = ending
        self.zero_ns: int | None = None
        self.ended = False
        self._over = False
        self._emit = emit
        self._lock = Lock()
        self._sampling = Condition()
        self._sampled_ns: int | None = None  # when the newest sample was taken
        self._early: list[Record] = []
        self._veil = Veil(order.headers)
        self._recoded: Recoded | None = None
        self._last_read: Read | None = None
        self._recorder: Recorder | None = None
        if order.record is not None:
            self._record(order.record)
        self._hand_on(Meta(self._veil.words(scrub_meta({"format": FORMAT, **order.meta}))))

    def connecting(self, mono_ns: int) -> None:
        """A connection is being opened: known before zero is."""
        self._emit(Mark(self.order.id, "connecting", mono_ns))

    def begin(self, zero_ns: int) -> None:
        """Time zero is known: hand on what waited for it. Only the first call counts."""
        with self._lock:
            if self.zero_ns is not None:
                return
            self.zero_ns = zero_ns
            self._emit(Mark(self.order.id, "sent", zero_ns))
            for record in sorted(self._early, key=_at_ns):  # a warm connection stood before a last look
                self._hand_on(_shifted(record, zero_ns))
            self._early.clear()

    def note(self, name: str, mono_ns: int | None = None, /, **fields: object) -> None:
        """Something the client did or learned."""
        at_ns = time.monotonic_ns() if mono_ns is None else mono_ns
        self._add(Note(at_ns, name, self._veil.words(fields)))

    def head(self, mono_ns: int, status: int, headers: list[tuple[str, str]]) -> None:
        """Status and headers arrived."""
        if self._veil.active and (coding := coding_of(headers)):
            self._recoded = Recoded(coding, self._veil.streamed, self._veil.rest)
        self.note("head", mono_ns, status=status, headers=scrub_headers(headers))

    def sample(self, mono_ns: int, fields: dict[str, object]) -> None:
        """A machine sample."""
        with self._sampling:
            self._sampled_ns = mono_ns
            self._sampling.notify_all()
        self._add(Sample(mono_ns, fields))

    def poll(self, mono_ns: int, path: str, status: int, body: bytes, took_ns: int) -> None:
        """The answer to a side observation."""
        self._add(Poll(mono_ns, path, status, self._veil.hidden(body), took_ns))

    def read(self, at_ns: int, data: bytes, floor_ns: int, recv_ns: int, kernel: bool) -> None:
        """One read of the body."""
        data = self._veil.streamed(data) if self._recoded is None else self._recoded.read(data)
        with self._lock:
            if not self.ended:
                zero_ns = self.zero_ns or 0  # known: nothing is read before the request was sent
                read = Read(at_ns - zero_ns, data, floor_ns - zero_ns, recv_ns - zero_ns, kernel)
                self._last_read = read
                if data:
                    self._hand_on(read)

    def end(self, how: str, detail: str = "", mono_ns: int | None = None) -> None:
        """The run is over; only the first call counts. The recording is whole before the End is emitted."""
        now_ns = time.monotonic_ns() if mono_ns is None else mono_ns
        self._ending()
        self.begin(now_ns)
        if how in ("eof", "hang"):
            self._afterwards()
        if how == "eof" and self._sampled_ns is not None:
            self._await_sample(now_ns)
        with self._lock:
            if self.ended:
                return
            self.ended = True
            rest = self._veil.rest() if self._recoded is None else self._recoded.end()
            if rest and self._last_read is not None:
                self._hand_on(replace(self._last_read, data=rest))
            end = _shifted(End(now_ns, how, self._veil.words(detail)), self.zero_ns or 0)
            recorder = self._recorder
        if recorder is not None:
            recorder.put(end)
            recorder.close()
        with self._lock:
            self._over = True
            self._emit(Item(self.order.id, end))

    def _await_sample(self, ended_ns: int) -> None:
        """What the machine did up to the end is told by a sample taken after it, a moment later."""
        with self._sampling:
            self._sampling.wait_for(lambda: (self._sampled_ns or 0) >= ended_ns, _LAST_SAMPLE_S)

    def _record(self, path: str) -> None:
        try:
            self._recorder = Recorder(path, self._recording_failed)
        except (OSError, RuntimeError) as error:  # the latter: there is no thread to be had
            self._recording_failed(f"{path}: {getattr(error, 'strerror', None) or error}")

    def _add(self, record: Record) -> None:
        with self._lock:
            if not self.ended:
                self._place(record)

    def _place(self, record: Record) -> None:
        if self.zero_ns is None:
            self._early.append(record)
        else:
            self._hand_on(_shifted(record, self.zero_ns))

    def _hand_on(self, record: Record) -> None:
        self._emit(Item(self.order.id, record))
        if self._recorder is not None:
            self._recorder.put(record)

    def _recording_failed(self, reason: str) -> None:
        with self._lock:
            self._recorder = None
            if not self._over:
                self._place(Note(time.monotonic_ns(), "recording_failed", {"reason": reason}))


def _at_ns(record: Record) -> int:
    return 0 if isinstance(record, Meta) else record.at_ns


def _shifted(record: Record, zero_ns: int) -> Record:
    return record if isinstance(record, Meta) else replace(record, at_ns=record.at_ns - zero_ns)
