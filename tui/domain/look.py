"""From state to View: all derived values of one moment, computed once for whoever shows them."""

from __future__ import annotations

from dataclasses import replace

from tui.domain import rates
from tui.domain.phases import Facts, Phase, split
from tui.domain.prefill import forecast, interpolated, speed_now
from tui.domain.state import State
from tui.domain.values import Provenance, Value, absent
from tui.domain.verdict import told_tokens
from tui.domain.view import Clock, GapStats, Stage, Tool, Track, View

_S = 1_000_000_000
_OK = 200
_TOGETHER_NS = 1_000_000  # an engine takes longer from its head to a first token
ADD_UP_FLOOR_NS = _S
ADD_UP_SHARE = 0.25


def look(state: State, now_ns: int | None = None) -> View:
    """The View of `state` at `now_ns` (default: the newest event). Its cost does not grow with the answer."""
    now = state.end_ns if state.end_ns is not None else max(state.now_ns, now_ns or 0)
    phases = split(_facts(state, now))
    tokens = told_tokens(state)
    view = View(
        stage=_stage(state, now, phases),
        now_ns=now,
        total_ns=state.end_ns if state.sent else None,
        conditions=dict(state.conditions),
        phases=phases,
        told_ns=_told(state),
        since_sent=_since(now if state.sent else None, "s", "nothing was sent yet"),
        ttft=_since(state.first_ns, "s", "no token came", sure=not _buffered(state)),
        first_answer=_since(state.answer_ns, "s", "no answer token came", sure=not _buffered(state)),
        last_token=_since(state.last_ns, "s", "no token came"),
        prompt_tokens=state.prompt_tokens,
        cached_tokens=_cached(state),
        processed_tokens=state.timings.prompt_n if state.timings else None,
        tokens=tokens,
        reasoning_tokens=state.reasoning_tokens,
        chunks=state.chunks,
        track=Track(state.arrivals, len(state.arrivals)),
        gaps=_gaps(state),
        stalls=tuple(state.arrivals.stalls),
        open_stall=None if state.over or state.terminal else state.arrivals.open_stall(now),
        answer=state.answer.snapshot(),
        reasoning=state.reasoning.snapshot(),
        tools=tuple(Tool(c.name, c.arguments) for _, c in sorted(state.tools.items())),
        finish_reason=state.finish_reason,
        complete=state.terminal and state.failure is None,
        failure=state.failure,
        warnings=_warnings(state, phases),
        clock=_clock(state),
        samples=tuple(state.samples),
        slots_busy=state.busy_ns is not None,
    )
    return _with_rates(state, _with_prefill(state, view, now), now)


def _facts(state: State, now: int) -> Facts:
    timings = state.timings
    begun_ns, begun_by = _prefill_begun(state)
    # a token whose text is held back shows itself by a role-only event
    seen = [t for t in (state.sign_ns, state.first_ns) if t is not None]
    return Facts(
        dialect=state.dialect,
        now_ns=now,
        over=state.over,
        cut=state.over and not state.terminal,
        connecting_ns=state.connecting_ns,
        connected_ns=state.connected_ns,
        warm=state.warm,
        sent=state.sent,
        sent_all_ns=state.sent_all_ns,
        prefill_from_ns=begun_ns,
        prefill_by=begun_by,
        first_ns=min(seen) if seen else None,
        last_ns=state.last_ns if state.last_ns is not None else state.sign_ns,
        anchor_ns=state.anchor_ns,
        end_ns=state.end_ns,
        head_ns=_accepted_ns(state),
        load_from=state.edges.get(("load", True)),
        load_to=state.edges.get(("load", False)),
        load_ns=timings.load_ns if timings else None,
        queue_ns=timings.queue_ns if timings else None,
        tokenize_ns_told=timings.tokenize_ns if timings else None,
        prompt_ns=timings.prompt_ns if timings and (timings.predicted_n or timings.final) else None,
        predicted_ns=timings.predicted_ns if timings and timings.predicted_n else None,
        told_by=timings.source if timings else "",
        derived=timings.derived if timings else {},
        waits=timings.waits if timings else (),
        tokenize_ns=state.tokenize_ns,
        prompt_tokens=state.prompt_tokens,
        slots_busy=state.busy_ns is not None,
        busy_to_ns=state.busy_ns if state.free_ns is not None or state.first_ns is not None else None,
    )


