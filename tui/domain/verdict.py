"""How a request ended: complete or not, why, and what about it must not be taken at face value."""

from __future__ import annotations

from tui.domain.events import ErrorKind, Failed
from tui.domain.finish import AT_LIMIT
from tui.domain.rates import believed, decode_doubtful, prefill_doubtful
from tui.domain.state import State, learned

MOST_CHARS_PER_TOKEN = 8  # no tokenizer packs plain text more densely, over a whole prompt
PLAIN_CHARS_PER_TOKEN = 6  # few plain texts are packed more densely
LEAST_CUT = 256  # tokens; half of the smallest usual window
FEWEST_CHARS = 1000  # no window is so small that it cuts less text than this
FAR_FROM_LIMIT = 0.9
MORE_THAN_ALL = 0.25  # two clocks differ by less
UNCLEAN = "the connection broke after the answer"
_S = 1_000_000_000


def conclude(state: State, at_ns: int, how: str, detail: str) -> None:
    """The run is over at `at_ns`: settle failure and warnings. `how` as in `events.Ended`, or done."""
    state.now_ns = max(state.now_ns, at_ns)
    state.end_ns, state.ended = at_ns, how
    broken = how in ("reset", "error")
    if broken and state.terminal:
        state.warnings.setdefault("closed_uncleanly", detail or UNCLEAN)
    elif broken and state.failure is None:
        state.failure = _lost(state, at_ns, how, detail)
    elif how == "eof" and not state.terminal and state.failure is None:
        state.warnings.setdefault("ended_without_finish", "the stream ended without a finish reason")
    if state.failure is None:
        _accounting(state)
    doubt_clocks(state)
    if not state.terminal and (stall := state.arrivals.open_stall(at_ns)) is not None:
        state.arrivals.stalls.append(stall)
    if state.lumped and 2 * state.lumped >= state.chunks:
        share = f"{state.lumped} of {state.chunks} messages came in lumps"
        state.warnings.setdefault("buffered_delivery", share)


def _lost(state: State, at_ns: int, how: str, detail: str) -> Failed:
    heard = state.head_ns is not None or state.chunks > 0
    if not heard and not state.sent:
        return Failed(
            at_ns, ErrorKind.CONNECTION_FAILED, detail or "no connection", remedy="is the engine running?"
        )
    if how == "error" and detail:  # we gave up, and know why
        return Failed(at_ns, ErrorKind.CONNECTION_LOST, detail)
    told = told_tokens(state)
    after = f" after {_counted(told, 'token')}" if told else ""
    if not told and state.chunks:
        after = f" after {_counted(state.chunks, 'message')}"
    message = f"the engine closed the connection{after}"
    remedy = "look at the engine's log; often it ran out of memory: try a smaller context"
    return Failed(at_ns, ErrorKind.CONNECTION_LOST, message, remedy=remedy, cause=detail)


def _counted(number: int, what: str) -> str:
    return f"{number:,} {what}{'s' * (number != 1)}"


def told_tokens(state: State) -> int | None:
    """Generated tokens by the engine's count: usage, else its timings; None when it told none."""
    if state.completion_tokens is not None:
        return state.completion_tokens
    return state.timings.predicted_n if state.timings else None


def _accounting(state: State) -> None:
    tokens = told_tokens(state)
    text = state.answer.length + state.reasoning.length
    if tokens is None and state.chunks:
        state.warnings.setdefault("usage_missing", "the engine gave no token count; chunks are not tokens")
    if tokens and not text and not state.tools:
        state.warnings.setdefault("tokens_without_text", f"{tokens} tokens, but no text")
    elif state.terminal and not text and not state.tools:
        state.warnings.setdefault("empty_output", "the engine answered nothing" + _overfull(state))
    limit = learned(state.conditions, "answer_limit")
    if state.finish_reason in AT_LIMIT and limit and tokens is not None and tokens < FAR_FROM_LIMIT * limit:
        state.warnings.setdefault(
            "stopped_by_context", f"stopped at {tokens} of {limit} tokens: context full?"
        )
    _cut(state)


def _cut(state: State) -> None:
    """Far fewer prompt tokens were read than the text can be.

    A count that may lack the reused tokens says nothing while it is so small that no cut leaves it. Half of
    the window plus 2 is what one engine keeps of a prompt that is too long: then less text proves it.
    """
    chars, prompt = learned(state.conditions, "prompt_chars"), state.prompt_tokens
    if not chars or not prompt or chars <= FEWEST_CHARS:
        return
    window = learned(state.conditions, "context_length")
    halved = window is not None and abs(prompt - (window // 2 + 2)) <= 2
    unsure = state.timings is not None and state.timings.cached_unknown
    known = halved or prompt >= LEAST_CUT or not unsure
    if known and chars > (PLAIN_CHARS_PER_TOKEN if halved else MOST_CHARS_PER_TOKEN) * prompt:
        told = f"{prompt} prompt tokens for {chars} characters: the prompt was probably cut"
        state.warnings.setdefault("prompt_truncated_suspected", told)


def _overfull(state: State) -> str:
    """Some engines answer a prompt that is too long with an empty text."""
    window, prompt = learned(state.conditions, "context_length"), state.prompt_tokens
    if not window or not prompt or prompt < window:
        return ""
    return f": the prompt of {prompt} tokens fills the context of {window}"


def doubt_clocks(state: State) -> None:
    """Warn of durations that no engine can need."""
    timings = state.timings
    if timings is None:
        return
    told = (
        (decode_doubtful(timings), timings.predicted_n, timings.predicted_ns),
        (prefill_doubtful(timings), timings.prompt_n, timings.prompt_ns),
    )
    for doubtful, n, span in told:
        if doubtful:
            words = f"{n} tokens in {(span or 0) / 1e6:.3f} ms"
            state.warnings.setdefault("engine_timings_implausible", words)
    timings = believed(timings)
    spans = (timings.load_ns, timings.queue_ns, timings.tokenize_ns, timings.prompt_ns, timings.predicted_ns)
    worked, lasted = sum(ns or 0 for ns in spans), state.end_ns
    if lasted is not None and worked - lasted > max(_S, MORE_THAN_ALL * lasted):
        words = f"{worked / _S:.2f} s of work in a request of {lasted / _S:.2f} s"
        state.warnings.setdefault("engine_timings_implausible", words)
