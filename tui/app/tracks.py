"""Gaps and load by column of the lane; worked out anew only where something changed."""

from __future__ import annotations

from collections.abc import Sequence

from tui.domain.flow import flow
from tui.domain.gpu_use import working
from tui.domain.machine import Gpu, Reading
from tui.domain.view import Track
from tui.plot.gaps import gap_peaks, largest_reads, reads_by_column
from tui.plot.lane import Lane

Sample = tuple[int, int, float]
_NOTHING = (None, 0)


class Gaps:
    """Largest gap and largest read of each column. Kept as long as the same reads fall into it."""

    def __init__(self) -> None:
        self._columns: object = None
        self._kept: dict[range, tuple[int | None, int]] = {}
        self._late = 0

    def by_column(
        self, lane: Lane, track: Track, late_ns: Sequence[int]
    ) -> tuple[list[int | None], list[int]]:
        """(largest gap in ns or None, most tokens of one read) of each column."""
        arrivals = track.columns
        if arrivals is not self._columns or len(late_ns) < self._late:
            self._columns, self._kept = arrivals, {}
        self._late = len(late_ns)
        columns = reads_by_column(lane, arrivals.at, track.reads)
        filled = [column for column in columns if column]
        fresh = [column for column in filled if column not in self._kept]
        counted = bool(track.reads and arrivals.tokens[track.reads - 1])
        running = arrivals.tokens if counted else arrivals.messages
        peaks = gap_peaks(fresh, arrivals.at, arrivals.largest_gap, late_ns)
        most = largest_reads(fresh, running)
        known = dict(zip(fresh, zip(peaks, most, strict=True), strict=True))
        self._kept = {column: known.get(column) or self._kept[column] for column in filled}
        both = [self._kept[column] if column else _NOTHING for column in columns]
        return [peak for peak, _ in both], [count for _, count in both]


class Followed:
    """Samples made of readings, each reading looked at once. A subclass says what it makes of one."""

    def __init__(self) -> None:
        self.name = ""
        self._readings: list[Reading] = []
        self._samples: list[Sample] = []

    def follow(self, readings: Sequence[Reading]) -> Sequence[Sample]:
        """All samples of `readings`; those that were there before are not looked at again."""
        seen = len(self._readings)
        if len(readings) < seen or (seen and readings[seen - 1] is not self._readings[-1]):
            self._readings, self._samples, seen = [], [], 0
        for reading in readings[seen:]:
            if self._readings:
                self._samples += self.made(self._readings[-1], reading)
            self._readings.append(reading)
        self.name = self.called(readings[-1] if readings else None)
        return self._samples

    def made(self, before: Reading, reading: Reading) -> Sequence[Sample]:
        """The samples that a reading brings; `before` is the one before it."""
        raise NotImplementedError

    def called(self, latest: Reading | None) -> str:
        """The name of the lane."""
        raise NotImplementedError


class LoadSeries(Followed):
    """The load of the GPU, or of the processor where there is none, as windows of time in percent."""

    def called(self, latest: Reading | None) -> str:
        return "gpu" if latest is not None and latest.gpus else "cpu"

    def made(self, before: Reading, reading: Reading) -> Sequence[Sample]:
        if reading.gpus:
            return _use(before, reading)
        between = flow(before, reading)
        if between is None or between.cpu_busy_cores is None or not reading.cpu_cores:
            return ()
        return ((before.at_ns, reading.at_ns, 100 * between.cpu_busy_cores / reading.cpu_cores),)


class SecondSeries(Followed):
    """What stands below the load where there is room: the GPU's power of its limit, else the RAM in use."""

    def called(self, latest: Reading | None) -> str:
        return "power" if latest is not None and any(map(_power, _shown(latest))) else "RAM"

    def made(self, before: Reading, reading: Reading) -> Sequence[Sample]:
        shares = [share for gpu in _shown(reading) if (share := _power(gpu)) is not None]
        if shares:
            return ((before.at_ns, reading.at_ns, sum(shares) / len(shares)),)
        total, free = reading.ram_total_bytes, reading.ram_available_bytes
        if not total or free is None or reading.gpus:
            return ()
        return ((before.at_ns, reading.at_ns, 100 - 100 * free / total),)


def _shown(reading: Reading) -> tuple[Gpu, ...]:
    """The server's GPUs, all of them while they are not known."""
    return working(reading) or reading.gpus


def _power(gpu: Gpu) -> float | None:
    watts = gpu.power_w if gpu.power_now_w is None else gpu.power_now_w
    if watts is None or not gpu.power_limit_w or gpu.reason or gpu.stale:
        return None
    return 100 * watts / gpu.power_limit_w


def _use(before: Reading, reading: Reading) -> Sequence[Sample]:
    """Each value over the time that the driver averaged it; its own finer samples where it keeps some."""
    gpus = [gpu for gpu in _shown(reading) if gpu.util_pct is not None and not gpu.reason and not gpu.stale]
    if not gpus:
        return ()
    if len(gpus) == 1 and gpus[0].util_recent:
        ends = sorted((reading.at_ns - age_ns, pct) for age_ns, pct in gpus[0].util_recent)
        step_ns = gpus[0].util_window_ns or reading.at_ns - before.at_ns
        return [(end_ns - step_ns, end_ns, pct) for end_ns, pct in ends]
    if working(reading):
        pct = sum(gpu.util_pct or 0.0 for gpu in gpus) / len(gpus)
    else:
        pct = max(gpu.util_pct or 0.0 for gpu in gpus)
    window_ns = max((gpu.util_window_ns or 0 for gpu in gpus), default=0)
    end_ns = reading.at_ns - max(gpu.age_ns for gpu in gpus)
    return ((end_ns - (window_ns or reading.at_ns - before.at_ns), end_ns, pct),)
