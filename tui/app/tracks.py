"""Gaps and load by column of the lane; worked out anew only where something changed."""

from __future__ import annotations

from collections.abc import Sequence

from tui.domain.flow import flow
from tui.domain.machine import Reading
from tui.domain.view import Track
from tui.plot.gaps import gap_peaks, largest_reads, reads_by_column
from tui.plot.lane import Lane

Sample = tuple[int, int, float]


class Gaps:
    """Largest gap and largest read of each column. Kept as long as the same reads fall into it."""

    def __init__(self) -> None:
        self._columns: object = None
        self._kept: dict[range, tuple[int, int]] = {}
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
        fresh = [column for column in columns if column and column not in self._kept]
        counted = bool(track.reads and arrivals.tokens[track.reads - 1])
        running = arrivals.tokens if counted else arrivals.messages
        peaks = gap_peaks(fresh, arrivals.at, arrivals.largest_gap, late_ns)
        most = largest_reads(fresh, running)
        known = {
            column: (-1 if peak is None else peak, count)
            for column, peak, count in zip(fresh, peaks, most, strict=True)
        }
        self._kept = {column: known.get(column) or self._kept[column] for column in columns if column}
        both = [self._kept.get(column, (-1, 0)) for column in columns]
        return [None if peak < 0 else peak for peak, _ in both], [count for _, count in both]


class LoadSeries:
    """The load of the GPU, or of the processor where there is none, as windows of time in percent."""

    def __init__(self) -> None:
        self.name = "cpu"
        self._readings: list[Reading] = []
        self._samples: list[Sample] = []

    def follow(self, readings: Sequence[Reading]) -> Sequence[Sample]:
        """All samples of `readings`; those that were there before are not looked at again."""
        seen = len(self._readings)
        if len(readings) < seen or (seen and readings[seen - 1] is not self._readings[-1]):
            self._readings, self._samples, seen = [], [], 0
        for reading in readings[seen:]:
            before = self._readings[-1] if self._readings else None
            sample = _sample(before, reading)
            if sample is not None:
                self._samples.append(sample)
            self._readings.append(reading)
        self.name = "gpu" if readings and readings[-1].gpus else "cpu"
        return self._samples


def _sample(before: Reading | None, reading: Reading) -> Sample | None:
    if before is None:
        return None
    if reading.gpus:
        use = max((gpu.util_pct for gpu in reading.gpus if gpu.util_pct is not None), default=None)
        return None if use is None else (before.at_ns, reading.at_ns, use)
    between = flow(before, reading)
    if between is None or between.cpu_busy_cores is None or not reading.cpu_cores:
        return None
    return before.at_ns, reading.at_ns, 100 * between.cpu_busy_cores / reading.cpu_cores
