"""Values of the machine along a phase: counters at its edges, gauges whose window lies inside it."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Sequence

from tui.domain.flow import SECOND_NS, grown
from tui.domain.machine import Reading

EDGE_SHARE = 0.1  # of the phase: how far the nearest reading may lie from an edge
INSIDE = 0.8  # of a gauge's window has to lie inside the phase
MOST_READINGS = 1200  # of a phase are looked at for a gauge: two minutes of them all, of longer phases a part
NEAR_NS = 2 * SECOND_NS  # slow counters are read once a second: their readings lie this near to a moment

Pick = Callable[[Reading], float | None]
Age = Callable[[Reading], int]
Point = tuple[int, float]  # (when it was read in ns, value)


def around(start_ns: int, end_ns: int, margin_ns: int, readings: Sequence[Reading]) -> Sequence[Reading]:
    """The readings of a phase, and those of `margin_ns` on either side of it."""
    first = bisect_left(readings, start_ns - margin_ns, key=lambda r: r.at_ns)
    last = bisect_right(readings, end_ns + margin_ns, key=lambda r: r.at_ns)
    return readings[first:last]


def thinned(readings: Sequence[Reading]) -> Sequence[Reading]:
    """At most `MOST_READINGS`, evenly, with the last one: enough for gauges that average over a second."""
    step = -(-len(readings) // MOST_READINGS)
    return readings if step < 2 else readings[::-step][::-1]


def points(readings: Iterable[Reading], pick: Pick, age: Age | None = None) -> list[Point]:
    """What `pick` finds, by the time it was read: `age` before its reading. Each time once, in order."""
    found: dict[int, float] = {}
    for reading in readings:
        value = pick(reading)
        if value is not None:
            found.setdefault(reading.at_ns - (age(reading) if age else 0), value)
    return sorted(found.items())


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


def edges(
    start_ns: int, end_ns: int, readings: Sequence[Reading], pick: Pick, age: Age | None = None
) -> tuple[float | None, float | None]:
    """The value at both edges of a phase, None where no reading is near enough."""
    slack_ns = (end_ns - start_ns) * EDGE_SHARE
    first, last = (
        value_at(at_ns, slack_ns, points(around(at_ns, at_ns, NEAR_NS, readings), pick, age))
        for at_ns in (start_ns, end_ns)
    )
    return first, last


def growth(
    start_ns: int, end_ns: int, readings: Sequence[Reading], pick: Pick, age: Age | None = None
) -> float | None:
    """How much a counter grew in a phase; None when it can't be told."""
    return grown(*edges(start_ns, end_ns, readings, pick, age))


def change(start_ns: int, end_ns: int, readings: Sequence[Reading], pick: Pick) -> int | None:
    """How much a gauge rose in a phase, less than 0 when it fell."""
    first, last = edges(start_ns, end_ns, readings, pick)
    return None if first is None or last is None else round(last - first)


def inside(start_ns: int, end_ns: int, window_ns: int, known: Iterable[Point]) -> list[float]:
    """The values whose window, which ends when they were read, lies inside the phase but for a fifth."""
    return [
        value
        for at_ns, value in known
        if min(at_ns, end_ns) - max(at_ns - window_ns, start_ns) >= INSIDE * window_ns
    ]


def mean(values: Sequence[float]) -> float | None:
    """None of no values."""
    return sum(values) / len(values) if values else None