def _prefill_begun(state: State) -> tuple[int | None, str]:
    """When the engine began to read the prompt, and who says so; None where nobody does.

    An event of the engine first, else the arrival of a report minus the time it had worked by then, else the
    response head of an engine that sends it when it begins to work, else the arrival of its first report.
    """
    edge = state.edges.get(("prefill", True))
    if edge is not None:
        return edge.at_ns, edge.source or "from the engine's event to the first token"
    first = next((r for r in state.reports if r.engine_ns is not None), None)
    if first is not None:
        return first.at_ns - (first.engine_ns or 0), "from the engine's first report to the first token"
    told = next((r for r in state.reports if not r.estimated), None)
    accepted_ns = _accepted_ns(state)
    if state.dialect.head == "working" and accepted_ns is not None:
        return accepted_ns, "from the response head, when the engine begins, to the first token"
    if told is not None:
        return told.at_ns, "from the engine's first report of progress to the first token"
    return None, ""


def _accepted_ns(state: State) -> int | None:
    """When the head of an accepted request came; a refusal says nothing about the engine's work.

    A head that should come before the queue but comes with the body, or with a whole reply, was held back.
    """
    head_ns, body_ns = state.head_ns, state.body_ns
    if head_ns is None or state.status != _OK:
        return None
    if state.dialect.head != "tokenized":
        return head_ns
    held = "not_streamed" in state.warnings or (body_ns is not None and body_ns - head_ns < _TOGETHER_NS)
    return None if held else head_ns


def _told(state: State) -> dict[str, int]:
    """What the engine itself says about the length of phases; drawn ones may be cut to fit what we saw."""
    timings = state.timings
    if timings is None:
        return {}
    told = {
        "load": timings.load_ns,
        "queue": timings.queue_ns,
        "tokenize": timings.tokenize_ns,
        "prefill": timings.prompt_ns,
        "decode": timings.predicted_ns if timings.predicted_n else None,
    }
    return {name: ns for name, ns in told.items() if ns is not None}


def _stage(state: State, now: int, phases: tuple[Phase, ...]) -> Stage:
    if state.over:
        if state.failure is not None:
            return Stage.FAILED
        return Stage.CANCELLED if state.ended == "cancelled" and not state.terminal else Stage.FINISHED
    if state.failure is not None:
        return Stage.FAILED
    if not state.sent:
        return Stage.EMPTY if state.connecting_ns is None else Stage.CONNECTING
    if state.first_ns is not None:
        stalled = not state.terminal and state.arrivals.open_stall(now) is not None
        return Stage.STALLED if stalled else Stage.DECODING
    return Stage.PREFILL if any(p.name in ("prefill", "decode") for p in phases) else Stage.WAITING


def _buffered(state: State) -> bool:
    """What came in lumps came later than it was written."""
    return bool(state.lumped) and 2 * state.lumped >= state.chunks


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


def _with_prefill(state: State, view: View, now: int) -> View:
    phase = view.phase("prefill")
    if not state.reports:
        return replace(view, prefill_start_ns=phase.start_ns if phase else None)
    start = phase.start_ns if phase else state.reports[0].at_ns
    last = state.reports[-1]
    reading = view.stage is Stage.PREFILL
    return replace(
        view,
        reports=tuple(state.reports),
        prefill_start_ns=start,
        prefill_now=speed_now(state.reports, start),
        read_now=interpolated(state.reports, start, now) if reading else last.processed,
        forecast=forecast(state.reports, start) if reading else None,
    )


def _with_rates(state: State, view: View, now: int) -> View:
    window = None
    if state.first_ns is not None and state.last_ns is not None:
        window = rates.Window(state.first_ns, state.last_ns, state.first_count, state.last_count)
    tokens = view.tokens
    # without a reason, too, the last token counted may be the invisible end token
    stopped = state.finish_reason in ("stop", None)
    if state.over:
        decode = rates.decode_observed(window, tokens, stopped, _buffered(state))
    else:
        decode = absent("tok/s", "the answer is not finished")
    if state.over and not state.terminal and state.first_ns is None:
        prefill = absent("tok/s", "it ended before the prompt was read")
    else:
        told = view.complete or state.first_ns is not None
        prefill = rates.prefill_engine(state.timings if told else None)
    return replace(
        view,
        prefill=prefill,
        decode=decode,
        decode_now=rates.decode_now(state.arrivals, now),
        decode_run=rates.decode_run(state.arrivals, now),
        decode_engine=rates.decode_engine(state.timings),
    )
