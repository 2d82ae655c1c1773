"""The readings around one phase: what counters of system, server and bus grew by, and what gauges told."""

from __future__ import annotations

from bisect import bisect_left, bisect_right

from tui.domain.band import Band, Span
from tui.domain.boards import Board, bus_age
from tui.domain.columns import Columns
from tui.domain.flow import SECOND_NS, grown
from tui.domain.gpu_use import WINDOW_NS, identity, working
from tui.domain.machine import Reading, Server
from tui.domain.series import EDGE_SHARE, Pick, edge, inside, mean

CPU_SHORTEST_NS = SECOND_NS // 10  # the kernel counts CPU time in steps of 10 ms
AROUND_NS = 2 * WINDOW_NS  # readings on either side of a phase count this far from it


class Stretch:
    """The readings around one phase, and what they say about it. There has to be one: see `there`."""

    def __init__(self, start_ns: int, end_ns: int, columns: Columns) -> None:
        self.span = Span(start_ns, end_ns, start_ns - AROUND_NS, end_ns + AROUND_NS)
        self._columns = columns
        first = bisect_left(columns.taken, self.span.first_ns)
        last = bisect_right(columns.taken, self.span.last_ns)
        self.near = columns.readings[first:last]
        self._pid = next((r.server.pid for r in reversed(self.near) if r.server), None)
        self._edges = [edge(at_ns, columns.taken, columns.readings) for at_ns in (start_ns, end_ns)]

    @property
    def there(self) -> bool:
        """Whether the phase has a length, and readings."""
        return self.span.end_ns > self.span.start_ns and bool(self.near)

    def boards(self) -> list[Board]:
        """The GPUs that work by the newest reading; one that never answered tells nothing."""
        last = self.near[-1]
        ours = {id(gpu) for gpu in working(last)}
        return [
            self._columns.boards.get(identity(n, gpu)) or Board()
            for n, gpu in enumerate(last.gpus)
            if id(gpu) in ours
        ]

    def all_answer(self) -> bool:
        """Whether no driver of a working GPU fell silent in the phase: their sums would leave one out."""
        span = self.span
        inside_it = [reading for reading in self.near if span.start_ns <= reading.at_ns <= span.end_ns]
        return not any(gpu.reason for reading in inside_it for gpu in working(reading))

    def _of_server(self, field: str) -> Pick:
        def pick(reading: Reading) -> float | None:
            server = self._server(reading)
            return getattr(server, field) if server else None

        return pick

    def _server(self, reading: Reading) -> Server | None:
        server = reading.server
        return server if server is not None and server.pid == self._pid else None

    def _at_edges(self, pick: Pick) -> tuple[float | None, float | None]:
        slack_ns = (self.span.end_ns - self.span.start_ns) * EDGE_SHARE
        first, last = (one.value(slack_ns, pick) for one in self._edges)
        return first, last

    def _growth(self, pick: Pick) -> float | None:
        return grown(*self._at_edges(pick))

    def change(self, pick: Pick) -> int | None:
        """How much a gauge rose in the phase, less than 0 when it fell."""
        first, last = self._at_edges(pick)
        return None if first is None or last is None else round(last - first)

    def _system(self, field: str) -> float | None:
        return self._growth(lambda reading: getattr(reading, field))

    def _per_s(self, grew: float | None) -> float | None:
        return None if grew is None else grew * SECOND_NS / (self.span.end_ns - self.span.start_ns)

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
        return self.change(self._of_server(field))

    def stalled_ms(self, field: str) -> float | None:
        us = self._system(field)
        return None if us is None else us / 1000

    def cpu_pct(self) -> float | None:
        busy, total = self._system("cpu_busy_s"), self._system("cpu_total_s")
        cores = self.near[-1].cpu_cores
        short = self.span.end_ns - self.span.start_ns < CPU_SHORTEST_NS
        if short or busy is None or not total or not cores:
            return None
        return 100.0 * cores * min(busy / total, 1.0)

    def server_cpu_pct(self) -> float | None:
        if self.span.end_ns - self.span.start_ns < CPU_SHORTEST_NS:
            return None
        per_s = self.server_per_s("cpu_s")
        return None if per_s is None else 100.0 * per_s

    def thread_pct(self) -> float | None:
        told = self._columns.threads.get(self._pid) if self._pid is not None else None
        if told is None:
            return None
        span = self.span
        known = told.between(span.first_ns, span.last_ns)
        return mean(inside(span.start_ns, span.end_ns, WINDOW_NS, *known))

    def limit_w(self) -> float | None:
        """The limits of all working GPUs together."""
        limits = [gpu.power_limit_w for gpu in working(self.near[-1])]
        known = [limit for limit in limits if limit is not None]
        return sum(known) if known and len(known) == len(limits) else None

    def each_gpu(self, whole: Band) -> tuple[float, ...]:
        """The mean use of each of several working GPUs; empty in a phase too short for their gauges."""
        boards = self.boards()
        if len(boards) < 2 or whole.mean is None or whole.at_least:
            return ()
        means = [mean(self._use_of(board, whole.window_ns)) for board in boards]
        known = tuple(one for one in means if one is not None)
        return known if len(known) == len(means) else ()

    def _use_of(self, board: Board, window_ns: int) -> list[float]:
        span = self.span
        one = bisect_left(board.use_taken, span.first_ns)
        other = bisect_right(board.use_taken, span.last_ns)
        return inside(span.start_ns, span.end_ns, window_ns, board.use_read[one:other], board.use[one:other])

    def bus_per_s(self, field: str) -> float | None:
        """Bytes per second over the bus, all working GPUs together."""
        span = self.span
        each = [
            self._per_s(board.growth(span.start_ns, span.end_ns, field, bus_age)) for board in self.boards()
        ]
        known = [one for one in each if one is not None]
        return sum(known) if known and len(known) == len(each) else None


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
