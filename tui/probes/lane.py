"""A source with a thread of its own: one that hangs stops nothing but its own values."""

from __future__ import annotations

import threading
from collections.abc import Callable

from tui.probes.pace import SECOND

SILENT_NS = 10 * SECOND  # a call that takes longer: the source does not answer
BUSY_SHARE = 0.05  # of the time at most is spent in a source that keeps its own pace
LONGEST_PAUSE_S = 5.0
BROKEN = "its driver answers what nobody expects"


def no_answer(busy_ns: int, now_ns: int) -> str:
    """The words for a source that was asked at `busy_ns` and has not answered yet."""
    return f"no answer since {(now_ns - busy_ns) // SECOND} s"


class Paced:
    """A source that keeps its own pace: `step` is called again and again, `rate` times a second at most."""

    def __init__(self, name: str, step: Callable[[bool, bool], None], clock: Callable[[], int]) -> None:
        """`step(edge, idle)`: counters are wanted now; no request runs, once a second is enough."""
        self._name, self._step, self._clock = name, step, clock
        self._period_s = 1.0
        self._edge, self._wake = threading.Event(), threading.Event()
        self._busy_ns: int | None = None
        self._over = False
        self._failed = ""
        self.apart_ns = 0  # the last two steps, from start to start

    def start(self) -> None:
        """The thread is never joined: it ends with the process."""
        threading.Thread(target=self._run, name=self._name, daemon=True).start()

    def rate(self, hz: float) -> None:
        """Steps a second."""
        self._period_s = 1 / hz
        self._wake.set()

    def mark(self) -> None:
        """A step now: a phase begins or ends."""
        self._edge.set()
        self._wake.set()

    def silent(self, now_ns: int) -> str:
        """The words for a source that hangs or broke down, "" while it answers."""
        if self._failed:
            return self._failed
        busy_ns = self._busy_ns
        return no_answer(busy_ns, now_ns) if busy_ns is not None and now_ns - busy_ns > SILENT_NS else ""

    def alive(self) -> None:
        """Called within a step: an answer came, the next question is put now."""
        self._busy_ns = self._clock()

    def end(self) -> None:
        """Called within a step: nothing will ever come, the thread ends after it."""
        self._over = True

    def step(self) -> float:
        """One step; the seconds to wait before the next one."""
        start_ns = self._busy_ns = self._clock()
        edge = self._edge.is_set()
        self._edge.clear()
        self._step(edge, self._period_s >= 1)
        self._busy_ns = None
        took_s = (self._clock() - start_ns) / SECOND
        pause_s = max(self._period_s - took_s, min(took_s * (1 / BUSY_SHARE - 1), LONGEST_PAUSE_S))
        self.apart_ns = round((took_s + pause_s) * SECOND)
        return pause_s

    def _run(self) -> None:
        while not self._over:
            try:
                pause_s = self.step()
            except Exception as error:
                self._failed = f"{BROKEN} ({type(error).__name__})"
                return
            self._wake.wait(pause_s)
            self._wake.clear()
