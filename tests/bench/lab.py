"""What all measurements share: how long, how often, the server, and what was measured already."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field

from tests.bench.processes import busy_cores, cost
from tests.bench.sitting import Sitting, headless, watched
from tui.selftest.monitor import MONITOR, monitor
from tui.selftest.script import Script
from tui.selftest.serving import Server
from tui.selftest.terminal import Terminal

IN_LOOP = ("-m", "tests.bench.in_loop")
SLOW_BYTES_PER_S = 40_000.0
STALL_S = 2.0


@dataclass(frozen=True, slots=True)
class Case:
    """One way to watch: which reader, at what rate, with all cores busy or not, in what terminal.

    reader: monitor, headless (the same reader alone) or in-loop. terminal: fast, slow, stalled.
    """

    reader: str
    rate_tps: int
    busy: bool = False
    terminal: str = "fast"


@dataclass(frozen=True, slots=True)
class Idle:
    """A monitor that waits for a key: processor time of all its processes, and what it writes."""

    cpu_percent: float
    bytes_per_s: float


@dataclass(slots=True)
class Lab:
    """`seconds` of decoding in each sitting, and how many `rounds` of each case."""

    server: Server
    seconds: float
    rounds: int
    _known: dict[tuple[Case, int], Sitting] = field(default_factory=dict)
    _idle: list[Idle] = field(default_factory=list)

    def measure(self, *cases: Case) -> None:
        """Every case in every round, interleaved, every second round backwards. What is known stays."""
        for number in range(self.rounds):
            for case in cases if number % 2 == 0 else reversed(cases):
                if (case, number) not in self._known:
                    self._known[case, number] = self._sit(case)

    def over(self, case: Case, what: Callable[[Sitting], float]) -> list[float]:
        """One number of each round of a case that was measured."""
        return [what(self._known[case, number]) for number in range(self.rounds)]

    def ratio(self, case: Case, to: Case, what: Callable[[Sitting], float]) -> list[float]:
        """The number of one case over that of another, round by round."""
        pairs = zip(self.over(case, what), self.over(to, what), strict=True)
        return [here / there for here, there in pairs]

    def idle(self) -> list[Idle]:
        """A monitor that waits, once for each round."""
        while len(self._idle) < self.rounds:
            self._idle.append(self._wait())
        return self._idle

    def _sit(self, case: Case) -> Sitting:
        script = Script("one", case.rate_tps, round(case.rate_tps * self.seconds))
        with busy_cores() if case.busy else nullcontext():
            if case.reader == "headless":
                return headless(self.server, script)
            program = MONITOR if case.reader == "monitor" else IN_LOOP
            slow = SLOW_BYTES_PER_S if case.terminal == "slow" else None
            return watched(self.server, script, program, slow, _stall if case.terminal == "stalled" else None)

    def _wait(self) -> Idle:
        with monitor(self.server.url, "one-80-400") as (terminal, _):
            before, first = cost(terminal.pid), len(terminal.pieces)
            time.sleep(self.seconds)
            after, last = cost(terminal.pid), len(terminal.pieces)
        written = sum(len(piece.data) for piece in terminal.pieces[first:last])
        return Idle(after.all_percent(before), written / (after.at_s - before.at_s))


def _stall(terminal: Terminal) -> None:
    terminal.stall(STALL_S)


@contextmanager
def lab(quick: bool) -> Iterator[Lab]:
    """A lab with its server; `quick` measures shorter and once."""
    with Server() as server:
        yield Lab(server, 2.0, 1) if quick else Lab(server, 3.0, 3)
