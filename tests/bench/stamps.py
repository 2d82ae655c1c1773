"""How far the stamps are from the truth: beside the screen, alone, in the screen's loop, under every load."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from tests.bench.lab import Case, Lab
from tests.bench.sitting import Sitting
from tests.bench.table import Row
from tui.selftest.truth import gap_errors, impossible, percentile, recv_errors, stamp_errors

TITLE = "stamps: error against the server's clock"
RATES = (80, 500)
_US, _MS = 1e3, 1e6
_SCREEN_HZ = 19.0  # of 20, as the terminal sees it


def rows(lab: Lab) -> Iterator[Row]:
    """Fast terminal first, then busy cores, then slow terminals."""
    for rate in RATES:
        yield from _beside_the_screen(lab, rate)
    for rate in RATES:
        yield from _busy(lab, rate)
    yield from _slow(lab)


def stamp(percent: float) -> Callable[[Sitting], float]:
    """A percentile of the stamp errors, ns."""
    return lambda sitting: percentile(stamp_errors(sitting.pairs), percent)


def _received(percent: float) -> Callable[[Sitting], float]:
    return lambda sitting: percentile(recv_errors(sitting.pairs), percent)


def _gap(sitting: Sitting) -> float:
    return 100 * percentile(gap_errors(sitting.pairs), 95)


def _beside_the_screen(lab: Lab, rate: int) -> Iterator[Row]:
    here, alone, loop = (Case(reader, rate) for reader in ("monitor", "headless", "in-loop"))
    lab.measure(here, alone, loop)

    def over(case: Case, what: Callable[[Sitting], float], unit_ns: float) -> list[float]:
        return [value / unit_ns for value in lab.over(case, what)]

    at = f"{rate} tok/s:"
    yield Row(f"{at} p50 beside the screen", over(here, stamp(50), _US), "µs")
    yield Row(f"{at} p95 beside the screen", over(here, stamp(95), _US), "µs")
    yield Row(f"{at} p99 beside the screen", over(here, stamp(99), _MS), "ms", most=0.1)
    yield Row(
        f"{at} frames on the screen", lab.over(here, lambda it: it.frames_per_s), "/s", least=_SCREEN_HZ
    )
    yield Row(
        f"{at} stamps before the send or after recv",
        lab.over(here, lambda it: impossible(it.pairs)),
        most=0,
    )
    yield Row(f"{at} p95 / the same reader alone", lab.ratio(here, alone, stamp(95)), most=1.5)
    yield Row(f"{at} p99 / the same reader alone", lab.ratio(here, alone, stamp(99)), most=1.5)
    yield Row(f"{at} p95 of httpx in the screen's loop / ours", lab.ratio(loop, here, stamp(95)), least=20)
    yield Row(f"{at} p99 of httpx in the screen's loop", over(loop, stamp(99), _MS), "ms")
    yield Row(f"{at} p99 without kernel stamps", over(here, _received(99), _MS), "ms")
    yield Row(
        f"{at} p95 without kernel stamps / the same alone", lab.ratio(here, alone, _received(95)), most=2
    )
    yield Row(f"{at} gap error p95 of the true gap", lab.over(here, _gap), "%", most=1)


def _busy(lab: Lab, rate: int) -> Iterator[Row]:
    here, loop = Case("monitor", rate, busy=True), Case("in-loop", rate, busy=True)
    lab.measure(here, loop)
    at = f"{rate} tok/s, all cores busy:"
    yield Row(f"{at} p95 of httpx in the loop / ours", lab.ratio(loop, here, stamp(95)), least=10)
    for percent in (50, 95, 99):
        yield Row(f"{at} p{percent}", [ns / _MS for ns in lab.over(here, stamp(percent))], "ms")


def _slow(lab: Lab) -> Iterator[Row]:
    fast, slow, stalled = (Case("monitor", 80, terminal=how) for how in ("fast", "slow", "stalled"))
    lab.measure(fast, slow, stalled)
    for case in (slow, stalled):
        late = [ns / _MS for ns in lab.over(case, stamp(99))]
        yield Row(f"80 tok/s, {case.terminal} terminal: p99", late, "ms", most=0.1)
    yield Row("80 tok/s, terminal of 40 kB/s: p99 / fast terminal", lab.ratio(slow, fast, stamp(99)), most=2)
    yield Row(
        "80 tok/s, terminal stops for 2 s: p99 / fast terminal",
        lab.ratio(stalled, fast, stamp(99)),
        most=2,
    )
