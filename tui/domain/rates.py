"""Rates of one request, each with its formula; engine and client rates are two numbers with two names."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, replace

from tui.domain.arrivals import Arrivals
from tui.domain.events import Timings
from tui.domain.values import Provenance, Value, absent

IMPLAUSIBLE_TPS = 100_000  # no single request is written faster; above it the clock is wrong
IMPLAUSIBLE_PREFILL_TPS = 1_000_000  # a model of 0.1 B fills the fastest GPU's arithmetic at twice that
INVISIBLE_END_BELOW = 50  # with fewer tokens one invisible end token bends the rate by over 2 %
_S = 1_000_000_000
_NO_TIME_NS = 1  # 0 or 1 in place of a duration


@dataclass(frozen=True, slots=True)
class Window:
    """Tokens and time between the first and the last message with generated text."""

    first_ns: int
    last_ns: int
    first_count: int  # the engine's running count at the first text, 0 = none told
    last_count: int


def decode_observed(window: Window | None, tokens: int | None, stopped: bool, buffered: bool) -> Value:
    """Tokens after the first / (last arrival - first arrival), tok/s, by our clock at the socket.

    Counts are the engine's: its running count where it tells one with each message, else its total.
    """
    unit = "tok/s"
    if window is None:
        return absent(unit, "no token came")
    span = window.last_ns - window.first_ns
    if (tokens if tokens is not None else window.last_count or 2) < 2:
        return absent(unit, "fewer than 2 tokens")
    if span <= 0:
        return absent(unit, "first and last token came in one read")
    if window.first_count and window.last_count:
        new = window.last_count - window.first_count
        if new < 1:
            return absent(unit, "fewer than 2 tokens")
        formula = f"({window.last_count} - {window.first_count}) tokens / {span / _S:.3f} s"
        return Value(new * _S / span, unit, Provenance.OBSERVED, formula, reliable=not buffered)
    if tokens is None:
        return absent(unit, "the engine gave no token count; chunks are not tokens")
    sure = not buffered and not (stopped and tokens < INVISIBLE_END_BELOW)
    formula = f"({tokens} - 1) tokens / {span / _S:.3f} s"
    return Value((tokens - 1) * _S / span, unit, Provenance.OBSERVED, formula, reliable=sure)


def prefill_doubtful(timings: Timings) -> bool:
    """Whether no engine can read so many prompt tokens in the time told.

    Where some of them may have been reused, their number is in doubt and not the time.
    """
    n, span = timings.prompt_n, timings.prompt_ns
    if n is None or span is None or n < 2:
        return False
    return span <= _NO_TIME_NS or (not timings.cached_unknown and prefill_too_fast(n, span))


def prefill_too_fast(tokens: int, span_ns: int) -> bool:
    """Whether no engine can read so many tokens in so short a time."""
    return tokens * _S / span_ns > IMPLAUSIBLE_PREFILL_TPS


def decode_doubtful(timings: Timings) -> bool:
    """Whether no engine can write so many tokens in the time told."""
    n, span = timings.predicted_n, timings.predicted_ns
    if n is None or span is None or n < 2:
        return False
    return span <= _NO_TIME_NS or (n - 1) * _S / span > IMPLAUSIBLE_TPS


def believed(timings: Timings) -> Timings:
    """`timings` without the durations that no engine can need: they are no phases either."""
    if prefill_doubtful(timings):
        timings = replace(timings, prompt_ns=None)
    return replace(timings, predicted_ns=None) if decode_doubtful(timings) else timings


def decode_engine(timings: Timings | None) -> Value:
    """(n - 1) / duration from the engine's own count and clock, tok/s; never the rate it prints."""
    unit = "tok/s"
    if timings is None or timings.predicted_n is None or timings.predicted_ns is None:
        return absent(unit, "the engine tells no decode time")
    n, span = timings.predicted_n, timings.predicted_ns
    if n < 2:
        return absent(unit, "fewer than 2 tokens")
    if decode_doubtful(timings):
        return absent(unit, "the engine's decode time is implausible")
    whose = Provenance.DERIVED if "decode" in timings.derived else Provenance.MEASURED
    return Value((n - 1) * _S / span, unit, whose, f"({n} - 1) tokens / {span / _S:.3f} s")


def prefill_engine(timings: Timings | None) -> Value:
    """Prompt tokens really processed / the engine's prefill time, tok/s. Never from TTFT."""
    unit = "tok/s"
    if timings is None or timings.prompt_n is None or timings.prompt_ns is None:
        return absent(unit, "the engine tells no prefill time")
    n, span = timings.prompt_n, timings.prompt_ns
    if n < 2:
        return absent(unit, "fewer than 2 tokens were processed")
    if prefill_doubtful(timings):
        return absent(unit, "the engine's prefill time is implausible")
    if prefill_too_fast(n, span):
        return absent(unit, "the engine reused some of the prompt and does not tell how much")
    # right after a load nothing can be cached, so the count holds
    sure = not timings.cached_unknown or (timings.load_ns or 0) > _S
    whose = Provenance.DERIVED if "prefill" in timings.derived else Provenance.MEASURED
    return Value(n * _S / span, unit, whose, f"{n} tokens / {span / _S:.3f} s", reliable=sure)


def decode_now(arrivals: Arrivals, now_ns: int) -> Value:
    """Tokens in the last second / 1 s (since the first token while that is shorter), tok/s.

    It falls while nothing comes. Needs the engine's running count.
    """
    unit = "tok/s"
    if not len(arrivals):
        return absent(unit, "no token yet")
    if not arrivals.tokens[-1]:
        return absent(unit, "the engine tells no running token count; chunks are not tokens")
    first = arrivals.at[0]
    start = max(first, now_ns - _S)
    if now_ns <= start:
        return absent(unit, "only the first token came")
    if arrivals.tokens[-1] == arrivals.tokens[0]:
        return absent(unit, "only the first token came")
    before = bisect_right(arrivals.at, start) - 1
    new = arrivals.tokens[-1] - arrivals.tokens[before]
    return Value(new * _S / (now_ns - start), unit, Provenance.OBSERVED, f"{new} tokens in the last second")


def decode_run(arrivals: Arrivals, now_ns: int) -> Value:
    """Tokens since the first one / time since the first one, tok/s, while the run goes on."""
    unit = "tok/s"
    if not len(arrivals) or not arrivals.tokens[-1] or now_ns <= arrivals.at[0]:
        return absent(unit, "no running token count yet")
    new = arrivals.tokens[-1] - arrivals.tokens[0]
    return Value(
        new * _S / (now_ns - arrivals.at[0]), unit, Provenance.OBSERVED, "tokens since the first / time"
    )
