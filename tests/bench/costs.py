"""Processor time of all the program's processes, and whether it keeps up at the highest rate."""

from __future__ import annotations

from collections.abc import Iterator

from tests.bench.lab import Case, Lab
from tests.bench.table import Row
from tui.selftest.truth import lag_growth

TITLE = "cpu: monitor, capture child and sampler together, of one core"
FASTEST_TPS = 5000


def rows(lab: Lab) -> Iterator[Row]:
    """Busy at three rates, then idle."""
    at_80, at_500, fastest = (Case("monitor", rate) for rate in (80, 500, FASTEST_TPS))
    lab.measure(at_80, at_500, fastest)
    for case, most in ((at_80, 10), (at_500, 15), (fastest, None)):
        at = f"{case.rate_tps:,} tok/s"
        yield Row(at, lab.over(case, lambda it: it.cpu_percent), "%", most=most)
        yield Row(f"{at}: of it the screen's process", lab.over(case, lambda it: it.own_cpu_percent), "%")
        each = lab.over(case, lambda it: 10 * it.own_cpu_percent / it.frames_per_s)
        yield Row(f"{at}: of it a frame", each, "ms")
    growth = lab.over(fastest, lambda it: lag_growth(it.pairs))
    yield Row("5,000 tok/s: stamp error, last fifth / first fifth", growth, most=1.5)
    late = lab.over(fastest, lambda it: it.shown_ns / 1e6)
    yield Row("5,000 tok/s: last token until the screen says so", late, "ms", most=250)
    yield Row("idle, live panels", [idle.cpu_percent for idle in lab.idle()], "%")
