"""Waits for descriptors: with poll where the system has it, with select elsewhere (Windows, sockets only)."""

from __future__ import annotations

import select
import sys
from typing import Protocol

READ, WRITE = 1, 4  # the numbers that poll uses everywhere


class Poller(Protocol):
    """What `select.poll` gives."""

    def register(self, descriptor: int, events: int = ..., /) -> None:
        """Wait for it, too; for these events from now on when it was there already."""

    def poll(self, timeout_ms: float | None = ..., /) -> list[tuple[int, int]]:
        """Wait until some are ready, or broken; (descriptor, events) of each."""


class Selecting:
    """A poller for systems without poll."""

    def __init__(self) -> None:
        self._events: dict[int, int] = {}

    def register(self, descriptor: int, events: int = READ, /) -> None:
        self._events[descriptor] = events

    def poll(self, timeout_ms: float | None = None, /) -> list[tuple[int, int]]:
        reading = [it for it, events in self._events.items() if events & READ]
        writing = [it for it, events in self._events.items() if events & WRITE]
        timeout_s = None if timeout_ms is None else timeout_ms / 1000
        # a connection that failed is told among the exceptions, on Windows only there
        readable, writable, failed = select.select(reading, writing, writing, timeout_s)
        found = dict.fromkeys(readable, READ)
        for descriptor in (*writable, *failed):
            found[descriptor] = found.get(descriptor, 0) | WRITE
        return list(found.items())


def poller() -> Poller:
    """A new one, that waits for nothing yet."""
    return select.poll() if sys.platform != "win32" and hasattr(select, "poll") else Selecting()
