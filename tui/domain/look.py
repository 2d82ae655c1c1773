"""From state to View: all derived values of one moment, computed once for whoever shows them."""

from __future__ import annotations

from typing import NamedTuple

from tui.domain import rates
from tui.domain.arrivals import Stall
from tui.domain.calibration import calibration_from, sight_of, tiled
from tui.domain.course import facts_of, told_lengths
from tui.domain.finish import BY_END_TOKEN
from tui.domain.lateness import lateness
from tui.domain.phases import Phase
from tui.domain.prefill import Forecast, forecast, interpolated, speed_now
from tui.domain.state import State
from tui.domain.tiling import split
from tui.domain.values import Provenance, Value, absent
from tui.domain.verdict import told_tokens
from tui.domain.view import Clock, GapStats, Stage, Tool, Track, View

_S = 1_000_000_000
ADD_UP_FLOOR_NS = _S
ADD_UP_SHARE = 0.25
_NOTHING = View()
LUMPS_APART_NS = 60 * _S  # a proxy that holds tokens back for longer is as good as a stall


def look(state: State, now_ns: int | None = None) -> View:
    """The View of `state` at `now_ns` (default: the newest event). Its cost does not grow with the answer."""
    now = state.end_ns if state.end_ns is not None else max(state.now_ns, now_ns or 0)
    told_phases = split(facts_of(state, now))
    phases = _calibrated(state, told_phases)
    tokens = told_tokens(state)
    stage = _stage(state, now, told_phases)
    complete = state.terminal and state.failure is None
    reading = _reading(state, stage, phases, now)
    return View(
        stage=stage,
        now_ns=now,
        total_ns=state.end_ns if state.sent else None,
        conditions=dict(state.conditions),
        phases=phases,
        told_ns=told_lengths(state),
        since_sent=_since(now if state.under_way else None, "s", "nothing was sent yet"),
        ttft=_since(state.first_ns, "s", "no token came", sure=not _buffered(state)),
        first_answer=_since(state.answer_ns, "s", "no answer token came", sure=not _buffered(state)),
        last_token=_since(state.last_ns, "s", "no token came"),
        prompt_tokens=state.prompt_tokens,
        cached_tokens=_cached(state),
        processed_tokens=state.timings.prompt_n if state.timings else None,
        tokens=tokens,
        accepted_tokens=state.timings.accepted_n if state.timings else None,
        reasoning_tokens=state.reasoning_tokens,
        chunks=state.chunks,
        track=Track(state.arrivals, len(state.arrivals)),
        gaps=_gaps(state),
        stalls=tuple(state.arrivals.stalls),
        open_stall=_open_stall(state, now),
        answer=state.answer.snapshot(),
        reasoning=state.reasoning.snapshot(),
        tools=tuple(Tool(c.name, c.arguments) for _, c in sorted(state.tools.items())),
        finish_reason=state.finish_reason,
        complete=complete,
        failure=state.failure,
        warnings=_warnings(state, phases),
        clock=_clock(state),
        samples=tuple(state.samples),
        slots_busy=state.busy_ns is not None,
        slots=tuple(state.slots),
        hitches=state.hitches,
        rivals=tuple(rival for _, rival in sorted(state.rivals.items())),
        reports=tuple(state.reports),
        prefill_start_ns=reading.start_ns,
        prefill_now=reading.speed,
        read_now=reading.tokens,
        forecast=reading.forecast,
        prefill=_prefill_rate(state, complete),
        decode=_decode_rate(state, tokens),
        decode_now=rates.decode_now(state.arrivals, now),
        decode_run=rates.decode_run(state.arrivals, now),
        decode_engine=rates.decode_engine(state.timings),
    )


def _calibrated(state: State, phases: tuple[Phase, ...]) -> tuple[Phase, ...]:
    """An estimated split of what the engine says nothing about, where its calibration came with the run."""
    calibration = calibration_from(state.conditions.get("calibration"))
    if calibration is None:
        return phases
    seen, alone = state.first_ns is not None, state.busy_ns is None
    sight = sight_of(state.conditions, state.prompt_tokens, _cached(state), alone, seen)
    return tiled(phases, calibration, sight)


def _stage(state: State, now: int, phases: tuple[Phase, ...]) -> Stage:
    if state.over:
        if state.failure is not None:
            return Stage.FAILED
        return Stage.CANCELLED if state.ended == "cancelled" and not state.terminal else Stage.FINISHED
    if state.failure is not None:
        return Stage.FAILED
    if not state.under_way:
        return Stage.EMPTY if state.connecting_ns is None else Stage.CONNECTING
    if state.first_ns is not None:
        return Stage.DECODING if _open_stall(state, now) is None else Stage.STALLED
    return Stage.PREFILL if any(p.name in ("prefill", "decode") for p in phases) else Stage.WAITING


