"""What a recording has come to after any number of its records, without going through all of them again."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from tui.capture.live import Live
from tui.domain.machine import reading_from
from tui.domain.pressure import Pressure, step
from tui.domain.wire import Record, Sample

EVERY = 160
MOST = 80  # a copy holds the columns of all tokens before it, so long recordings have them farther apart


@dataclass(slots=True)
class Reached:
    """The request and the machine after the first `count` records; grows by `take`."""

    live: Live = field(default_factory=Live)
    pressure: Pressure = field(default_factory=Pressure)
    count: int = 0

    def take(self, record: Record) -> None:
        """The next record."""
        if isinstance(record, Sample):
            decoding = self.live.state.first_ns is not None
            self.pressure = step(self.pressure, reading_from(record.at_ns, record.fields), decoding)
        self.live.feed((record,))
        self.count += 1

    def copy(self) -> Reached:
        """One that grows for itself."""
        return Reached(self.live.copy(), self.pressure, self.count)


class Checkpoints:
    """Goes through all records once, keeping a copy now and then; `at` begins at the nearest one.

    whole: after all records. apart: records between two copies.
    """

    def __init__(self, records: Sequence[Record], watch: Callable[[Reached], None] | None = None) -> None:
        """`watch` sees what is reached after each record."""
        self._records = records
        self._kept = [Reached()]
        self.apart = EVERY
        self.whole = Reached()
        for record in records:
            self.whole.take(record)
            if watch is not None:
                watch(self.whole)
            if self.whole.count % self.apart == 0:
                self._keep()

    def at(self, count: int) -> Reached:
        """What is reached after the first `count` records, to be changed at will."""
        nearest = self._kept[min(count // self.apart, len(self._kept) - 1)]
        reached = nearest.copy()
        for record in self._records[reached.count : count]:
            reached.take(record)
        return reached

    def _keep(self) -> None:
        self._kept.append(self.whole.copy())
        if len(self._kept) > MOST:
            del self._kept[1::2]
            self.apart *= 2
