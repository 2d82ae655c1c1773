"""When the first token should come, in coarse words that stand still for a second and count down."""

from __future__ import annotations

from dataclasses import dataclass

from tui.domain.expect import Expected, told_expectation
from tui.domain.view import Stage, View
from tui.plot.numbers import coarse, steadied

_S = 1_000_000_000


@dataclass(frozen=True, slots=True)
class Expectation:
    """`expected_ns`: when the first token should come, since sent; `labels` longest first; how long yet."""

    expected_ns: int | None = None
    labels: tuple[str, ...] = ()
    remaining: str = ""


NOTHING = Expectation()


class Estimates:
    """Remembers what was shown, so that it changes at most once a second and never jumps a little up."""

    def __init__(self) -> None:
        self._run = -1
        self._shown_ns: int | None = None
        self._at_ns = 0
        self._expected_ns = 0
        self._bound = False

    def follow(self, run: int, view: View, last_ttft_s: float | None) -> Expectation:
        """The expectation now. `last_ttft_s`: what this prompt length took before, if it is known."""
        if run != self._run:
            self._run, self._shown_ns = run, None
        if view.stage is Stage.PREFILL and view.forecast is not None and view.prefill_start_ns is not None:
            bound = view.forecast.bound
            remaining = self._remaining(view, view.prefill_start_ns + view.forecast.total_ns, bound)
            # sentence and lane say the same estimate, held as long
            label = f"first token {'>' if bound else '≈'} {coarse(self._expected_ns)}"
            return Expectation(self._expected_ns, (label,), remaining)
        if view.stage not in (Stage.WAITING, Stage.PREFILL):
            return NOTHING
        usual = told_expectation(view.conditions)
        if usual is not None:
            return self._usually(view, usual)
        if last_ttft_s is not None:
            expected_ns = round(last_ttft_s * _S)
            told = coarse(expected_ns)
            late = view.now_ns > expected_ns
            labels = (
                (f"longer than last time: {told}", f"last time {told}") if late else (f"last time {told}",)
            )
            return Expectation(expected_ns, labels)
        return NOTHING

    def _usually(self, view: View, usual: Expected) -> Expectation:
        """By this machine's earlier runs; once it has passed no time is promised any more."""
        expected_ns = round(usual.ttft_s * _S)
        told = f"≈ {coarse(expected_ns)}"
        if view.now_ns > expected_ns:
            labels = (f"longer than usual: {told}", f"usually {told}")
            return Expectation(expected_ns, labels, "longer than usual")
        remaining = self._remaining(view, expected_ns, bound=False)
        runs = f"({usual.runs} runs)"
        said = f"other lengths say {told}" if usual.fitted else f"usually {told}"
        span = _span(usual)
        return Expectation(expected_ns, (f"{said}{span} {runs}", f"{said} {runs}", told), remaining)

    def _remaining(self, view: View, expected_ns: int, bound: bool) -> str:
        left_ns = expected_ns - view.now_ns
        if self._shown_ns is None or bound != self._bound:
            self._shown_ns, self._at_ns = left_ns, view.now_ns
        elif view.now_ns - self._at_ns >= _S:
            self._shown_ns, self._at_ns = steadied(self._shown_ns, left_ns), view.now_ns
        self._expected_ns = self._at_ns + self._shown_ns
        self._bound = bound
        if self._shown_ns <= 0:
            return "the first token is due"
        return f"{'>' if bound else '≈'} {coarse(self._shown_ns)} to the first token"


def _span(usual: Expected) -> str:
    """The range in coarse words, its unit said once: `, 1.7 to 2.4 s`; "" where it is none."""
    low, high = (coarse(round(seconds * _S)) for seconds in (usual.low_s, usual.high_s))
    unit = high.rpartition(" ")[2]
    return f", {low.removesuffix(f' {unit}')} to {high}" if low != high else ""