def _open_stall(state: State, now: int) -> Stall | None:
    """The silence that lasts, where it says something about the engine: between lumps it does not."""
    stall = None if state.over or state.terminal else state.arrivals.open_stall(now)
    return None if stall is not None and _buffered(state) and stall.gap_ns < LUMPS_APART_NS else stall


def _buffered(state: State) -> bool:
    """What came in lumps came later than it was written."""
    return bool(state.lumped) and 2 * state.lumped >= state.chunks


def _outdated(state: State, tokens: int | None) -> bool:
    """The engine counted along, and stopped to before the last text."""
    counted = state.arrivals.tokens[-1] if len(state.arrivals) else 0
    return bool(counted) and counted == tokens and state.counted_chunks < state.chunks


def _since(at_ns: int | None, unit: str, why: str, sure: bool = True) -> Value:
    if at_ns is None:
        return absent(unit, why)
    note = "from the first byte given to the kernel, our clock"
    return Value(at_ns / _S, unit, Provenance.OBSERVED, note, reliable=sure)


def _cached(state: State) -> int | None:
    if state.cached_tokens is not None:
        return state.cached_tokens
    return state.timings.cached_n if state.timings else None


def _gaps(state: State) -> GapStats:
    ranked = state.arrivals.gaps
    if not ranked.count:
        return GapStats()
    return GapStats(
        ranked.count,
        ranked.median(),
        ranked.percentile(0.95),
        ranked.greatest(),
        state.arrivals.usual_gap_ns(),
    )


def _clock(state: State) -> Clock:
    own = state.instrument
    if not own.timed:
        return Clock("replay", merged_share=_merged(state))
    return Clock(
        "kernel" if 2 * own.kernel >= own.reads else "recv",
        own.delay_ns.percentile(0.5),
        own.delay_ns.percentile(0.99),
        own.delay_ns.greatest(),
        _merged(state),
        *lateness(own, state.arrivals),
    )


def _merged(state: State) -> float | None:
    """Share of the reads with text that brought several messages at once."""
    reads = len(state.arrivals)
    return state.instrument.merged / reads if reads else None


def _warnings(state: State, phases: tuple[Phase, ...]) -> dict[str, str]:
    warnings = dict(state.warnings)
    lost = sum(p.duration_ns for p in phases if p.name == "unattributed")
    if (
        state.over
        and state.failure is None
        and lost > ADD_UP_FLOOR_NS
        and lost > ADD_UP_SHARE * (state.end_ns or 0)
    ):
        warnings["engine_timings_do_not_add_up"] = f"{lost / _S:.2f} s belong to no phase the engine tells"
    return warnings


class _Reading(NamedTuple):
    """How far the prompt is read, as the fields of the View."""

    start_ns: int | None
    speed: Value = _NOTHING.prefill_now
    tokens: int = 0
    forecast: Forecast | None = None


def _reading(state: State, stage: Stage, phases: tuple[Phase, ...], now: int) -> _Reading:
    start = next((phase.start_ns for phase in phases if phase.name == "prefill"), None)
    if not state.reports:
        return _Reading(start)
    start = state.reports[0].at_ns if start is None else start
    speed = speed_now(state.reports, start)
    if stage is not Stage.PREFILL:
        return _Reading(start, speed, state.reports[-1].processed)
    return _Reading(start, speed, interpolated(state.reports, start, now), forecast(state.reports, start))


def _prefill_rate(state: State, complete: bool) -> Value:
    if state.over and not state.terminal and state.first_ns is None:
        return absent("tok/s", "it ended before the prompt was read")
    told = complete or state.first_ns is not None
    return rates.prefill_engine(state.timings if told else None)


def _decode_rate(state: State, tokens: int | None) -> Value:
    if not state.over:
        return absent("tok/s", "the answer is not finished")
    if _outdated(state, tokens):
        return absent("tok/s", "the engine's newest count is older than the last text")
    window = None
    if state.first_ns is not None and state.last_ns is not None:
        window = rates.Window(state.first_ns, state.last_ns, state.first_count, state.last_count)
    # without a reason, too, the last token counted may be the invisible end token
    stopped = state.finish_reason in (*BY_END_TOKEN, None)
    several = "extra_choices" in state.warnings  # the count is that of all answers
    return rates.decode_observed(window, tokens, stopped, _buffered(state) or several)
