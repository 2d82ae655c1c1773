"""Phases: how the time of one request is tiled, without overlap and without a guess."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from tui.domain.events import Dialect, Edge, Wait
from tui.domain.values import Provenance

ORDER = ("connect", "send", "load", "queue", "tokenize", "prefill", "decode", "finish")

# Where nobody probed the tokenizer, the wait may still be called queue when it is far longer than any
# tokenizer could take: 20 times (5 ms of handling and 10 µs a token; 2 µs a token were measured).
_HANDLING_NS = 5_000_000
_TOKEN_NS = 10_000
_FAR = 20


@dataclass(frozen=True, slots=True)
class Phase:
    """One stretch of the request: [start_ns, end_ns) since it was sent, and who says so."""

    name: str
    start_ns: int
    end_ns: int
    provenance: Provenance
    source: str
    running: bool = False

    @property
    def duration_ns(self) -> int:
        return self.end_ns - self.start_ns


@dataclass(frozen=True, slots=True)
class Facts:
    """What is known about the course of one request, ns since sent; None = not told or not yet."""

    dialect: Dialect
    now_ns: int
    over: bool = False
    cut: bool = False  # it ended without a terminal signal
    connecting_ns: int | None = None
    connected_ns: int | None = None
    warm: bool = False
    sent: bool = False
    sent_all_ns: int | None = None
    prefill_from_ns: int | None = None  # when the engine began to read the prompt, as it told
    prefill_by: str = "from the engine's first report to the first token"  # who told it
    first_ns: int | None = None  # first token, as seen at the socket
    last_ns: int | None = None  # last token, as seen at the socket
    anchor_ns: int | None = None  # arrival of the event that carried predicted_ns
    end_ns: int | None = None  # end of the body, or when the run was stopped
    head_ns: int | None = None
    load_from: Edge | None = None
    load_to: Edge | None = None
    load_ns: int | None = None
    queue_ns: int | None = None
    tokenize_ns_told: int | None = None  # by the engine for this request
    prompt_ns: int | None = None
    predicted_ns: int | None = None
    told_by: str = ""  # where the engine's durations were read, when not in the stream
    derived: Mapping[str, str] = field(default_factory=dict)  # phases whose length is computed, and how
    waits: tuple[Wait, ...] = ()  # how the wait is split, where lengths alone do not say it
    tokenize_ns: int | None = None  # from the probe
    prompt_tokens: int | None = None
    slots_busy: bool = False
    busy_to_ns: int | None = None  # so long they were seen busy; None = up to now


def split(facts: Facts) -> tuple[Phase, ...]:
    """The phases of the request, in order, touching each other; zero-length ones are left out.

    From `sent` on they tile the time up to `end_ns` (or now). Engine durations are kept exactly and anchored
    at the last token; what is left over goes to the wait before and to `finish` behind.
    """
    phases: list[Phase] = []
    if facts.connecting_ns is not None:
        phases.append(_connect(facts))
    if not facts.sent:
        return tuple(p for p in phases if p.duration_ns > 0 or p.running)
    end = facts.end_ns if facts.end_ns is not None else facts.now_ns
    sent_all = min(facts.sent_all_ns or 0, end)
    if sent_all > 0:
        phases.append(Phase("send", 0, sent_all, Provenance.OBSERVED, "bytes given to the kernel"))
    prefill, decode = _work(facts, sent_all, end)
    work = prefill or decode
    wait_end = work.start_ns if work else end
    waiting = facts.first_ns is None and prefill is None and not facts.over
    phases += _wait(facts, sent_all, wait_end, waiting)
    phases += [p for p in (prefill, decode) if p is not None]
    at = phases[-1].end_ns if phases else 0
    if at < end and (prefill or decode) and not facts.cut:
        phases.append(Phase("finish", at, end, Provenance.OBSERVED, "last token to the end of the body"))
    return tuple(p for p in phases if p.duration_ns > 0 or p.running or p.provenance is Provenance.ESTIMATED)


def _connect(facts: Facts) -> Phase:
    start = facts.connecting_ns or 0
    if facts.connected_ns is None:
        return Phase("connect", start, max(start, facts.now_ns), Provenance.OBSERVED, "not yet", True)
    if not facts.sent:
        return Phase(
            "connect", start, facts.now_ns, Provenance.OBSERVED, "handshake, then about to send", True
        )
    # its length is what was seen; it is set directly before "sent", so that the phases touch
    how = "TCP (and TLS) handshake" + (", done before the request was sent" if facts.warm else "")
    return Phase("connect", min(0, start - facts.connected_ns), 0, Provenance.OBSERVED, how)


def _work(facts: Facts, floor: int, end: int) -> tuple[Phase | None, Phase | None]:
    """Prefill and decode, as far as they can be told, inside [floor, end]."""
    decode = _decode(facts, floor, end)
    border = decode.start_ns if decode else facts.first_ns
    if border is None and facts.over:
        border = facts.anchor_ns  # an answer without a single token
    if facts.prompt_ns is not None and border is not None:
        # where the engine's clock says more than ours saw: keep its duration, move the border
        start = _within(border - facts.prompt_ns, floor, end)
        stop = min(start + facts.prompt_ns, end)
        prefill = Phase("prefill", start, stop, *_told(facts, "prefill", "prompt time"))
        return prefill, _moved(decode, stop, end)
    if facts.prefill_from_ns is None:
        return None, decode
    if border is None:
        start = _within(facts.prefill_from_ns, floor, end)
        return Phase("prefill", start, end, Provenance.OBSERVED, facts.prefill_by, not facts.over), None
    stop = _within(border, floor, end)
    start = _within(facts.prefill_from_ns, floor, stop)
    return Phase("prefill", start, stop, Provenance.OBSERVED, facts.prefill_by), _moved(decode, stop, end)


def _within(at_ns: int, floor: int, end: int) -> int:
    return max(floor, min(at_ns, end))


def _moved(decode: Phase | None, start: int, end: int) -> Phase | None:
    """Decode beginning at `start`, its length kept as far as it ends by `end`."""
    if decode is None or decode.start_ns == start:
        return decode
    stop = end if decode.running else min(start + decode.duration_ns, end)
    return replace(decode, start_ns=start, end_ns=stop)


def _decode(facts: Facts, floor: int, end: int) -> Phase | None:
    if facts.first_ns is None or facts.last_ns is None:
        return None
    running = not facts.over
    if facts.predicted_ns is not None and facts.anchor_ns is not None:
        stop = _within(facts.anchor_ns, floor, end)
        start = max(floor, stop - facts.predicted_ns)
        sure, source = _told(facts, "decode", "time from first to last token")
        if running or facts.cut:
            return Phase("decode", start, end, Provenance.OBSERVED, source, running)
        return Phase("decode", start, stop, sure, source)
    start = _within(facts.first_ns, floor, end)
    # silence before a break belongs to the answer that did not go on
    stop = end if running or facts.cut else _within(facts.last_ns, start, end)
    return Phase("decode", start, stop, Provenance.OBSERVED, "first to last token at the socket", running)


def _wait(facts: Facts, start: int, end: int, running: bool) -> list[Phase]:
    """Everything between the request and the first work on it."""
    if facts.waits:
        return _split_wait(facts.waits, start, end)
    phases = _load(facts, start, end, running)
    start = phases[-1].end_ns if phases else start
    if phases and phases[-1].running:
        return phases
    told = _told_wait(facts, start, end)
    phases += told
    start = told[-1].end_ns if told else start
    if end <= start and not running:
        return phases
    rest = "what belongs to no phase the engine tells"
    if facts.queue_ns is not None or (facts.load_ns is not None and facts.prompt_ns is not None):
        return [*phases, Phase("unattributed", start, end, Provenance.DERIVED, rest, running)]
    known_end = facts.prompt_ns is not None or facts.prefill_from_ns is not None
    if told:  # tokenized: what follows is the queue, and prefill unless its beginning is known
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
    for wait in waits:
        stop = end if wait.ns is None else min(end, start + wait.ns)
        phases.append(Phase(wait.name, start, stop, wait.provenance, wait.source))
        start = stop
    return phases


def _held_wait(facts: Facts, start: int, end: int, running: bool) -> list[Phase]:
    """The wait of a tokenized request whose beginning of prefill nobody tells.

    So long as others were seen holding the engine it is queue; behind that the two can't be told apart.
    """
    why = "queue and prefill can't be told apart here"
    if not facts.slots_busy:
        return [Phase("waiting", start, end, Provenance.OBSERVED, why, running)]
    held = end if facts.busy_to_ns is None else _within(facts.busy_to_ns, start, end)
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
        return [*before, Phase("load", start, stop, *_told(facts, "load", "load time"))]
    if begun is None:
        return []
    done = facts.load_to
    if done is None and not running:  # its end was never told
        return []
    stop = end if done is None else _within(done.at_ns, start, end)
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
            parts.append(Phase("queue", at, stop, *_told(facts, "queue", "queue time")))
        elif name == "tokenize" and facts.tokenize_ns_told is not None:
            stop = min(end, at + facts.tokenize_ns_told)
            parts.append(Phase("tokenize", at, stop, *_told(facts, "tokenize", "tokenizer time")))
        elif name == "tokenize" and facts.dialect.head == "tokenized" and facts.head_ns is not None:
            stop = _within(facts.head_ns, at, end)
            how = "sent to response head: templated and tokenized, one way there and back in it"
            parts.append(Phase("tokenize", at, stop, Provenance.OBSERVED, how))
    return parts


def _told(facts: Facts, phase: str, what: str) -> tuple[Provenance, str]:
    """(how sure, who says so) of a length that the engine told."""
    if phase in facts.derived:
        return Provenance.DERIVED, facts.derived[phase]
    return Provenance.MEASURED, f"the engine's {what}" + (f", {facts.told_by}" if facts.told_by else "")


def _held(facts: Facts) -> str:
    return "; other requests held the slots" if facts.slots_busy else ""


def _named_wait(facts: Facts, start: int, end: int, running: bool) -> list[Phase]:
    """Queue and tokenization of an engine whose prefill has a known beginning."""
    if facts.tokenize_ns is None:
        most = _HANDLING_NS + _TOKEN_NS * (facts.prompt_tokens or 0)
        if end - start > _FAR * most or facts.slots_busy:
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
