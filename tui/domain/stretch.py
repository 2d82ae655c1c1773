"""The readings around one phase: what counters of system, server and bus grew by, and what gauges told."""

from __future__ import annotations

from collections.abc import Sequence

from tui.domain.flow import SECOND_NS
from tui.domain.gpu_use import WINDOW_NS, Band, gauges, working
from tui.domain.machine import Gpu, Reading, Server
from tui.domain.series import Pick, change, growth, inside, mean, points, thinned

CPU_SHORTEST_NS = SECOND_NS // 10  # the kernel counts CPU time in steps of 10 ms


class Stretch:
    """The readings around one phase, and what they say about it."""

    def __init__(self, start_ns: int, end_ns: int, near: Sequence[Reading]) -> None:
        self._start_ns, self._end_ns, self._near = start_ns, end_ns, near
        self._pid = next((r.server.pid for r in reversed(near) if r.server), None)

    def _of_server(self, field: str) -> Pick:
        def pick(reading: Reading) -> float | None:
            server = self._server(reading)
            return getattr(server, field) if server else None

        return pick

    def _server(self, reading: Reading) -> Server | None:
        server = reading.server
        return server if server is not None and server.pid == self._pid else None

    def _growth(self, pick: Pick) -> float | None:
        return growth(self._start_ns, self._end_ns, self._near, pick)

    def _system(self, field: str) -> float | None:
        return self._growth(lambda reading: getattr(reading, field))

    def _per_s(self, grew: float | None) -> float | None:
        return None if grew is None else grew * SECOND_NS / (self._end_ns - self._start_ns)

    def server_growth(self, field: str) -> int | None:
        grew = self._growth(self._of_server(field))
        return None if grew is None else round(grew)

    def server_per_s(self, field: str) -> float | None:
        return self._per_s(self._growth(self._of_server(field)))

    def fetched(self) -> int | None:
        """Bytes that the server got from disk; macOS tells those of its faults alone."""
        read = self.server_growth("read_bytes")
        return self.server_growth("pagein_bytes") if read is None else read

    def fetched_per_s(self) -> float | None:
        return self._per_s(self.fetched())

    def system_per_s(self, field: str) -> float | None:
        return self._per_s(self._system(field))

    def server_change(self, field: str) -> int | None:
        return change(self._start_ns, self._end_ns, self._near, self._of_server(field))

    def stalled_ms(self, field: str) -> float | None:
        us = self._system(field)
        return None if us is None else us / 1000

    def cpu_pct(self) -> float | None:
        busy, total = self._system("cpu_busy_s"), self._system("cpu_total_s")
        cores = self._near[-1].cpu_cores
        if self._end_ns - self._start_ns < CPU_SHORTEST_NS or busy is None or not total or not cores:
            return None
        return 100.0 * cores * min(busy / total, 1.0)

    def server_cpu_pct(self) -> float | None:
        if self._end_ns - self._start_ns < CPU_SHORTEST_NS:
            return None
        per_s = self.server_per_s("cpu_s")
        return None if per_s is None else 100.0 * per_s

    def thread_pct(self) -> float | None:
        told = points(thinned(self._near), self._of_server("thread_pct"))
        return mean(inside(self._start_ns, self._end_ns, WINDOW_NS, told))

    def limit_w(self) -> float | None:
        """The limits of all working GPUs together."""
        limits = [gpu.power_limit_w for gpu in working(self._near[-1])]
        known = [limit for limit in limits if limit is not None]
        return sum(known) if known and len(known) == len(limits) else None

    def mean_mhz(self, field: str) -> float | None:
        told = gauges(self._near, lambda gpu: getattr(gpu, field), lambda gpu: gpu.age_ns)
        return mean([mhz for at_ns, mhz in told if self._start_ns <= at_ns <= self._end_ns])

    def each_gpu(self, whole: Band) -> tuple[float, ...]:
        """The mean use of each of several working GPUs; empty in a phase too short for their gauges."""
        gpus = working(self._near[-1])
        if len(gpus) < 2 or whole.mean is None or whole.at_least:
            return ()
        means = [mean(self._use_of(gpu.uuid, whole.window_ns)) for gpu in gpus]
        known = tuple(one for one in means if one is not None)
        return known if len(known) == len(means) else ()

    def _use_of(self, uuid: str, window_ns: int) -> list[float]:
        told = [
            (reading.at_ns - gpu.age_ns, gpu.util_pct)
            for reading in thinned(self._near)
            for gpu in reading.gpus
            if gpu.uuid == uuid and gpu.util_pct is not None and not gpu.reason
        ]
        return inside(self._start_ns, self._end_ns, window_ns, told)

    def bus_per_s(self, field: str) -> float | None:
        """Bytes per second over the bus, all working GPUs together."""
        uuids = [gpu.uuid for gpu in working(self._near[-1])]
        each = [self._per_s(self._bus_of(uuid, field)) for uuid in uuids]
        known = [one for one in each if one is not None]
        return sum(known) if known and len(known) == len(each) else None

    def _bus_of(self, uuid: str, field: str) -> float | None:
        def gpu(reading: Reading) -> Gpu:
            return next((one for one in reading.gpus if one.uuid == uuid and not one.reason), Gpu())

        def age(reading: Reading) -> int:
            one = gpu(reading)
            return one.energy_age_ns if one.pcie_age_ns is None else one.pcie_age_ns

        def pick(reading: Reading) -> float | None:
            value: float | None = getattr(gpu(reading), field)
            return value

        return growth(self._start_ns, self._end_ns, self._near, pick, age)


def vram_used(reading: Reading) -> float | None:
    """What the server holds on its GPUs, else what is in use there."""
    gpus = [gpu for gpu in working(reading) if not gpu.reason]
    if not gpus:
        return None
    own = [gpu.server_bytes for gpu in gpus]
    held = own if all(one is not None for one in own) else [gpu.mem_used_bytes for gpu in gpus]
    known = [one for one in held if one is not None]
    return sum(known) if len(known) == len(held) else None


def ram_used(reading: Reading) -> float | None:
    """RAM that is not available to programs, bytes."""
    if reading.ram_total_bytes is None or reading.ram_available_bytes is None:
        return None
    return reading.ram_total_bytes - reading.ram_available_bytes
