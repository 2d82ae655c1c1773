"""How soon something useful is on the terminal, against an empty Textual app."""

from __future__ import annotations

import statistics
import sys
from collections.abc import Iterator, Sequence

from tests.bench.lab import Lab
from tests.bench.sitting import READY, START_S, home
from tests.bench.table import Row
from tests.bench.terminal import Terminal

TITLE = "start: from the command to the first useful frame"
_STARTS = 4  # in each round
_FIGURES = b"(TTFT)"
_EMPTY = b"READYMARK"


def rows(lab: Lab) -> Iterator[Row]:
    """The two in turns; each round is the median of a few starts."""
    script = ["-m", "tui", "--url", lab.server.url, "--model", "one-80-400"]
    useful: list[float] = []
    ready: list[float] = []
    empty: list[float] = []
    for _ in range(lab.rounds):
        ours = [
            (_drawn(script, _FIGURES, READY), _drawn(["-m", "tests.bench.empty_app"], _EMPTY))
            for _ in range(_STARTS)
        ]
        useful.append(statistics.median(first for (first, _), _ in ours))
        ready.append(statistics.median(known for (_, known), _ in ours))
        empty.append(statistics.median(least for _, (least,) in ours))
    yield Row(
        "first useful frame / empty Textual app",
        [a / b for a, b in zip(useful, empty, strict=True)],
        most=1.25,
    )
    yield Row("first useful frame", useful, "ms")
    yield Row("engine known, ready to send", ready, "ms")
    yield Row("empty Textual app", empty, "ms")


def _drawn(program: Sequence[str], *texts: bytes) -> list[float]:
    """Milliseconds from the start until each text was drawn."""
    with home() as environ, Terminal([sys.executable, *program], environ) as terminal:
        return [(terminal.wait_for(text, START_S) - terminal.started_ns) / 1e6 for text in texts]
