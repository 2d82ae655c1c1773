"""Energy of one GPU between two moments, from its energy counter or, without one, from its power."""

from __future__ import annotations

from collections.abc import Sequence

from tui.domain.flow import SECOND_NS
from tui.domain.machine import Gpu, Reading

STEP_NS = SECOND_NS // 10  # the slowest counters seen move this often
SHORTEST_NS = SECOND_NS // 5  # the counter moves in steps of up to 100 ms: below this it tells nothing
EXACT_NS = SECOND_NS  # below this the steps are a visible part of the sum
NEAR_NS = 3 * SECOND_NS // 10  # a counter read further from an edge makes the sum uncertain
FAR_NS = 3 * SECOND_NS // 2  # and further than this it belongs to another time


def energy(start_ns: int, end_ns: int, readings: Sequence[Reading], uuid: str) -> tuple[float, bool] | None:
    """Joules of the board with this `uuid`, and whether they are only about right; None: can't be told.

    Counter: difference of its values at the edges, each moved by power x distance from where it was read.
    No counter: area under the power samples. A counter that went backwards (driver reloaded) tells nothing.
    """
    if end_ns - start_ns < SHORTEST_NS:
        return None
    seen = [(r.at_ns, gpu) for r in readings for gpu in r.gpus if gpu.uuid == uuid and not gpu.reason]
    counted = [gpu.energy_mj for _, gpu in seen if gpu.energy_mj is not None]
    if not counted:
        return _integrated(start_ns, end_ns, seen)
    first, last = _counter(start_ns, seen), _counter(end_ns, seen)
    if first is None or last is None or counted != sorted(counted):
        return None
    unsure = end_ns - start_ns < EXACT_NS or max(first[1], last[1]) > NEAR_NS
    return max(last[0] - first[0], 0.0), unsure


def edge_error_j(power_w: float, step_ns: int = STEP_NS) -> float:
    """Joules by which the counter may be off at one edge: power x the time between two of its steps."""
    return power_w * step_ns / SECOND_NS


def _counter(at_ns: int, seen: Sequence[tuple[int, Gpu]]) -> tuple[float, int] | None:
    """The counter at one moment in joules, and how far away it was read."""
    points = [(t - gpu.energy_age_ns, gpu) for t, gpu in seen if gpu.energy_mj is not None]
    read_ns, gpu = min(points, key=lambda point: abs(point[0] - at_ns), default=(at_ns + 2 * FAR_NS, Gpu()))
    if abs(read_ns - at_ns) > FAR_NS or gpu.energy_mj is None:
        return None
    drift_j = (gpu.power_w or 0.0) * (at_ns - read_ns) / SECOND_NS
    return gpu.energy_mj / 1000 + drift_j, abs(at_ns - read_ns)


def _integrated(start_ns: int, end_ns: int, seen: Sequence[tuple[int, Gpu]]) -> tuple[float, bool] | None:
    points = sorted({t - gpu.age_ns: gpu.power_w for t, gpu in seen if gpu.power_w is not None}.items())
    if len(points) < 2 or points[0][0] - start_ns > NEAR_NS or end_ns - points[-1][0] > NEAR_NS:
        return None
    times = [min(max(t, start_ns), end_ns) for t, _ in points]
    times[0], times[-1] = start_ns, end_ns
    watts = [w for _, w in points]
    area = sum(
        (t1 - t0) * (w0 + w1) / 2 for t0, t1, w0, w1 in zip(times, times[1:], watts, watts[1:], strict=False)
    )
    return area / SECOND_NS, True
