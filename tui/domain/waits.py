"""The wait between a request and the first work on it, named as far as somebody tells."""

from __future__ import annotations

from tui.domain.events import Wait
from tui.domain.phases import Facts, Phase, told, within
from tui.domain.values import Provenance

# Where nobody probed the tokenizer, the wait may still be called queue when it is far longer than any
# tokenizer could take: 20 times (5 ms of handling and 10 µs a token; 2 µs a token were measured).
_HANDLING_NS = 5_000_000
_TOKEN_NS = 10_000
_FAR = 20


def wait(facts: Facts, start: int, end: int, running: bool) -> list[Phase]:
    """Everything between the request and the first work on it."""
    if facts.waits:
        return _split_wait(facts.waits, start, end)
    phases = _load(facts, start, end, running)
    start = phases[-1].end_ns if phases else start
    if phases and phases[-1].running:
        return phases
    parts = _told_wait(facts, start, end)
    phases += parts
    start = parts[-1].end_ns if parts else start
    if end <= start and not running:
        return phases
    rest = "what belongs to no phase the engine tells"
    if facts.queue_ns is not None or (facts.load_ns is not None and facts.prompt_ns is not None):
        return [*phases, Phase("unattributed", start, end, Provenance.DERIVED, rest, running)]
    known_end = facts.prompt_ns is not None or facts.prefill_from_ns is not None
    if parts:  # tokenized: what follows is the queue, and prefill unless its beginning is known
        if known_end:
            why = "from tokenized to the beginning of prefill" + _held(facts)
            return [*phases, Phase("queue", start, end, Provenance.DERIVED, why, running)]
        return phases + _held_wait(facts, start, end, running)
    # while nothing was heard, only an engine whose slots were seen busy is known to let us queue
    if not (facts.dialect.names_wait and (known_end or facts.slots_busy)):
        why = "queue and tokenize" if known_end else "queue, tokenize and prefill"
        if facts.dialect.head == "working":
            why = "load, queue and tokenize"
        return [
            *phases,
            Phase("waiting", start, end, Provenance.OBSERVED, f"{why} can't be told apart here", running),
        ]
    return phases + _named_wait(facts, start, end, running)


def _split_wait(waits: tuple[Wait, ...], start: int, end: int) -> list[Phase]:
    """The wait as the engine's adapter splits it, cut where the work begins."""
    phases: list[Phase] = []
    for part in waits:
        stop = end if part.ns is None else min(end, start + part.ns)
        phases.append(Phase(part.name, start, stop, part.provenance, part.source))
        start = stop
    return phases


def _held_wait(facts: Facts, start: int, end: int, running: bool) -> list[Phase]:
    """The wait of a tokenized request whose beginning of prefill nobody tells.

    So long as others were seen holding the engine it is queue; behind that the two can't be told apart.
    """
    why = "queue and prefill can't be told apart here"
    if not facts.slots_busy:
        return [Phase("waiting", start, end, Provenance.OBSERVED, why, running)]
    held = end if facts.busy_to_ns is None else within(facts.busy_to_ns, start, end)
    seen = "from tokenized until other requests were last seen holding the engine"
    queue = Phase("queue", start, held, Provenance.ESTIMATED, seen, running and held == end)
    if held == end:
        return [queue]
    return [queue, Phase("waiting", held, end, Provenance.OBSERVED, why, running)]


def _load(facts: Facts, start: int, end: int, running: bool) -> list[Phase]:
    """The load of the model, where the engine tells its length or its edges; with what lies before it."""
    begun = facts.load_from
    before: list[Phase] = []
    if begun is not None and begun.at_ns > start:
        at = min(begun.at_ns, end)
        before = [Phase("waiting", start, at, Provenance.OBSERVED, "before the engine began to load", False)]
        start = at
    if facts.load_ns:
        stop = min(end, start + facts.load_ns)
        return [*before, Phase("load", start, stop, *told(facts, "load", "load time"))]
    if begun is None:
        return []
    done = facts.load_to
    if done is None and not running:  # its end was never told
        return []
    stop = end if done is None else within(done.at_ns, start, end)
    source = (done or begun).source or begun.source
    provenance = Provenance.ESTIMATED if begun.estimated else Provenance.OBSERVED
    return [*before, Phase("load", start, stop, provenance, source, done is None)]


def _told_wait(facts: Facts, start: int, end: int) -> list[Phase]:
    """Queue and tokenization as far as the engine tells their lengths, in its order of work."""
    parts: list[Phase] = []
    for name in ("tokenize", "queue") if facts.dialect.tokenizes_first else ("queue", "tokenize"):
        at = parts[-1].end_ns if parts else start
        if name == "queue" and facts.queue_ns is not None:
            stop = min(end, at + facts.queue_ns)
            parts.append(Phase("queue", at, stop, *told(facts, "queue", "queue time")))
        elif name == "tokenize" and facts.tokenize_ns_told is not None:
            stop = min(end, at + facts.tokenize_ns_told)
            parts.append(Phase("tokenize", at, stop, *told(facts, "tokenize", "tokenizer time")))
        elif name == "tokenize" and facts.dialect.head == "tokenized" and facts.head_ns is not None:
            stop = within(facts.head_ns, at, end)
            how = "sent to response head: templated and tokenized, one way there and back in it"
            parts.append(Phase("tokenize", at, stop, Provenance.OBSERVED, how))
    return parts


def _held(facts: Facts) -> str:
    return "; other requests held the slots" if facts.slots_busy else ""


def _at_once(facts: Facts) -> bool:
    """Whether text that took time to write came in one read: something on the way held it back."""
    return facts.first_ns == facts.last_ns and (facts.predicted_ns or 0) > _HANDLING_NS


def _named_wait(facts: Facts, start: int, end: int, running: bool) -> list[Phase]:
    """Queue and tokenization of an engine whose prefill has a known beginning."""
    if facts.tokenize_ns is None:
        most = _HANDLING_NS + _TOKEN_NS * (facts.prompt_tokens or 0)
        if facts.slots_busy or (end - start > _FAR * most and not _at_once(facts)):
            why = "wait before the engine began; tokenization inside it, not probed"
            return [Phase("queue", start, end, Provenance.ESTIMATED, why, running)]
        why = "queue and tokenize can't be told apart without a probe"
        return [Phase("waiting", start, end, Provenance.OBSERVED, why, running)]
    border = min(end, start + facts.tokenize_ns)
    probe = "the same prompt tokenized alone just before, without the round trip"
    tokenize = Phase("tokenize", start, border, Provenance.ESTIMATED, probe, running and border == end)
    queue_s = "wait before the engine began, minus tokenization" + _held(facts)
    if not facts.dialect.tokenizes_first:
        width = border - start
        return [
            Phase("queue", start, end - width, Provenance.ESTIMATED, queue_s, running),
            Phase("tokenize", end - width, end, Provenance.ESTIMATED, probe),
        ]
    return [tokenize, Phase("queue", border, end, Provenance.ESTIMATED, queue_s, running and border < end)]
