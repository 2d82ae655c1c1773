"""Background requests beside a run, so that a queue and batching can be seen: sent before it, closed with it.

All of them are sent before the run's own request, so an engine that serves in order must work on them first:
with one slot the run waits for each rival, with several it shares the engine with those that have a slot.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable
from dataclasses import replace
from threading import Event, Lock, Thread
from typing import TYPE_CHECKING

from tui.capture import reader
from tui.capture.cancel import Cancel
from tui.capture.frames import Item, Mark
from tui.capture.orders import NONCE
from tui.capture.run import Run
from tui.domain.events import Done, Generated
from tui.domain.rivals import Step
from tui.domain.wire import End, Read, Record

if TYPE_CHECKING:
    from tui.engines.decoder import Decoder

SENT_WITHIN_S = 2.0
LEAD_S = 0.1  # so that the engine has taken them in before the run's own request comes
# Once a rival writes, its reads are collected: each one would cost the run's own reader a turn.
PACE_S = 0.1
_CLOSED_WITHIN_S = 0.5


class Rivals:
    """The background requests of one run. What they bring is counted and dropped; the run notes each step."""

    def __init__(self, run: Run) -> None:
        self._run = run
        self._lock = Lock()
        self._stopped = False
        self._cancels: set[Cancel] = set()
        self._threads: list[Thread] = []

    def start(self, wait: Callable[[float], object]) -> None:
        """Send the first request of each; returns when they are on their way. `wait` sleeps, or is woken."""
        sent: list[Event] = []
        for number, body in enumerate(self._run.order.rivals, start=1):
            sent.append(Event())
            work = Thread(
                target=self._work, args=(number, body, sent[-1]), daemon=True, name=f"rival-{number}"
            )
            self._threads.append(work)
            work.start()
        until_s = time.monotonic() + SENT_WITHIN_S
        for one in sent:
            one.wait(max(0.0, until_s - time.monotonic()))
        wait(LEAD_S)

    def stop(self) -> None:
        """Close their connections; no new one follows. Returns at once, and may be called again."""
        with self._lock:
            self._stopped = True
            for cancel in self._cancels:
                cancel.set()

    def close(self) -> None:
        """Stop them, and wait (0.5 s at most) until their last steps are noted."""
        self.stop()
        until_s = time.monotonic() + _CLOSED_WITHIN_S
        for work in self._threads:
            work.join(max(0.0, until_s - time.monotonic()))

    def _work(self, number: int, body: str, sent: Event) -> None:
        """One request after the other, until it is stopped or one brought nothing."""
        while (cancel := self._next()) is not None:
            request = _Request(number, self._run.note, cancel, sent.set)
            order = replace(
                self._run.order,
                body=body.replace(NONCE, secrets.token_hex(4)),
                record=None,
                rivals=(),
                polls=(),
                looks=(),
                timeout_s=None,
            )
            reader.stream(Run(order, request.take), cancel)
            with self._lock:
                self._cancels.discard(cancel)
            cancel.close()
            sent.set()
            if not request.chunks:
                return

    def _next(self) -> Cancel | None:
        """What ends the next request; None when none may follow."""
        with self._lock:
            if self._stopped:
                return None
            cancel = Cancel()
            self._cancels.add(cancel)
            return cancel


class _Request:
    """Counts what one background request brings, and tells the run its steps."""

    def __init__(
        self, number: int, note: Callable[..., None], cancel: Cancel, sent: Callable[[], None]
    ) -> None:
        self.chunks = 0
        self._number = number
        self._note = note
        self._cancel = cancel
        self._sent = sent
        self._zero_ns = 0
        self._last_ns = 0
        self._decoder: Decoder | None = None

    def take(self, frame: Item | Mark) -> None:
        """What the reader hands on."""
        match frame:
            case Mark(name="sent", mono_ns=mono_ns):
                self._zero_ns = mono_ns
                self._tell("sent", 0)
                self._sent()
            case Item(record=record):
                self._record(record)

    def _record(self, record: Record) -> None:
        if self._decoder is None:
            # the dialects of all engines: nothing that a reader without rivals should have to load
            from tui.engines.registry import decoder_for

            self._decoder = decoder_for(getattr(record, "fields", {}))  # the first record is the Meta
        events = self._decoder.decode(record)
        texts = sum(isinstance(event, Generated) for event in events)
        if texts and isinstance(record, Read):
            if not self.chunks:
                self._tell("first", record.at_ns)
            self.chunks += texts
            self._last_ns = record.at_ns
        if isinstance(record, End):
            if self.chunks:
                self._tell("last", self._last_ns, chunks=self.chunks)
            self._tell("ended", record.at_ns, how=record.how)
        elif any(isinstance(event, Done) for event in events):
            self._cancel.set("hang")  # a server that keeps the connection open has nothing more to say
        elif texts:
            self._cancel.wait(PACE_S)

    def _tell(self, step: Step, at_ns: int, **more: object) -> None:
        self._note("rival", self._zero_ns + at_ns, rival=self._number, step=step, **more)
