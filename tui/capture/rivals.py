"""Background requests beside a run, so that a queue and batching can be seen: sent before it, closed with it.

All of them are sent before the run's own request, so an engine that serves in order must work on them first:
with one slot the run waits for each rival, with several it shares the engine with those that have a slot.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from dataclasses import replace
from threading import Event, Lock, Thread

from tui.capture import reader
from tui.capture.cancel import Cancel
from tui.capture.orders import NONCE
from tui.capture.run import Run

SENT_WITHIN_S = 2.0
LEAD_S = 0.1  # so that the engine has taken them in before the run's own request comes
_LOOK_S = 0.05
_CLOSED_WITHIN_S = 0.5


class Rivals:
    """The background requests of one run. What they bring is counted and dropped; the run notes each step."""

    def __init__(self, run: Run) -> None:
        self._run = run
        self._lock = Lock()
        self._stopped = False
        self._cancels: set[Cancel] = set()
        self._threads: list[Thread] = []

    def start(self, wait: Callable[[float], bool]) -> None:
        """Send the first request of each, in order; `wait` sleeps, True at once when the run is cancelled.

        Returns when they are on their way, or after 2 s: an engine that lets nobody in is the run's to tell.
        """
        until_s = time.monotonic() + SENT_WITHIN_S
        for number, body in enumerate(self._run.order.rivals, start=1):
            sent = Event()
            work = Thread(target=self._work, args=(number, body, sent), daemon=True, name=f"rival-{number}")
            self._threads.append(work)
            work.start()
            while not sent.wait(_LOOK_S) and time.monotonic() < until_s:
                if wait(0):
                    return
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
        # knows the dialects of all engines: nothing that a reader without rivals should have to load
        from tui.capture.rival_request import RivalRequest

        while (cancel := self._next()) is not None:
            request = RivalRequest(number, self._run.note, cancel, sent.set)
            order = replace(
                self._run.order,
                body=body.replace(NONCE, os.urandom(4).hex()),
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
