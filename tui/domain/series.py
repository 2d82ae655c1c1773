"""Values of the machine along a phase: counters at its edges, gauges whose window lies inside it."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from math import ceil

from tui.domain.flow import SECOND_NS
from tui.domain.machine import Reading

EDGE_SHARE = 0.1  # of the phase: how far the nearest reading may lie from an edge
INSIDE = 0.8  # of a gauge's window has to lie inside the phase
NEAR_NS = 2 * SECOND_NS  # slow counters are read once a second: their readings lie this near to a moment

Pick = Callable[[Reading], float | None]
Point = tuple[int, float]  # (when it was read in ns, value)


def around(start_ns: int, end_ns: int, margin_ns: int, readings: Sequence[Reading]) -> Sequence[Reading]:
    """The readings of a phase, and those of `margin_ns` on either side of it."""
    first = bisect_left(readings, start_ns - margin_ns, key=lambda r: r.at_ns)
    last = bisect_right(readings, end_ns + margin_ns, key=lambda r: r.at_ns)
    return readings[first:last]


@dataclass(frozen=True, slots=True)
class Edge:
    """One moment between the readings near to it: those before, newest first, and those from it on."""

    at_ns: int
    before: Sequence[Reading]
    behind: Sequence[Reading]

    def value(self, slack_ns: float, pick: Pick) -> float | None:
        """What `pick` finds at this moment; None when no reading lies within `slack_ns`."""
        known = [
            point for point in (_first(self.before, pick), _first(self.behind, pick)) if point is not None
        ]
        return value_at(self.at_ns, slack_ns, known)


def edge(at_ns: int, taken: Sequence[int], readings: Sequence[Reading]) -> Edge:
    """The edge at one moment; `taken`: when each of the readings was made."""
    first = bisect_left(taken, at_ns - NEAR_NS)
    middle = bisect_left(taken, at_ns)
    last = bisect_right(taken, at_ns + NEAR_NS)
    return Edge(at_ns, readings[first:middle][::-1], readings[middle:last])


def _first(readings: Sequence[Reading], pick: Pick) -> Point | None:
    for reading in readings:
        value = pick(reading)
        if value is not None:
            return reading.at_ns, value
    return None


def value_at(at_ns: int, slack_ns: float, known: Sequence[Point]) -> float | None:
    """A value at one moment: between two neighbours by a straight line, beyond the ends the last one.

    None when no reading lies within `slack_ns`.
    """
    index = bisect_left(known, at_ns, key=lambda point: point[0])
    near = known[max(index - 1, 0) : index + 1]
    if not near or min(abs(t - at_ns) for t, _ in near) > slack_ns:
        return None
    (t0, v0), (t1, v1) = near[0], near[-1]
    if not t0 < at_ns < t1:
        return min(near, key=lambda point: abs(point[0] - at_ns))[1]
    return v0 + (v1 - v0) * (at_ns - t0) / (t1 - t0)


def inside(
    start_ns: int, end_ns: int, window_ns: int, read: Iterable[int], values: Iterable[float]
) -> list[float]:
    """The values whose window, which ends when they were `read`, lies inside the phase but for a fifth."""
    least_ns = ceil(INSIDE * window_ns)
    if end_ns - start_ns < least_ns:
        return []
    first_ns, last_ns = start_ns + least_ns, end_ns + window_ns - least_ns
    return [value for at_ns, value in zip(read, values, strict=True) if first_ns <= at_ns <= last_ns]


def mean(values: Sequence[float]) -> float | None:
    """None of no values."""
    return sum(values) / len(values) if values else None
