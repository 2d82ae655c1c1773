"""Machine samples on their way: to the running request's recording, and to the pressure shown always."""

from __future__ import annotations

from collections.abc import Callable
from urllib.parse import urlsplit

from tui.capture.orders import SampleOrder
from tui.domain.machine import reading_from
from tui.domain.pressure import Pressure, step
from tui.probes.sampler import Sampler

FAST_HZ = 10
IDLE_HZ = 1


class Machine:
    """Steers the sampler by what the request does; without a sampler everything here is quiet."""

    def __init__(self, sampler: Sampler | None) -> None:
        self._sampler = sampler
        self._told = ""
        self.pressure = Pressure()

    def watch(self, root: str) -> None:
        """Look for the process that serves this address."""
        parts = urlsplit(root)
        port = parts.port or (443 if parts.scheme == "https" else 80)
        if self._sampler is not None:
            self._sampler.watch(parts.hostname or "", port)

    def begin(self) -> None:
        self._told = ""
        if self._sampler is not None:
            self._sampler.rate(FAST_HZ)

    def end(self) -> None:
        if self._sampler is not None:
            self._sampler.mark()
            self._sampler.rate(IDLE_HZ)

    def mark(self) -> None:
        if self._sampler is not None:
            self._sampler.mark()

    def reached(self, word: str) -> None:
        """An extra reading at each edge between phases, so that counters can be split there."""
        if word != self._told:
            self._told = word
            self.mark()

    def drain(self, send: Callable[[SampleOrder], None], running: Callable[[], int | None]) -> bool:
        """Hand new readings on; True when there were any."""
        if self._sampler is None:
            return False
        readings = self._sampler.drain()
        for mono_ns, fields in readings:
            self.pressure = step(self.pressure, reading_from(mono_ns, fields), self._told == "decode")
            run_id = running()
            if run_id is not None:
                send(SampleOrder(fields, mono_ns, run_id))
        return bool(readings)

    def close(self) -> None:
        if self._sampler is not None:
            self._sampler.close()
