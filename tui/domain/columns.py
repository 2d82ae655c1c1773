"""The readings of one request taken apart into columns, each once; a phase looks at a slice of them."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from operator import attrgetter

from tui.domain.boards import Board
from tui.domain.gpu_use import identity, working
from tui.domain.machine import Gpu, Reading
from tui.domain.shape import ModelShape
from tui.domain.throttle import Throttle, throttle

_GAUGES = ("util_pct", "power_w", "power_now_w", "sm_mhz", "sm_max_mhz")
_ASKED = attrgetter(*_GAUGES, "dram_pct", "age_ns", "activity_age_ns", "throttle_mask")


class Column:
    """One gauge: the first and the last reading that carried a value, when its driver read it, the value."""

    __slots__ = ("_taken", "_until", "read", "values")

    def __init__(self) -> None:
        self._taken: list[int] = []
        self._until: list[int] = []
        self.read: list[int] = []
        self.values: list[float] = []

    def add(self, taken_ns: int, read_ns: int, value: float) -> None:
        """Each value of the driver once, however many readings carry it."""
        if self.read and self.read[-1] == read_ns:
            self._until[-1] = taken_ns
            return
        self._taken.append(taken_ns)
        self._until.append(taken_ns)
        self.read.append(read_ns)
        self.values.append(value)

    def between(self, first_ns: int, last_ns: int) -> tuple[list[int], list[float]]:
        """(when read, value) of all that a reading taken in this time carried."""
        one = bisect_left(self._until, first_ns)
        other = bisect_right(self._taken, last_ns)
        return self.read[one:other], self.values[one:other]


Slow = tuple[int, int, tuple[tuple[int, Throttle | None], ...]]
"""The reasons of one reading: the oldest and the newest moment, and each GPU's (moment, worst reason)."""


class Columns:
    """`taken`: when each reading was made. `model`: the newest that was told. Gauges: means of the GPUs that
    work. `fine`: samples that the only working GPU's driver kept itself, at `fine_read`, told by the readings
    of `fine_taken`; `fine_ordered`: each is later than the one before.
    """

    def __init__(self, readings: Iterable[Reading] = ()) -> None:
        self.readings: list[Reading] = []
        self.taken: list[int] = []
        self.model: ModelShape | None = None
        self.gauges = {name: Column() for name in _GAUGES}
        self.dram = Column()
        self.windows = Column()  # each window of the driver's average by its length
        self.activity = Column()
        self.threads: dict[int, Column] = {}
        self.boards: dict[str, Board] = {}
        self.fine_taken: list[int] = []
        self.fine_read: list[int] = []
        self.fine: list[float] = []
        self.fine_ordered = True
        self.slow_taken: list[int] = []
        self.slow: list[Slow] = []
        self.extend(readings)

    def extend(self, readings: Iterable[Reading]) -> None:
        """Take in what came after the readings so far."""
        for reading in readings:
            self._add(reading)

    def goes_on(self, readings: Sequence[Reading]) -> bool:
        """Whether `readings` begin with those taken in."""
        seen = len(self.readings)
        return not seen or (seen <= len(readings) and readings[seen - 1] is self.readings[-1])

    def thinned_to(self, readings: Sequence[Reading]) -> bool:
        """Whether `readings` are a part of those taken in, from the first one to the last and beyond."""
        return (
            bool(self.readings and readings)
            and readings[0] is self.readings[0]
            and readings[-1].at_ns >= self.taken[-1]
        )

    def _add(self, reading: Reading) -> None:
        at_ns, server = reading.at_ns, reading.server
        self.readings.append(reading)
        self.taken.append(at_ns)
        self.model = reading.model or self.model
        if server is not None and server.thread_pct is not None:
            self.threads.setdefault(server.pid, Column()).add(at_ns, at_ns, server.thread_pct)
        if reading.gpus:
            self._add_gpus(at_ns, reading.gpus, working(reading))

    def _add_gpus(self, at_ns: int, gpus: Sequence[Gpu], used: Sequence[Gpu]) -> None:
        for n, gpu in enumerate(gpus):
            if not gpu.reason:
                name = identity(n, gpu)
                board = self.boards.get(name)
                if board is None:
                    board = self.boards[name] = Board()
                board.add(at_ns, gpu)
        window = max((gpu.util_window_ns or 0 for gpu in used), default=0)
        if window:
            self.windows.add(at_ns, window, window)
        activity = max((gpu.activity_ns or 0 for gpu in used), default=0)
        if activity:
            self.activity.add(at_ns, activity, activity)
        live = [gpu for gpu in used if not gpu.reason]
        if len(live) == 1:
            self._add_one(at_ns, live[0])
        elif live:
            self._add_several(at_ns, live)
        if len(used) == 1 and live and used[0].util_recent:
            self._add_fine(at_ns, used[0].util_recent)

    def _add_one(self, at_ns: int, gpu: Gpu) -> None:
        read_ns = at_ns - gpu.age_ns
        for name, column in self.gauges.items():
            value = getattr(gpu, name)
            if value is not None:
                column.add(at_ns, read_ns, float(value))
        if gpu.dram_pct is not None:
            self.dram.add(at_ns, at_ns - (gpu.activity_age_ns or gpu.age_ns), float(gpu.dram_pct))
        if gpu.throttle_mask is not None:
            self.slow_taken.append(at_ns)
            self.slow.append((read_ns, read_ns, ((read_ns, throttle(gpu.throttle_mask)),)))

    def _add_several(self, at_ns: int, live: Sequence[Gpu]) -> None:
        *told, dram, ages, activity_ages, masks = zip(*map(_ASKED, live), strict=True)
        for column, values in zip(self.gauges.values(), told, strict=True):
            _add_mean(column, at_ns, values, ages)
        if any(value is not None for value in dram):
            own = [one or other for one, other in zip(activity_ages, ages, strict=True)]
            _add_mean(self.dram, at_ns, dram, own)
        each = zip(ages, masks, strict=True)
        slow = tuple((at_ns - age_ns, throttle(mask)) for age_ns, mask in each if mask is not None)
        if slow:
            self.slow_taken.append(at_ns)
            self.slow.append((min(slow, key=_moment)[0], max(slow, key=_moment)[0], slow))

    def _add_fine(self, at_ns: int, recent: Sequence[tuple[int, float]]) -> None:
        new = sorted(((at_ns - age_ns, pct) for age_ns, pct in recent), key=lambda point: point[0])
        for read_ns, pct in new:
            later = not self.fine_read or read_ns > self.fine_read[-1]
            self.fine_ordered = self.fine_ordered and later
            self.fine_taken.append(at_ns)
            self.fine_read.append(read_ns)
            self.fine.append(pct)


def _moment(told: tuple[int, Throttle | None]) -> int:
    return told[0]


def _add_mean(column: Column, at_ns: int, values: Sequence[float | None], ages: Sequence[int]) -> None:
    """The mean of all GPUs that told the gauge, as old as the oldest of them."""
    told = [value for value in values if value is not None]
    if len(told) < len(values):
        ages = [age_ns for value, age_ns in zip(values, ages, strict=True) if value is not None]
    if told:
        column.add(at_ns, at_ns - max(ages), sum(told) / len(told))
