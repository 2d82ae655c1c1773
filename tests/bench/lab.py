"""What all measurements share: how long, how often, the server, and what was measured already."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field

from tests.bench.processes import busy_cores
from tests.bench.script import Script
from tests.bench.serving import Server
from tests.bench.sitting import MONITOR, Sitting, headless, watched
from tests.bench.terminal import Terminal

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


@dataclass(slots=True)
class Lab:
    """`seconds` of decoding in each sitting, `rounds` of each case; `few` where one costs much."""

    server: Server
    seconds: float
    rounds: int
    few: int
    _known: dict[tuple[Case, int], Sitting] = field(default_factory=dict)

    def measure(self, cases: Sequence[Case], rounds: int) -> None:
        """Every case in every round, interleaved, every second round backwards. What is known stays."""
        for number in range(rounds):
            for case in cases if number % 2 == 0 else reversed(cases):
                if (case, number) not in self._known:
                    self._known[case, number] = self._sit(case)

    def over(self, case: Case, rounds: int, what: Callable[[Sitting], float]) -> list[float]:
        """One number of each round of a case that was measured."""
        return [what(self._known[case, number]) for number in range(rounds)]

    def ratio(self, case: Case, to: Case, rounds: int, what: Callable[[Sitting], float]) -> list[float]:
        """The number of one case over that of another, round by round."""
        pairs = zip(self.over(case, rounds, what), self.over(to, rounds, what), strict=True)
        return [here / there for here, there in pairs]

    def _sit(self, case: Case) -> Sitting:
        script = Script("one", case.rate_tps, round(case.rate_tps * self.seconds))
        with busy_cores() if case.busy else nullcontext():
            if case.reader == "headless":
                return headless(self.server, script)
            program = MONITOR if case.reader == "monitor" else IN_LOOP
            slow = SLOW_BYTES_PER_S if case.terminal == "slow" else None
            return watched(self.server, script, program, slow, _stall if case.terminal == "stalled" else None)


def _stall(terminal: Terminal) -> None:
    terminal.stall(STALL_S)


@contextmanager
def lab(quick: bool) -> Iterator[Lab]:
    """A lab with its server; `quick` measures shorter and less often."""
    with Server() as server:
        yield Lab(server, 2.0, 3, 1) if quick else Lab(server, 4.0, 3, 3)
