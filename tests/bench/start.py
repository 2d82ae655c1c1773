"""How soon the monitor is on the terminal, against an empty Textual app."""

from __future__ import annotations

import statistics
import sys
from collections.abc import Iterator, Sequence

from tests.bench.lab import Lab
from tests.bench.table import Row
from tui.selftest.monitor import READY, START_S, home
from tui.selftest.terminal import Terminal

TITLE = "start: from the command to what is drawn"
_STARTS = 3  # in each round
_FIRST, _BOARD = b"toklane", "←".encode()  # the header; the dial
_EMPTY = b"READYMARK"


def rows(lab: Lab) -> Iterator[Row]:
    """The two programs in turns; each round is the median of a few starts."""
    monitor = ["-m", "tui", "--url", lab.server.url, "--model", "one-80-400"]
    ours: list[list[float]] = []
    empty: list[float] = []
    for _ in range(lab.rounds):
        starts = [
            (_drawn(monitor, _FIRST, _BOARD, READY), _drawn(["-m", "tests.bench.empty_app"], _EMPTY))
            for _ in range(_STARTS)
        ]
        ours.append([statistics.median(times) for times in zip(*(mine for mine, _ in starts), strict=True)])
        empty.append(statistics.median(least[0] for _, least in starts))
    first, board, ready = ([times[stage] for times in ours] for stage in range(3))
    yield Row("first text / empty Textual app", _ratios(first, empty), most=1.25)
    yield Row("the board with its dial and keys / empty Textual app", _ratios(board, empty))
    yield Row("first text", first, "ms")
    yield Row("the board with its dial and keys", board, "ms")
    yield Row("engine known, ready to send", ready, "ms")
    yield Row("empty Textual app", empty, "ms")


def _ratios(here: Sequence[float], there: Sequence[float]) -> list[float]:
    return [a / b for a, b in zip(here, there, strict=True)]


def _drawn(program: Sequence[str], *texts: bytes) -> list[float]:
    """Milliseconds from the start until each text was drawn."""
    with home() as environ, Terminal([sys.executable, *program], environ) as terminal:
        return [(terminal.wait_for(text, START_S) - terminal.started_ns) / 1e6 for text in texts]
