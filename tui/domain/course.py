"""The course of a request as its state tells it: what the phases are tiled from."""

from __future__ import annotations

from tui.domain.events import Timings
from tui.domain.phases import Facts
from tui.domain.rates import believed
from tui.domain.state import State

_OK = 200
_ON_THE_WAY_NS, _ON_THE_WAY_SHARE = 200_000_000, 0.05  # what the way there and back may take
_TOGETHER_NS = 1_000_000  # an engine takes longer from its head to a first token


def facts_of(state: State, now: int) -> Facts:
    """What the phases of `state` are tiled from at `now` ns since sent."""
    timings = believed(state.timings) if state.timings else None
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
        sent=state.under_way,
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


def told_lengths(state: State) -> dict[str, int]:
    """What the engine itself says about the length of phases; drawn ones may be cut to fit what we saw."""
    if state.timings is None:
        return {}
    timings = believed(state.timings)
    told = {
        "load": timings.load_ns,
        "queue": timings.queue_ns,
        "tokenize": timings.tokenize_ns,
        "prefill": timings.prompt_ns,
        "decode": timings.predicted_ns if timings.predicted_n else None,
        "unattributed": _rest(timings, state.end_ns),
    }
    return {name: ns for name, ns in told.items() if ns is not None}


def _rest(timings: Timings, end_ns: int | None) -> int | None:
    """What of the engine's total belongs to no phase, where such a rest is left over.

    Where we waited for longer than the engine says it took, ours is the rest that counts.
    """
    parts = (timings.load_ns, timings.prompt_ns, timings.predicted_ns)
    known = [ns for ns in parts if ns is not None]
    total = timings.total_ns
    if total is None or not any(wait.name == "unattributed" for wait in timings.waits):
        return None
    if end_ns is not None and end_ns - total > max(_ON_THE_WAY_NS, _ON_THE_WAY_SHARE * total):
        return None
    return max(0, total - sum(known))
