"""The numbers of a request that can be explained, each with its definition and its value."""

from __future__ import annotations

from dataclasses import dataclass

from tui.domain.lateness import UNTOLD
from tui.domain.phases import Phase
from tui.domain.values import Provenance, Value, absent
from tui.domain.view import View
from tui.plot.numbers import ABSENT, count, duration, rate
from tui.report.hatched import unsplit
from tui.settings.defining import Definition
from tui.settings.definitions import BY_NAME, of_phase

_S = 1_000_000_000
_RATES = ("prefill", "prefill_now", "decode_now", "decode_run", "decode", "decode_engine")
_TIMES = ("since_sent", "ttft", "first_answer")
_COUNTS = ("prompt_tokens", "cached_tokens", "tokens")


@dataclass(frozen=True, slots=True)
class Number:
    """A number of this request and what it means. `shown`: how it stands on the screen, "" = by its unit."""

    definition: Definition
    value: Value
    shown: str = ""

    @property
    def text(self) -> str:
        """The number with its unit as it stands on the screen, `–` when it is not known."""
        number = self.value.number
        if number is None:
            return ABSENT
        if self.shown:
            return self.shown
        if self.value.unit == "s":
            return duration(round(number * _S))
        return rate(number) if self.value.unit == "tok/s" else f"{count(round(number))} {self.value.unit}"


def evidence(view: View) -> tuple[Number, ...]:
    """Everything that is explained, in the order of the definitions; phases only where they happened."""
    values: dict[str, Value] = {name: getattr(view, name) for name in (*_TIMES, *_RATES)}
    values |= {name: _counted(getattr(view, name)) for name in _COUNTS}
    values |= {of_phase(phase.name).name: _lasted(phase, view) for phase in view.phases}
    values |= {"gap": _gap(view), "stall": _stall(view), "delay": _delay(view)}
    return tuple(Number(definition, values[name]) for name, definition in BY_NAME.items() if name in values)


def _counted(tokens: int | None) -> Value:
    if tokens is None:
        return absent("tok", "the engine has not told it")
    return Value(tokens, "tok", Provenance.MEASURED, "the engine's count")


def _lasted(phase: Phase, view: View) -> Value:
    """Of a wait also why it is one, and what would split it."""
    why = unsplit(view) if phase.name == "waiting" else ()
    return Value(phase.duration_ns / _S, "s", phase.provenance, "; ".join((phase.source, *why)))


def _gap(view: View) -> Value:
    gaps = view.gaps
    if gaps.p50_ns is None or gaps.p95_ns is None or gaps.max_ns is None:
        return absent("s", "fewer than two arrivals")
    spread = f"p50 of {count(gaps.n)} gaps; p95 {duration(gaps.p95_ns)}, longest {duration(gaps.max_ns)}"
    reliable = "buffered_delivery" not in view.warnings
    return Value(gaps.p50_ns / _S, "s", Provenance.OBSERVED, spread, reliable)


def _stall(view: View) -> Value:
    stalls = [*view.stalls, *([view.open_stall] if view.open_stall else [])]
    if not stalls:
        return absent("s", "no stall in this answer")
    worst = max(stalls, key=lambda stall: stall.gap_ns)
    unit = "token" if worst.counted else "message"
    which = f"the longest of {len(stalls)}, before {unit} {count(worst.at_token)}"
    reliable = "buffered_delivery" not in view.warnings
    return Value(worst.gap_ns / _S, "s", Provenance.OBSERVED, which, reliable)


def _delay(view: View) -> Value:
    clock = view.clock
    if clock.source == "recv" and clock.p50_ns is None:
        return absent("s", UNTOLD)
    if clock.p50_ns is None or clock.p99_ns is None or clock.max_ns is None:
        return absent("s", "nothing was timed: the request comes from a file, or nothing has arrived")
    stamps = "the system's stamps" if clock.source == "kernel" else "no stamps from the system"
    spread = f"p50, with {stamps}; p99 {duration(clock.p99_ns)}, longest {duration(clock.max_ns)}"
    return Value(clock.p50_ns / _S, "s", Provenance.OBSERVED, spread)
