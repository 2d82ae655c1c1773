"""The one reducer: every fact about a request enters the state here, live and from a recording alike.

`reduce` changes the state it is given and returns it: the same events in the same order always give the same
state. It is total: odd input becomes a warning in the state, never an exception.
"""

from __future__ import annotations

from tui.domain import events as ev
from tui.domain.account import take_timings, take_usage
from tui.domain.hitches import SLOW
from tui.domain.kept import MOST_READINGS, thinned
from tui.domain.machine import Reading
from tui.domain.prefill import Report
from tui.domain.rivals import took
from tui.domain.state import State, ToolCall
from tui.domain.verdict import UNCLEAN, conclude, doubt_clocks

LUMP = 5  # so many text messages in one read are no longer a stream
_SLOT_RACE_NS = 20_000_000  # a poll this near before the head may have seen our own request in the slot


def reduce(state: State, event: ev.Event) -> State:
    """The state after `event`. After the stream's end mark only time, samples, rivals, the end and what the
    engine tells afterwards about this request count.
    """
    if state.over:
        _afterwards(state, event)
        return state
    state.now_ns = max(state.now_ns, event.at_ns)
    match event:
        case ev.Arrived():  # these four come for each token, so they are looked for first
            _arrived(state, event)
        case ev.Generated():
            _generated(state, event)
        case ev.Timings():
            take_timings(state, event)
        case ev.Usage():
            take_usage(state, event)
        case ev.Tick():
            pass
        case ev.Sampled(reading=reading):
            _sample(state, reading)
        case ev.RivalSeen():
            _rival(state, event)
        case ev.Ended(at_ns=at_ns, how=how, detail=detail):
            conclude(state, at_ns, how, detail)
        case ev.Done(at_ns=at_ns):
            state.done_ns = at_ns
            conclude(state, at_ns, "done", "")
        case _:
            _course(state, event)
    return state


def _afterwards(state: State, event: ev.Event) -> None:
    """Some engines keep a record of each request and tell it once the stream is over."""
    match event:
        case ev.Sampled(reading=reading):
            _sample(state, reading)
        case ev.RivalSeen():
            _rival(state, event)
        case ev.Ended(how="reset", detail=detail) if state.failure is None:
            state.warnings.setdefault("closed_uncleanly", detail or UNCLEAN)
        case ev.Learned(conditions=conditions):
            state.conditions.update(conditions)
        case ev.Timings() if state.failure is None:
            take_timings(state, event)
            doubt_clocks(state)
            if event.predicted_n is not None:
                state.warnings.pop("usage_missing", None)
        case _:
            pass


def _course(state: State, event: ev.Event) -> None:
    match event:
        case ev.Began(dialect=dialect):
            state.dialect = dialect
        case ev.Learned(conditions=conditions):
            state.conditions.update(conditions)
        case ev.Connecting(at_ns=at_ns):
            state.connecting_ns = at_ns
        case ev.Connected(at_ns=at_ns, warm=warm):
            state.connected_ns, state.warm = at_ns, warm
            state.conditions["connection"] = "warm" if warm else "cold"
        case ev.Sent():
            state.sending = True
        case ev.SentAll(at_ns=at_ns):
            state.sent, state.sent_all_ns = True, at_ns
        case ev.Head(at_ns=at_ns, status=status):
            state.sent, state.head_ns, state.status = True, at_ns, status
            if state.busy_ns is not None and state.busy_ns > at_ns - _SLOT_RACE_NS:
                state.busy_ns = None
        case ev.TokenizeProbed(tokenize_ns=tokenize_ns):
            state.tokenize_ns = tokenize_ns
        case ev.SlotsSeen(at_ns=at_ns, busy=busy, total=total):
            state.slots.append(event)
            if len(state.slots) > MOST_READINGS:
                del state.slots[1:-1:2]
            queued = state.head_ns is None or (state.dialect.head == "tokenized" and state.first_ns is None)
            if queued and total and busy >= total:
                state.busy_ns, state.free_ns = at_ns, None
            elif queued and state.free_ns is None:
                state.free_ns = at_ns
        case ev.Oddity(code=code, detail=detail):
            state.warnings.setdefault(code, detail)
        case ev.Failed():
            if state.failure is None:
                state.failure = event
        case ev.Finish(at_ns=at_ns, reason=reason):
            if state.finish_reason is None:
                state.finish_reason, state.finish_ns = reason, at_ns
        case _:
            _stream(state, event)


