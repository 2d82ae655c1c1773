"""Energy of one GPU between two moments, from its energy counter or, without one, from its power."""

from __future__ import annotations

from bisect import bisect_left, bisect_right

from tui.domain.band import Span
from tui.domain.boards import Board
from tui.domain.flow import SECOND_NS

SHORTEST_NS = SECOND_NS // 5  # the counter moves in steps of up to 100 ms: below this it tells nothing
EXACT_NS = SECOND_NS  # below this the steps are a visible part of the sum
NEAR_NS = 3 * SECOND_NS // 10  # a counter read further from an edge makes the sum uncertain
FAR_NS = 3 * SECOND_NS // 2  # and further than this it belongs to another time


def energy(span: Span, board: Board) -> tuple[float, bool] | None:
    """Joules of one board in a phase, and whether they are only about right; None: can't be told.

    Counter: difference of its values at the edges, each moved by power x distance from where it was read.
    A counter that went backwards (driver reloaded) tells nothing. No counter: area under the power samples.
    What a chip reckons of itself is never more than about right.
    """
    if span.end_ns - span.start_ns < SHORTEST_NS:
        return None
    one = bisect_left(board.counted_taken, span.first_ns)
    other = bisect_right(board.counted_taken, span.last_ns)
    if one == other:
        return _integrated(span, board)
    first, last = (_counter(at_ns, board, one, other) for at_ns in (span.start_ns, span.end_ns))
    fell = bisect_left(board.drops, other) > bisect_right(board.drops, one)
    if first is None or last is None or fell:
        return None
    unsure = span.end_ns - span.start_ns < EXACT_NS or max(first[1], last[1]) > NEAR_NS
    return max(last[0] - first[0], 0.0), unsure or board.modelled


def _counter(at_ns: int, board: Board, one: int, other: int) -> tuple[float, int] | None:
    """The counter at one moment in joules, by its values `one` to `other`, and how far away it was read."""
    if board.counted_ordered:
        middle = bisect_left(board.counted, at_ns, one, other, key=_read)
        # of several that carry the value read last before it, the first one tells its power
        one = bisect_left(board.counted, _read(board.counted[max(middle - 1, one)]), one, other, key=_read)
        other = min(middle + 1, other)
    points = board.counted[one:other]
    read_ns, energy_mj, power_w = min(points, key=lambda point: abs(_read(point) - at_ns))
    if abs(read_ns - at_ns) > FAR_NS:
        return None
    return energy_mj / 1000 + power_w * (at_ns - read_ns) / SECOND_NS, abs(at_ns - read_ns)


def _read(point: tuple[int, int, float]) -> int:
    return point[0]


def _integrated(span: Span, board: Board) -> tuple[float, bool] | None:
    one = bisect_left(board.powers_taken, span.first_ns)
    other = bisect_right(board.powers_taken, span.last_ns)
    points = sorted(dict(board.powers[one:other]).items())
    start_ns, end_ns = span.start_ns, span.end_ns
    if len(points) < 2 or points[0][0] - start_ns > NEAR_NS or end_ns - points[-1][0] > NEAR_NS:
        return None
    times = [min(max(t, start_ns), end_ns) for t, _ in points]
    times[0], times[-1] = start_ns, end_ns
    watts = [w for _, w in points]
    area = sum(
        (t1 - t0) * (w0 + w1) / 2 for t0, t1, w0, w1 in zip(times, times[1:], watts, watts[1:], strict=False)
    )
    return area / SECOND_NS, True
