"""An estimated split of a wait that the engine says nothing about: what a few trial prompts have taught."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass

from tui.domain.fit import Fit, fitted
from tui.domain.phases import Phase
from tui.domain.state import learned
from tui.domain.values import Provenance, finite

_S = 1_000_000_000
LENGTHS = (128, 512, 1024, 2048)  # prompt tokens of the trials, where the context holds them
_FEWEST_RUNS = 6
_REACH = 2.0  # lengths farther away than this from the trials are not split
_LEAST_TOLERANCE = 0.15
_SIGMAS = 3.0
_REUSED = 0.02


@dataclass(frozen=True, slots=True)
class Calibration:
    """TTFT = a_s + b_s·n + c_s·n² over n prompt tokens, from `runs` trials of `least` to `most` tokens.

    spread: relative standard deviation of the trials about the curve. at: when it was made.
    """

    a_s: float
    b_s: float
    c_s: float
    spread: float
    runs: int
    least: int
    most: int
    at: str = ""

    def reading_s(self, tokens: int) -> float:
        """The part of TTFT that grows with the prompt."""
        return self.b_s * tokens + self.c_s * tokens * tokens

    def ttft_s(self, tokens: int) -> float:
        return self.a_s + self.reading_s(tokens)

    @property
    def tolerance(self) -> float:
        """Share by which a wait may differ from the curve and still be split by it."""
        return max(_LEAST_TOLERANCE, _SIGMAS * self.spread)

    @property
    def source(self) -> str:
        bend = f" + {self.c_s * 1e9:.3g} ns · n²" if self.c_s else ""
        curve = f"TTFT = {self.a_s * 1e3:.3g} ms + {self.b_s * 1e3:.3g} ms · n{bend}"
        return f"from {self.runs} calibration runs: {curve}, ± {100 * self.spread:.2g} %"


def calibrated(trials: Sequence[tuple[int, float]], at: str = "") -> Calibration | str:
    """The curve through (prompt tokens, TTFT in s), or why there is none, in words."""
    if len(trials) < _FEWEST_RUNS:
        return f"only {len(trials)} of the trial runs can be used"
    fit = fitted([(float(n), t) for n, t in trials])
    if fit is None:
        return "the trial prompts all had one length"
    if not _grows(fit, max(n for n, _ in trials)):
        return "the time to the first token does not grow with the prompt"
    lengths = [n for n, _ in trials]
    return Calibration(fit.a, fit.b, fit.c, fit.spread, len(trials), min(lengths), max(lengths), at)


def _grows(fit: Fit, most: int) -> bool:
    """Whether reading is more than the scatter of the trials."""
    whole = fit.at(most)
    return whole - fit.a > fit.spread * whole


def fields_of(calibration: Calibration) -> dict[str, object]:
    """For a file: see `calibration_from`."""
    return asdict(calibration)


def calibration_from(told: object) -> Calibration | None:
    """The calibration that `fields_of` wrote; None for anything else."""
    if not isinstance(told, Mapping):
        return None
    numbers = [finite(told.get(key)) for key in ("a_s", "b_s", "c_s", "spread")]
    counts = [learned(told, key) for key in ("runs", "least", "most")]
    if any(n is None or n < 0 for n in (*numbers, *counts)):
        return None
    a, b, c, spread = (n or 0.0 for n in numbers)
    runs, least, most = (n or 0 for n in counts)
    return Calibration(a, b, c, spread, runs, least, most, str(told.get("at") or "")) if b or c else None


@dataclass(frozen=True, slots=True)
class Sight:
    """What of a run decides whether its wait may be split.

    tokens: the prompt's length as told, else as counted or asked before. cached: told as reused.
    """

    tokens: int | None
    cached: int | None
    cold: bool
    alone: bool
    seen: bool  # the first token came


def tiled(phases: tuple[Phase, ...], calibration: Calibration | None, sight: Sight) -> tuple[Phase, ...]:
    """`phases` with their one unexplained wait split in two, where the calibration may say so.

    The prefill ends at the first token and has the length that the curve gives; what is left before it stays
    `waiting`. Where it may not be split the wait says why.
    """
    at = next((n for n, p in enumerate(phases) if p.name == "waiting"), None)
    waits = [p for p in phases if p.name not in ("connect", "send", "decode", "finish")]
    if calibration is None or at is None or len(waits) != 1:
        return phases
    wait = phases[at]
    why = _why_not(wait, calibration, sight)
    return (*phases[:at], *(_told(wait, why) if why else _parts(wait, calibration, sight)), *phases[at + 1 :])


def _why_not(wait: Phase, calibration: Calibration, sight: Sight) -> str:
    tokens = sight.tokens
    if not sight.cold or (sight.cached or 0) > _REUSED * (tokens or 0):
        return "a part of the prompt may have been reused"
    if not sight.alone:
        return "other requests ran beside it"
    if tokens is None or not calibration.least / _REACH <= tokens <= calibration.most * _REACH:
        return "the trial prompts were of other lengths"
    if not sight.seen and not wait.running:
        return "no token came"
    wanted = calibration.ttft_s(tokens)
    took = wait.end_ns / _S
    if took > wanted * (1 + calibration.tolerance):
        return "it took longer than the calibration runs"
    if sight.seen and took < wanted * (1 - calibration.tolerance):
        return "it was faster than the calibration runs"
    return ""


def _told(wait: Phase, why: str) -> tuple[Phase]:
    source = f"{wait.source}; not split by the calibration: {why}"
    return (Phase(wait.name, wait.start_ns, wait.end_ns, wait.provenance, source, wait.running),)


def _parts(wait: Phase, calibration: Calibration, sight: Sight) -> tuple[Phase, ...]:
    tokens = sight.tokens or 0
    if sight.seen:
        border = max(wait.start_ns, wait.end_ns - round(calibration.reading_s(tokens) * _S))
    else:
        border = min(wait.end_ns, max(wait.start_ns, round(calibration.a_s * _S)))
    sure, source = Provenance.ESTIMATED, calibration.source
    overhead = f"queue, tokenize and the way there and back, {source}"
    before = Phase("waiting", wait.start_ns, border, sure, overhead, wait.running and border == wait.end_ns)
    if before.running:
        return (before,)
    reading = Phase("prefill", border, wait.end_ns, sure, source, wait.running)
    return (before, reading) if before.duration_ns else (reading,)


def sight_of(
    conditions: Mapping[str, object], prompt_tokens: int | None, cached: int | None, alone: bool, seen: bool
) -> Sight:
    """The sight of a run by its conditions and what was told of it so far."""
    tokens = prompt_tokens or learned(conditions, "prompt_tokens_counted")
    return Sight(
        tokens=tokens or learned(conditions, "prompt_tokens_asked"),
        cached=cached,
        cold=conditions.get("cache_mode", "cold") == "cold",
        alone=alone and not conditions.get("rivals"),
        seen=seen,
    )
