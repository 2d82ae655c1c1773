"""One question to the NVIDIA driver, asked repeatedly; remembers what can't be answered, keeps its pace."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tui.probes.pace import LONGEST_BACKOFF, Pace

# Codes of nvmlReturn_t.
UNINITIALIZED = 1
NOT_SUPPORTED = frozenset(
    {3, 13, 25, 26}
)  # not supported, no such function, wrong struct version, deprecated
NO_PERMISSION = 4
GPU_LOST, RESTARTED = "GPU lost", "NVIDIA driver restarted"
NOT_HERE, NOT_ALLOWED = "not supported here", "no permission"
NOT_NOW = frozenset({6, 21, 27})  # not found, no data, not ready: the last value stands
LOST = frozenset({15, 16, 28})  # lost, reset required, not found: the handle must not be used again


class CardGone(Exception):
    """The handle is worthless from now on; the message says why in words."""


def failures(nvml: Any) -> tuple[type[Exception], ...]:
    """What a call of the module can raise: its errors, one outside their class, a function it lacks."""
    return (nvml.NVMLError, nvml.NVMLLibraryMismatchError, AttributeError, ValueError)


def code_of(error: Exception) -> int:
    """The nvmlReturn_t of an error; an older module or driver counts as "not supported"."""
    return int(getattr(error, "value", 3))


class Metric:
    """A value of one card. `absent` is why there is none, `edge` that it is a counter wanted at phase edges.

    `answer` is the last value with the time it was read, one object so that other threads see both or none.
    """

    def __init__(self, ask: Callable[[], Any], every_ns: int, edge: bool = False) -> None:
        self._ask = ask
        self.every_ns = every_ns
        self.pace = Pace(every_ns, edge)
        self.answer: tuple[Any, int] | None = None
        self.absent = ""

    def refresh(self, nvml: Any, clock: Callable[[], int], edge: bool) -> None:
        """Ask when it is time, or at an edge. Raises CardGone; other failures concern this value alone."""
        start_ns = clock()
        if self.absent or not self.pace.due(start_ns, edge):
            return
        try:
            value = self._ask()
        except failures(nvml) as error:
            self._failed(code_of(error))
        else:
            self.answer = (value, (start_ns + clock()) // 2)
            self.pace.answered()
        every_ns = self.every_ns if self.answer else min(self.every_ns, LONGEST_BACKOFF)
        self.pace.plan(start_ns, clock(), every_ns)

    def _failed(self, code: int) -> None:
        if code in LOST:
            raise CardGone(GPU_LOST)
        if code == UNINITIALIZED:
            raise CardGone(RESTARTED)
        if code in NOT_SUPPORTED or code == NO_PERMISSION:
            self.answer, self.absent = None, NOT_ALLOWED if code == NO_PERMISSION else NOT_HERE
        elif code not in NOT_NOW:
            self.pace.failed()
