"""What this machine's earlier runs say about the next one: its TTFT with a range, or nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from statistics import median

from tui.domain.fit import fitted
from tui.domain.state import learned
from tui.domain.values import finite
from tui.domain.view import Stage, View

MOST_RUNS = 24  # older ones say nothing that the newest do not say better
_EQUAL_RUNS = 9
_FADES = 0.8  # weight of a run against the next newer one
_CHANGED = 2  # so many runs in a row beyond the range: what was known before is no longer true
_BEYOND = 0.30  # so far beyond the range of the others; a shared machine scatters by less
_REACH = 2.0  # a fit is not asked for lengths farther away than this from those it knows
_REUSED = 0.02  # a template's few tokens may be reused in any prompt


@dataclass(frozen=True, slots=True)
class Known:
    """One earlier run: what was asked (tokens), what was told, what was expected of it (s), and when.

    asked: the wished length, or the counted one of an own prompt. tokens: the prompt as the engine counted
    it, reused ones included.
    """

    asked: int
    ttft_s: float
    tokens: int | None = None
    expected_s: float | None = None
    at: str = ""

    @property
    def length(self) -> int:
        """Its place on the axis of a fit."""
        return self.tokens or self.asked


@dataclass(frozen=True, slots=True)
class Expected:
    """TTFT of the next run, s: the middle and the range seen; how many runs stand behind it.

    fitted: no run had this length; a curve through other lengths was asked.
    """

    ttft_s: float
    low_s: float
    high_s: float
    runs: int
    fitted: bool = False


def expect(runs: Sequence[Known], asked: int) -> Expected | None:
    """The TTFT that a prompt of `asked` tokens should take by `runs` of one kind, oldest first."""
    newest = runs[-MOST_RUNS:]
    equal = _lasting([(run, 1.0) for run in newest if run.asked == asked][-_EQUAL_RUNS:])
    found = _of_equal(equal) if len(equal) >= 2 else _of_fit(newest, asked)
    return _widened(found, newest) if found is not None else None


def _of_equal(runs: Sequence[Known]) -> Expected:
    """Their weighted median, newer ones counting more."""
    weights = [_FADES ** (len(runs) - 1 - n) for n in range(len(runs))]
    ordered = sorted(zip((run.ttft_s for run in runs), weights, strict=True))
    half, so_far = sum(weights) / 2, 0.0
    middle = ordered[-1][0]
    for ttft_s, weight in ordered:
        so_far += weight
        if so_far >= half:
            middle = ttft_s
            break
    return Expected(middle, ordered[0][0], ordered[-1][0], len(runs))


def _of_fit(runs: Sequence[Known], asked: int) -> Expected | None:
    lengths = [run.length for run in runs]
    if not lengths or not min(lengths) / _REACH <= asked <= max(lengths) * _REACH:
        return None
    whole = fitted([(run.length, run.ttft_s) for run in runs])
    if whole is None:
        return None
    lasting = _lasting([(run, whole.at(run.length)) for run in runs])
    fit = fitted([(run.length, run.ttft_s) for run in lasting])
    if fit is None:
        return None
    ttft_s, spread = fit.at(asked), min(0.9, 2 * fit.spread)
    return Expected(ttft_s, ttft_s * (1 - spread), ttft_s * (1 + spread), len(lasting), fitted=True)


def _lasting(runs: Sequence[tuple[Known, float]]) -> list[Known]:
    """The runs that still hold, oldest first; with each goes the time that its length calls for.

    A run beyond the range of the others is doubted: another one beyond the same side shows that the speed
    has changed, and what was before is forgotten; one inside shows that it was an accident.
    """
    kept: list[tuple[Known, float]] = []
    doubted: list[tuple[Known, float]] = []
    doubted_side = 0
    for run, usual_s in runs:
        ratio = run.ttft_s / usual_s
        side = _side(ratio, [known.ttft_s / its_s for known, its_s in kept])
        if not side:
            kept.append((run, usual_s))
            doubted = []
            continue
        doubted = [*(doubted if side == doubted_side else []), (run, usual_s)]
        doubted_side = side
        if len(doubted) == _CHANGED:
            kept, doubted = doubted, []
    return [run for run, _ in (*kept, *doubted)]


def _side(ratio: float, known: Sequence[float]) -> int:
    """-1 below the range, 1 above, 0 inside or where there is no range yet."""
    if len(known) < 2:
        return 0
    if ratio < min(known) * (1 - _BEYOND):
        return -1
    return 1 if ratio > max(known) * (1 + _BEYOND) else 0


def _widened(found: Expected, runs: Sequence[Known]) -> Expected:
    """The range at least as wide as the estimates of the latest runs were wrong."""
    latest = [run for run in runs if run.expected_s][-_EQUAL_RUNS:]
    if len(latest) < 3:
        return found
    wrong = min(0.9, median(abs(run.ttft_s / (run.expected_s or 1) - 1) for run in latest))
    low_s = min(found.low_s, found.ttft_s * (1 - wrong))
    high_s = max(found.high_s, found.ttft_s * (1 + wrong))
    return Expected(found.ttft_s, low_s, high_s, found.runs, found.fitted)


def known_from(view: View) -> Known | None:
    """What a run that is over teaches; None where it teaches nothing.

    Only whole, undisturbed runs do: none that failed, was stopped, had rivals, waited for others, loaded a
    model or came in one piece; and only if its cache did what was asked of it.
    """
    told = view.conditions
    asked = learned(told, "prompt_tokens_asked") or learned(told, "prompt_tokens_counted")
    ttft = view.ttft
    if view.stage is not Stage.FINISHED or not view.complete or asked is None:
        return None
    if ttft.number is None or ttft.number <= 0 or not ttft.reliable or "not_streamed" in view.warnings:
        return None
    if told.get("rivals") or view.slots_busy or any(p.name == "load" for p in view.phases):
        return None
    if not _cache_as_asked(view):
        return None
    return Known(
        asked=asked,
        ttft_s=ttft.number,
        tokens=view.prompt_tokens or None,
        expected_s=finite(_mapping(told.get("expected")).get("ttft_s")),
        at=str(told.get("start_time") or ""),
    )


def _cache_as_asked(view: View) -> bool:
    """A cold run that found a cache is no cold run; a warm one must tell that it reused something."""
    cached = view.cached_tokens
    if view.conditions.get("cache_mode", "cold") == "cold":
        return not cached or cached <= _REUSED * (view.prompt_tokens or 0)
    return bool(cached)


def told_expectation(conditions: Mapping[str, object]) -> Expected | None:
    """The expectation that a run was sent with, if there was one."""
    told = _mapping(conditions.get("expected"))
    numbers = [finite(told.get(key)) for key in ("ttft_s", "low_s", "high_s")]
    runs = learned(told, "runs")
    if None in numbers or not runs:
        return None
    middle, low, high = (number or 0.0 for number in numbers)
    if not 0 < low <= middle <= high < 1e6:
        return None
    return Expected(middle, low, high, runs, told.get("fitted") is True)


def fields_of(expected: Expected) -> dict[str, object]:
    """The same for the first line of a recording."""
    return asdict(expected)


def _mapping(value: object) -> Mapping[str, object]:
    return value if isinstance(value, Mapping) else {}
