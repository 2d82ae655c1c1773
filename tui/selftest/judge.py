"""How far the told numbers are from the truth, and whether that is near enough to be trusted."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from tui.domain.values import Value
from tui.selftest.measure import Taken
from tui.selftest.truth import Pair, gap_errors, percentile, stamp_errors
from tui.selftest.turns import Turn

MOST_TTFT_MS = 5.0
MOST_RATE_PCT = 0.5
MOST_STAMP_MS = {"kernel": 0.1, "recv": 2.0}
_UNSURE_NS = 100_000  # a send that took longer was interrupted: when its bytes left is not known so well
_LEAST_SURE = 0.5  # of all sends
_COARSE_S = 0.001
_MS = 1e6


@dataclass(frozen=True, slots=True)
class Spread:
    """Percentiles of errors, ms."""

    p50: float
    p95: float
    p99: float
    most: float


@dataclass(frozen=True, slots=True)
class Figures:
    """The errors of one request, each |told − true|; None = not measured here.

    stamp_ns: of each send whose time is sure; left_out: the other ones. merged_share: reads that brought
    several messages of which each had a send of its own. problem: what was told wrong, "" for nothing.
    """

    turn: Turn
    ttft_ms: float | None
    rate_pct: float | None
    gap_pct: float | None
    queue_ms: float | None
    stamp_ns: Sequence[int]
    left_out: int
    merged_share: float | None
    stamps: str
    problem: str

    @property
    def stamp(self) -> Spread | None:
        return spread(self.stamp_ns)


@dataclass(frozen=True, slots=True)
class Verdict:
    """The worst over all requests, and in `reasons` why that can be trusted or not."""

    trusted: bool
    reasons: tuple[str, ...]
    ttft_ms: float | None
    rate_pct: float | None
    gap_pct: float | None
    queue_ms: float | None
    stamp: Spread | None
    stamps: str
    merged_share: float | None
    sends: int
    left_out: int


def spread(errors_ns: Sequence[int]) -> Spread | None:
    """None without errors."""
    if not errors_ns:
        return None
    p50, p95, p99, most = (percentile(errors_ns, percent) / _MS for percent in (50, 95, 99, 100))
    return Spread(p50, p95, p99, most)


def figures(taken: Taken) -> Figures:
    """The errors of one request."""
    turn, truth, view = taken.turn, taken.truth, taken.view
    sure = [pair for pair in taken.pairs if _sure(pair)]
    gaps = [gap_errors(two)[0] for two in pairwise(taken.pairs) if all(map(_sure, two))]
    wait = view.phase("queue")
    queue_ns = wait.duration_ns if wait is not None else None
    true_ns = truth.ttft_ns - (turn.script.first_ns - turn.script.queue_ns)
    return Figures(
        turn,
        None if view.ttft.number is None else abs(view.ttft.number * 1e3 - truth.ttft_ns / _MS),
        None if turn.lumped else _off_pct(view.decode, truth.rate_tps),
        100 * percentile(gaps, 95) if gaps else None,
        abs(queue_ns - true_ns) / _MS if queue_ns is not None and turn.script.queue_ns else None,
        stamp_errors(sure),
        len(taken.pairs) - len(sure),
        _merged(taken.pairs),
        "kernel" if view.clock.source == "kernel" else "recv",
        _problem(taken),
    )


def _sure(pair: Pair) -> bool:
    return pair.done_ns is not None and pair.done_ns - pair.sent_ns <= _UNSURE_NS


def _off_pct(told: Value, true: float) -> float | None:
    return None if told.number is None else 100 * abs(told.number / true - 1)


def _merged(pairs: Sequence[Pair]) -> float | None:
    reads = [pair.read.end for pair in pairs]
    different = len(set(reads))
    return sum(reads.count(end) > 1 for end in set(reads)) / different if different else None


def _problem(taken: Taken) -> str:
    """What was told wrong beside the times."""
    turn, view = taken.turn, taken.view
    if not view.complete:
        return "a whole answer was told as incomplete"
    if view.tokens != turn.script.tokens:
        return f"{view.tokens} of {turn.script.tokens} tokens were counted"
    lumps = "buffered_delivery" in view.warnings
    if turn.lumped and (not lumps or (view.decode.known and view.decode.reliable)):
        return "a rate was taken from lumps"
    if unasked := set(view.warnings) - ({"buffered_delivery"} if turn.lumped else set()):
        return f"a warning without a cause: {', '.join(sorted(unasked))}"
    if view.ttft.number is None or (view.decode.number is None and not turn.lumped):
        return "no time of the first token, or no rate, was told"
    if turn.script.queue_ns and view.phase("queue") is None:
        return "the wait in the queue was not told"
    return ""


def judge(
    told: Sequence[Figures], clock_s: float, load: float | None = None, cores: int | None = None
) -> Verdict:
    """The verdict. clock_s: the resolution of this system's clock; load: programs that want a core."""
    stamps = "kernel" if sum(it.stamps == "kernel" for it in told) * 2 > len(told) else "recv"
    errors = [error for it in told for error in it.stamp_ns]
    left_out = sum(it.left_out for it in told)
    stamp = spread(errors) if len(errors) >= _LEAST_SURE * (len(errors) + left_out) else None
    faults = [*_faults(told, stamp, stamps), *_coarse(clock_s)]
    if faults and load is not None and cores and load > cores:
        faults.append(f"the machine is busy, load {load:.1f} on {cores} cores: try again when it is idle")
    ttft, rate, queue = (_worst(map(what, told)) for what in (_ttft, _rate, _queue))
    return Verdict(
        not faults,
        tuple(faults or _proofs(ttft, rate, queue, stamp, stamps)),
        ttft,
        rate,
        _worst(it.gap_pct for it in told),
        queue,
        stamp,
        stamps,
        _worst(it.merged_share for it in told),
        len(errors) + left_out,
        left_out,
    )


