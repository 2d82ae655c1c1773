"""Processor time of all the program's processes, and whether it keeps up at the highest rate."""

from __future__ import annotations

import time
from collections.abc import Iterator

from tests.bench.lab import Case, Lab
from tests.bench.processes import cost
from tests.bench.sitting import monitor
from tests.bench.table import Row
from tests.bench.truth import lag_growth

TITLE = "cpu: monitor, capture child and sampler together, of one core"
FASTEST_TPS = 5000


def rows(lab: Lab) -> Iterator[Row]:
    """Busy at three rates, then idle."""
    at_80, at_500, at_5000 = (Case("monitor", rate) for rate in (80, 500, FASTEST_TPS))
    n = lab.rounds
    lab.measure((at_80, at_500, at_5000), n)
    yield Row("80 tok/s", lab.over(at_80, n, lambda it: it.cpu_percent), "%", most=10)
    yield Row("500 tok/s", lab.over(at_500, n, lambda it: it.cpu_percent), "%", most=15)
    yield Row("5,000 tok/s", lab.over(at_5000, n, lambda it: it.cpu_percent), "%")
    growth = lab.over(at_5000, n, lambda it: lag_growth(it.pairs))
    yield Row("5,000 tok/s: stamp error, last fifth / first fifth", growth, most=1.5)
    late = lab.over(at_5000, n, lambda it: it.shown_ns / 1e6)
    yield Row("5,000 tok/s: last token until the screen says so", late, "ms", most=250)
    yield Row("idle, live panels", [_idle(lab) for _ in range(lab.few)], "%")


def _idle(lab: Lab) -> float:
    with monitor(lab.server.url, "one-80-400") as (terminal, _):
        before = cost(terminal.pid)
        time.sleep(lab.seconds)
        return cost(terminal.pid).cpu_share(before)
