"""Reading the prompt: the engine's progress reports, and what they say about the time still to come."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from tui.domain.rates import prefill_too_fast
from tui.domain.values import Provenance, Value, absent

_S = 1_000_000_000
_FEWEST_TOKENS = 2  # one token is no speed
BEND_FROM = 3  # reports with work in them before a bent fit can be trusted


@dataclass(frozen=True, slots=True)
class Report:
    """The engine had `processed` of `total` prompt tokens after `engine_ns` of work, seen at `at_ns`.

    `processed` holds the `cached` reused tokens, as on the wire. unit, whole, estimated: as in
    `events.Progress`.
    """

    at_ns: int
    total: int
    cached: int
    processed: int
    engine_ns: int | None
    unit: Literal["tokens", "share"] = "tokens"
    whole: bool = True
    estimated: bool = False

    @property
    def worked(self) -> int:
        """Tokens really computed so far."""
        return max(0, self.processed - self.cached)

    @property
    def work(self) -> int:
        """Tokens to compute in all."""
        return max(0, self.total - self.cached)

    def elapsed_ns(self, start_ns: int) -> int:
        """Time since the prefill began: the engine's, else from `start_ns` to the report's arrival."""
        return self.at_ns - start_ns if self.engine_ns is None else self.engine_ns


@dataclass(frozen=True, slots=True)
class Forecast:
    """Expected duration of the whole prefill in ns. `bound`: a lower bound (`>`), else an estimate (`≈`)."""

    total_ns: int
    bound: bool


def bend(points: Sequence[tuple[int, float]]) -> tuple[float, float]:
    """Least squares of t = a·n + b·n² with a, b ≥ 0 over (tokens n, time t): the two factors.

    Prefill slows down with the context, so a straight line promises too little.
    """
    n2 = sum(n**2 for n, _ in points)
    n3 = sum(n**3 for n, _ in points)
    n4 = sum(n**4 for n, _ in points)
    nt = sum(n * t for n, t in points)
    n2t = sum(n * n * t for n, t in points)
    det = n2 * n4 - n3 * n3
    if det > 0:
        a, b = (nt * n4 - n2t * n3) / det, (n2 * n2t - n3 * nt) / det
        if a >= 0 and b >= 0:
            return a, b
        if a < 0:
            return 0.0, n2t / n4
    return (nt / n2 if n2 else 0.0), 0.0


def forecast(reports: Sequence[Report], start_ns: int = 0) -> Forecast | None:
    """Duration of the whole prefill from the reports so far; None before the first one with work in it.

    start_ns: when the prefill began, since sent; used for reports that tell no time of the engine.
    """
    points = [(r.worked, float(ns)) for r in reports if r.worked and (ns := r.elapsed_ns(start_ns)) > 0]
    if not points:
        return None
    work = reports[-1].work
    if len(points) < BEND_FROM:
        n, t = points[-1]
        return Forecast(round(t / n * work), bound=True)
    a, b = bend(points)
    # the engine is at least as far as its last report: the fit bends around that point
    n, t = points[-1]
    rest = a * (work - n) + b * (work * work - n * n)
    return Forecast(round(t + rest), bound=False)


def interpolated(reports: Sequence[Report], start_ns: int, now_ns: int) -> int:
    """Tokens read by now, between the last report and the next, never beyond what one step can hold.

    Drawn in another texture than what was reported; 0 progress is added when nothing was reported yet.
    """
    if not reports:
        return 0
    last = reports[-1]
    ahead = forecast(reports, start_ns)
    elapsed = last.elapsed_ns(start_ns)
    if ahead is None or elapsed <= 0:
        return last.processed
    steps = [b.processed - a.processed for a, b in pairwise(reports)]
    if last.engine_ns is None:  # engines without a clock need not report the beginning
        steps.append(reports[0].worked)
    step = max(steps, default=0)
    rate = last.worked / elapsed
    since = max(0, now_ns - start_ns - elapsed)
    return min(last.total, last.processed + step, last.processed + int(rate * since))


def speed_now(reports: Sequence[Report], start_ns: int) -> Value:
    """Tokens / time between the latest two reports, tok/s: by the engine's time, else by their arrivals.

    Without the engine's time, reports of a single token are passed over: the last one often ends together
    with the first step of the answer.
    """
    unit = "tok/s"
    worked = [r for r in reports if r.worked and r.elapsed_ns(start_ns) > 0 and r.unit == "tokens"]
    for index in range(len(worked) - 1, -1, -1):
        newest, before = worked[index], worked[index - 1] if index else None
        tokens = newest.worked - (before.worked if before else 0)
        span = newest.elapsed_ns(start_ns) - (before.elapsed_ns(start_ns) if before else 0)
        timed = newest.engine_ns is not None
        if span > 0 and tokens >= _FEWEST_TOKENS and (timed or not prefill_too_fast(tokens, span)):
            who = "the engine's latest two reports" if timed else "the arrival of two reports"
            return Value(tokens * _S / span, unit, _origin(newest), f"tokens / time between {who}")
        if timed:
            break
    return absent(unit, "no report with work in it yet")


def _origin(report: Report) -> Provenance:
    if report.estimated:
        return Provenance.ESTIMATED
    return Provenance.OBSERVED if report.engine_ns is None else Provenance.MEASURED
