"""What it costs the screen's process to judge 1,000 readings of the machine."""

from __future__ import annotations

import statistics
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace

from tests.app.machines import KNOBS, Make, processor, rtx4090, script
from tests.bench.lab import Lab
from tests.bench.table import Row
from tui.domain.events import Sampled
from tui.domain.insight import Insight, insight
from tui.domain.look import look
from tui.domain.machine import Reading
from tui.domain.reduce import reduce
from tui.domain.state import State
from tui.domain.view import View

TITLE = "insight: processor time of one look at 1,000 readings of the machine"
_READINGS = 1000
_EVERY = 5  # readings between two looks
_LOOKS = 8
_PREFILL_NS, _GAP_NS = 20_000_000_000, 150_000_000
_TOKENS = 510


def rows(lab: Lab) -> Iterator[Row]:
    """Again while it runs, at its end, and from nothing."""
    machines: Sequence[tuple[str, Make, float]] = (
        ("no GPU", processor, 2),
        ("one GPU", rtx4090, 5),
        ("eight GPUs", _eight, 15),
    )
    for name, make, most in machines:
        *running, over = _views(make)
        again, end, first = [], [], []
        for _ in range(lab.rounds):
            told, took = _look(running[0])
            first.append(took)
            looks = []
            for view in running[1:]:
                told, took = _look(view, told)
                looks.append(took)
            again.append(statistics.median(looks))
            end.append(_look(over, told)[1])
        yield Row(f"{name}: again while it runs", again, "ms", most=most)
        yield Row(f"{name}: at its end", end, "ms", most=25)
        yield Row(f"{name}: from nothing, as after a jump in a recording", first, "ms")


def _eight(at_ns: int, t: float) -> Reading:
    one = rtx4090(at_ns, t)
    return replace(one, gpus=tuple(replace(one.gpus[0], uuid=f"GPU-{n}") for n in range(8)))


def _views(make: Make) -> list[View]:
    """The request when it has about 1,000 readings, again and again, and when it is over."""
    state, views = State(), []
    for event in script(make, _PREFILL_NS, _TOKENS, _GAP_NS)(KNOBS):
        state = reduce(state, event)
        count = len(state.samples)
        if isinstance(event, Sampled) and count >= _READINGS - _EVERY * _LOOKS and count % _EVERY == 0:
            views.append(look(state))
    running = [view for view in views if view.running][:_LOOKS]
    return [*running, look(state)]


def _look(view: View, before: Insight | None = None) -> tuple[Insight, float]:
    """The insight, and how many ms it took the processor."""
    began = time.process_time_ns()
    told = insight(view, before)
    return told, (time.process_time_ns() - began) / 1e6
