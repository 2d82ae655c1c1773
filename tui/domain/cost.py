"""What one phase cost the machine: CPU, GPU, memory, disk, stall and energy between its two edges.

A counter's growth is told when a reading lies near both edges (a tenth of the phase); the value at an edge is
interpolated between its neighbours. What can't be told is None.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from tui.domain.energy import energy
from tui.domain.flow import SECOND_NS, grown
from tui.domain.machine import Gpu, Reading

EDGE_SHARE = 0.1  # of the phase: how far the nearest reading may lie from an edge
CPU_SHORTEST_NS = SECOND_NS // 10  # the kernel counts CPU time in steps of 10 ms
GPU_WINDOW_NS = SECOND_NS  # a driver's utilisation is an average over up to this long
GPU_INSIDE = 0.8  # of a sample's window has to lie inside the phase


@dataclass(frozen=True, slots=True)
class PhaseCost:
    """The cost of one phase.

    `cpu_pct`: whole machine, 100 = one core. `gpu_pct`: mean of the server's GPUs, or with `gpu_at_least` the
    highest value seen (the phase was shorter than two windows of the driver). `energy_j`: GPU boards only,
    with `energy_about` when its error may be large.
    """

    name: str
    cpu_pct: float | None = None
    gpu_pct: float | None = None
    gpu_at_least: bool = False
    rss_delta_bytes: int | None = None
    read_bytes: int | None = None
    stall_ms: float | None = None
    energy_j: float | None = None
    energy_about: bool = False


Pick = Callable[[Reading], float | None]


def phase_cost(name: str, start_ns: int, end_ns: int, readings: Sequence[Reading]) -> PhaseCost:
    """The cost of a phase from `start_ns` to `end_ns`; `readings` in time order, in the same clock."""
    around = _around(start_ns, end_ns, readings)
    if end_ns <= start_ns or not around:
        return PhaseCost(name)
    pid = next((r.server.pid for r in reversed(around) if r.server), None)

    def edges(pick: Pick) -> tuple[float | None, float | None]:
        slack_ns = (end_ns - start_ns) * EDGE_SHARE
        return _at(start_ns, slack_ns, around, pick), _at(end_ns, slack_ns, around, pick)

    def of_server(field: str) -> tuple[float | None, float | None]:
        return edges(lambda r: getattr(r.server, field) if r.server and r.server.pid == pid else None)

    stall_us = grown(*edges(lambda r: r.stall_some_us))
    rss = of_server("rss_bytes")
    read = grown(*of_server("read_bytes"))
    gpu_pct, at_least = _gpu_pct(start_ns, end_ns, around)
    energy_j, about = _energy(start_ns, end_ns, around)
    return PhaseCost(
        name=name,
        cpu_pct=_cpu_pct(end_ns - start_ns, around[-1], edges),
        gpu_pct=gpu_pct,
        gpu_at_least=at_least,
        rss_delta_bytes=None if rss[0] is None or rss[1] is None else round(rss[1] - rss[0]),
        read_bytes=None if read is None else round(read),
        stall_ms=None if stall_us is None else stall_us / 1000,
        energy_j=energy_j,
        energy_about=about,
    )


def _around(start_ns: int, end_ns: int, readings: Sequence[Reading]) -> Sequence[Reading]:
    """The readings of the phase, and those of one GPU window and more on either side of it."""
    first = bisect_left(readings, start_ns - 2 * GPU_WINDOW_NS, key=lambda r: r.at_ns)
    last = bisect_right(readings, end_ns + 2 * GPU_WINDOW_NS, key=lambda r: r.at_ns)
    return readings[first:last]


def _at(at_ns: int, slack_ns: float, readings: Sequence[Reading], pick: Pick) -> float | None:
    """A value at one moment: between two neighbours by a straight line, beyond the ends the last one."""
    index = bisect_left(readings, at_ns, key=lambda r: r.at_ns)
    near = [(r.at_ns, v) for r in readings[max(index - 1, 0) : index + 1] if (v := pick(r)) is not None]
    if not near or min(abs(t - at_ns) for t, _ in near) > slack_ns:
        return None
    (t0, v0), (t1, v1) = near[0], near[-1]
    if not t0 < at_ns < t1:
        return min(near, key=lambda point: abs(point[0] - at_ns))[1]
    return v0 + (v1 - v0) * (at_ns - t0) / (t1 - t0)


def _cpu_pct(
    span_ns: int, last: Reading, edges: Callable[[Pick], tuple[float | None, float | None]]
) -> float | None:
    busy, total = grown(*edges(lambda r: r.cpu_busy_s)), grown(*edges(lambda r: r.cpu_total_s))
    if span_ns < CPU_SHORTEST_NS or busy is None or not total or not last.cpu_cores:
        return None
    return 100.0 * last.cpu_cores * min(busy / total, 1.0)


def working(reading: Reading) -> tuple[Gpu, ...]:
    """The GPUs the server works on: those that hold its memory, else the only one; none when unknown."""
    holding = tuple(gpu for gpu in reading.gpus if gpu.server_bytes)
    return holding or (reading.gpus if len(reading.gpus) == 1 else ())


def _samples(readings: Sequence[Reading]) -> Iterator[tuple[int, float]]:
    """Mean utilisation of the working GPUs with the time it was read, each driver reading once."""
    seen = None
    for reading in readings:
        gpus = [gpu for gpu in working(reading) if gpu.util_pct is not None and not gpu.reason]
        if gpus and (read_ns := reading.at_ns - max(gpu.age_ns for gpu in gpus)) != seen:
            seen = read_ns
            yield read_ns, sum(gpu.util_pct or 0.0 for gpu in gpus) / len(gpus)


def _gpu_pct(start_ns: int, end_ns: int, readings: Sequence[Reading]) -> tuple[float | None, bool]:
    """Mean and False; or "at least" and True; or None: the phase is shorter than one window."""
    inside = [
        pct
        for at_ns, pct in _samples(readings)
        if min(at_ns, end_ns) - max(at_ns - GPU_WINDOW_NS, start_ns) >= GPU_INSIDE * GPU_WINDOW_NS
    ]
    if not inside or end_ns - start_ns < GPU_WINDOW_NS:
        return None, False
    if end_ns - start_ns < 2 * GPU_WINDOW_NS:
        return max(inside), True
    return sum(inside) / len(inside), False


def _energy(start_ns: int, end_ns: int, readings: Sequence[Reading]) -> tuple[float | None, bool]:
    """Joules of the working GPUs, and whether they are only about right."""
    keys = [gpu.uuid for gpu in working(readings[-1])]
    each = [energy(start_ns, end_ns, readings, uuid) for uuid in keys]
    known = [one for one in each if one is not None]
    if not known or len(known) < len(each):
        return None, False
    return sum(joules for joules, _ in known), any(about for _, about in known)
