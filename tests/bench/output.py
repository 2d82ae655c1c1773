"""How many bytes go to the terminal: over ssh they are what makes a screen slow."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from pathlib import Path

from tests.bench.lab import Case, Lab
from tests.bench.processes import cost
from tests.bench.script import Script
from tests.bench.sitting import FINISHED, START_S, home, monitor, record
from tests.bench.table import Row
from tests.bench.terminal import Terminal

TITLE = "bytes: to a terminal of 120x36"
_KB = 1e3


def rows(lab: Lab) -> Iterator[Row]:
    """While tokens come, while only the machine's panels live, and while nothing changes at all."""
    n = lab.rounds
    busy = [Case("monitor", rate) for rate in (80, 500)]
    lab.measure(busy, n)
    for case in busy:
        told = [value / _KB for value in lab.over(case, n, lambda it: it.bytes_per_s)]
        yield Row(f"{case.rate_tps} tok/s", told, "kB/s", most=100)
    yield Row("idle, live panels", [_idle(lab) for _ in range(lab.few)], "kB/s", most=2)
    still = [_still(lab) for _ in range(lab.few)]
    yield Row("nothing changes (a replay at its end)", [size for size, _ in still], "B", most=0)
    yield Row("nothing changes: processor time", [share for _, share in still], "%", most=1)


def _idle(lab: Lab) -> float:
    with monitor(lab.server.url, "one-80-400") as (terminal, _):
        return _written(terminal, lab.seconds) / _KB / lab.seconds


def _still(lab: Lab) -> tuple[float, float]:
    """Bytes and processor time of a finished replay."""
    with home() as environ:
        path = Path(environ["TOKLANE_HOME"], "run.jsonl")
        record(lab.server, Script("one", 500, 100), path)
        command = [sys.executable, "-m", "tui", "replay", str(path)]
        with Terminal(command, environ) as terminal:
            terminal.wait_for(FINISHED, START_S)
            time.sleep(1.0)
            before = cost(terminal.pid)
            written = _written(terminal, lab.seconds)
            return written, cost(terminal.pid).cpu_share(before)


def _written(terminal: Terminal, seconds: float) -> int:
    first = len(terminal.pieces)
    time.sleep(seconds)
    return sum(len(piece.data) for piece in terminal.pieces[first:])
