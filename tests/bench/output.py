"""How many bytes go to the terminal: over ssh they are what makes a screen slow."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from pathlib import Path

from tests.bench.lab import Case, Lab
from tests.bench.processes import cost
from tests.bench.sitting import record
from tests.bench.table import Row
from tui.selftest.monitor import FINISHED, START_S, home
from tui.selftest.script import Script
from tui.selftest.terminal import Terminal

TITLE = "bytes: to a terminal of 120x36"
_KB = 1e3


def rows(lab: Lab) -> Iterator[Row]:
    """While tokens come, while only the machine's panels live, and while nothing changes at all."""
    busy = [Case("monitor", rate) for rate in (80, 500)]
    lab.measure(*busy)
    for case in busy:
        written = [value / _KB for value in lab.over(case, lambda it: it.bytes_per_s)]
        yield Row(f"{case.rate_tps} tok/s", written, "kB/s", most=100)
        frames = [value / _KB for value in lab.over(case, lambda it: it.bytes_per_s / it.frames_per_s)]
        yield Row(f"{case.rate_tps} tok/s: a frame", frames, "kB", most=4)
    yield Row("idle, live panels", [idle.bytes_per_s / _KB for idle in lab.idle()], "kB/s", most=2)
    still = [_still(lab) for _ in range(lab.rounds)]
    yield Row("nothing changes (a replay at its end)", [size for size, _ in still], "B", most=0)
    yield Row("nothing changes: processor time", [share for _, share in still], "%", most=1)


def _still(lab: Lab) -> tuple[float, float]:
    """Bytes and processor time of a finished replay."""
    with home() as environ:
        path = Path(environ["TOKLANE_HOME"], "run.jsonl")
        record(lab.server, Script("one", 500, 100), path)
        command = [sys.executable, "-m", "tui", "replay", str(path)]
        with Terminal(command, environ) as terminal:
            terminal.wait_for(FINISHED, START_S)
            time.sleep(1.0)
            before, first = cost(terminal.pid), len(terminal.pieces)
            time.sleep(lab.seconds)
            share = cost(terminal.pid).all_percent(before)
            return sum(len(piece.data) for piece in terminal.pieces[first:]), share