def _ttft(it: Figures) -> float | None:
    return it.ttft_ms


def _rate(it: Figures) -> float | None:
    return it.rate_pct


def _queue(it: Figures) -> float | None:
    return it.queue_ms


def _worst(values: Iterable[float | None]) -> float | None:
    return max((value for value in values if value is not None), default=None)


def _faults(told: Sequence[Figures], stamp: Spread | None, stamps: str) -> Iterable[str]:
    yield from (f"{it.turn.what}: {it.problem}" for it in told if it.problem)
    limits = (
        ("the first token is told wrong by", _ttft, "ms", MOST_TTFT_MS),
        ("the rate is told wrong by", _rate, "%", MOST_RATE_PCT),
        ("the wait in the queue is told wrong by", _queue, "ms", MOST_TTFT_MS),
    )
    for words, what, unit, most in limits:
        off = [(value, it) for it in told if (value := what(it)) is not None and value > most]
        if off:
            value, it = max(off, key=lambda pair: pair[0])
            yield f"{words} up to {value:.3g} {unit} ({it.turn.what}), {most:g} {unit} are allowed"
    if stamp is None:
        yield "the scripted server was interrupted so often that the stamps can't be judged"
    elif stamp.p99 > MOST_STAMP_MS[stamps]:
        allowed = MOST_STAMP_MS[stamps]
        yield f"one stamp in a hundred is wrong by {stamp.p99:.3g} ms or more, {allowed:g} ms are allowed"


def _coarse(clock_s: float) -> Iterable[str]:
    if clock_s > _COARSE_S:
        yield f"the clock of this system ticks in steps of {clock_s * 1e3:.3g} ms"


def _proofs(
    ttft: float | None, rate: float | None, queue: float | None, stamp: Spread | None, stamps: str
) -> Iterable[str]:
    if ttft is not None:
        yield f"the first token is told right within {ttft:.3g} ms"
    if rate is not None:
        yield f"rates within {rate:.2g} %"
    if queue is not None:
        yield f"a wait in the queue within {queue:.3g} ms"
    if stamp is not None:
        whose = "the kernel's stamps" if stamps == "kernel" else "stamps of our own reading"
        yield f"99 of 100 arrivals within {stamp.p99:.3g} ms, by {whose}, while the screen was drawn"