def _stream(state: State, event: ev.Event) -> None:
    match event:
        case ev.Progress():
            _progress(state, event)
        case ev.Edge(phase=phase, begins=begins):
            state.edges.setdefault((phase, begins), event)
        case ev.FirstSign(at_ns=at_ns):
            state.sign_ns = at_ns if state.sign_ns is None else state.sign_ns
        case _:
            pass


def _arrived(state: State, event: ev.Arrived) -> None:
    state.sent = state.read_open = True
    state.body_ns = event.at_ns if state.body_ns is None else state.body_ns
    own = state.instrument
    own.reads += 1
    own.kernel += event.kernel
    own.timed += event.recv_ns is not None
    # without the kernel's stamp our own one is all there is, and it is never late against itself
    stamped = event.recv_ns is not None and event.kernel
    own.late_ns = max(0, event.recv_ns - event.at_ns) if stamped and event.recv_ns is not None else None
    if own.late_ns is not None:
        own.delay_ns.add(own.late_ns)
    if event.texts >= LUMP:
        state.lumped += event.texts
    own.merged += event.texts > 1


def _progress(state: State, event: ev.Progress) -> None:
    last = state.reports[-1] if state.reports else None
    processed = min(event.processed, event.total)
    if last is None or processed > last.processed:
        told = (event.engine_ns, event.unit, event.whole, event.estimated)
        state.reports.append(Report(event.at_ns, event.total, event.cached, processed, *told))
    if event.unit == "tokens" and event.whole and not event.estimated:
        state.prompt_tokens = event.total if state.prompt_tokens is None else state.prompt_tokens
        state.cached_tokens = event.cached if state.cached_tokens is None else state.cached_tokens


def _generated(state: State, event: ev.Generated) -> None:
    at_ns = event.at_ns
    arrivals = state.arrivals
    if state.read_open or not len(arrivals):
        _read_begins(state, at_ns)
        state.read_open = False
    arrivals.message(event.count)
    state.chunks += 1
    state.sent = True
    if state.first_ns is None:
        state.first_ns, state.first_count = at_ns, event.count or 0
    state.last_ns = at_ns
    state.last_count = event.count or 0
    if event.answer and state.answer_ns is None:
        state.answer_ns = at_ns
    state.answer.append(event.answer, state.chunks)
    state.reasoning.append(event.reasoning, state.chunks)
    for delta in event.tools:
        call = state.tools.setdefault(delta.index, ToolCall())
        call.name += delta.name if delta.name != call.name else ""  # some repeat it with each piece
        call.arguments += delta.arguments


def _read_begins(state: State, at_ns: int) -> None:
    """A read with text; of a slow one is kept what may explain it."""
    arrivals = state.arrivals
    usual_ns = arrivals.usual_gap_ns()
    told = state.timings
    current = told is not None and len(arrivals) and told.predicted_n == arrivals.tokens[-1]
    arrivals.start(at_ns)
    if usual_ns is not None and arrivals.gap[-1] > SLOW * usual_ns:
        clock = told.predicted_ns if told is not None and current else None
        state.hitches.add(len(arrivals) - 1, state.instrument.late_ns, clock)


def _rival(state: State, event: ev.RivalSeen) -> None:
    rival = took(state.rivals, event.rival, event.step, event.at_ns, event.chunks, event.how)
    if rival is not None:
        state.rivals[event.rival] = rival


def _sample(state: State, reading: Reading) -> None:
    state.samples.append(reading)
    if len(state.samples) > MOST_READINGS:
        state.samples[:] = thinned(state.samples)


def slots_busy(state: State) -> bool:
    """All slots were seen working for others while this request waited."""
    return state.busy_ns is not None
