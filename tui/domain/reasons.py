"""What was recorded about a stretch of an answer, fact by fact: who told it, and whether it is a cause."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tui.domain.facts import Fact, Quantity, Role, Words
from tui.domain.hitches import SLOW, Hitch
from tui.domain.moments import Moment
from tui.domain.on_machine import on_machine
from tui.domain.spans import Span, messages_of
from tui.domain.values import Provenance
from tui.domain.view import View

QUICK = 0.25  # of the usual gap: what comes sooner was ready before
_MOST_OF_IT = 0.5  # of a gap: so much of it says where the time passed
_PART_OF_IT = 0.2  # so much of it is a cause
_OUR_SOCKET = "our clock, at the socket"


def slow(view: View, span: Span) -> bool:
    """Whether it took clearly longer than usual."""
    usual_ns = view.gaps.p50_ns
    return usual_ns is not None and span.duration_ns > SLOW * usual_ns


def first_wait(view: View, span: Span) -> Iterator[Fact]:
    """What the wait for the first text was made of, and whether more came with it."""
    yield from _lump(view, span)
    yield from _phases(view, span)


def reasons(view: View, span: Span, marks: Sequence[Moment]) -> Iterator[Fact]:
    """Everything recorded about a span that may tell why it took so long."""
    hitch = None if span.open else view.hitches.at(span.end)
    yield from _lump(view, span)
    yield from _count(view, span)
    yield from _burst(view, span)
    yield from _engine_clock(span, hitch)
    yield from _rivals(view, span)
    yield from _slots(view, span)
    yield from on_machine(view, span, marks, slow(view, span))
    yield from _reader(view, span, hitch)
    yield from _silent_end(view, span)


def _phases(view: View, span: Span) -> Iterator[Fact]:
    """What the wait for the first token was made of."""
    for phase in view.phases:
        if 0 <= phase.start_ns < span.end_ns and phase.name != "decode":
            words: Words = (f"{phase.name} took ", Quantity(phase.duration_ns, "ns"))
            yield Fact(words, phase.source, phase.provenance, Role.PLACE)
    for rival in view.rivals:
        for turn in rival.turns:
            if turn.sent_ns < span.end_ns and (turn.ended_ns is None or turn.ended_ns > 0):
                yield Fact(
                    (f"rival {rival.number} was answered beside it",), _OUR_SOCKET, Provenance.OBSERVED
                )


def _lump(view: View, span: Span) -> Iterator[Fact]:
    """Several messages in one read: the gap is that of the delivery."""
    together = 0 if span.open else len(messages_of(view.track.columns, span.end))
    if together > 1:
        words: Words = (
            Quantity(together, "n"),
            " messages came in one read: they were held back on the way and have no gaps of their own",
        )
        yield Fact(words, _OUR_SOCKET, Provenance.OBSERVED, Role.CAUSE)
    elif "buffered_delivery" in view.warnings:
        words = ("most of this answer was delivered in lumps, so its gaps are those of the delivery",)
        yield Fact(words, _OUR_SOCKET, Provenance.OBSERVED)


def _count(view: View, span: Span) -> Iterator[Fact]:
    """How many tokens the engine counted meanwhile."""
    if span.tokens is None:
        words: Words = ("the engine tells no count with its messages",)
        yield Fact(words, "the stream", Provenance.ABSENT)
        return
    if span.tokens < 1:
        yield Fact(("the engine's own count did not advance",), "the engine's count", Provenance.MEASURED)
        return
    if span.tokens == 1 or span.messages > 1:
        return
    usual_ns = view.gaps.p50_ns
    each = span.duration_ns / span.tokens
    fits = usual_ns is not None and each <= SLOW * usual_ns
    words = (
        "one message brought ",
        Quantity(span.tokens, "n"),
        " tokens, ",
        Quantity(each, "ns"),
        " each: their text was held back (a stop string, a character in parts) or they were guessed ahead",
    )
    yield Fact(words, "the engine's count", Provenance.MEASURED, Role.CAUSE if fits else Role.SEEN)


def _burst(view: View, span: Span) -> Iterator[Fact]:
    """What came right behind it, or what it came right behind: made in one pass, or let go together."""
    columns, reads, usual_ns = view.track.columns, view.track.reads, view.gaps.p50_ns
    if span.open or usual_ns is None:
        return
    limit_ns = QUICK * usual_ns
    drafted: Words = ()
    if view.accepted_tokens:
        drafted = ("; the engine tells of ", Quantity(view.accepted_tokens, "n"), " guessed ahead in all")
    if 0 < columns.gap[span.end] < limit_ns or (span.begin and not columns.gap[span.end]):
        words: Words = ("it came together with the one before, made in one pass or let go together", *drafted)
        yield Fact(words, _OUR_SOCKET, Provenance.OBSERVED, Role.CAUSE)
        return
    behind = 0
    while span.end + behind + 1 < reads and columns.gap[span.end + behind + 1] < limit_ns:
        behind += 1
    if behind > 1:
        made = "one pass made them all" if view.accepted_tokens else "made in one pass, or let go together"
        words = (Quantity(behind, "n"), f" more came right behind it: {made}", *drafted)
        role = Role.CAUSE if view.accepted_tokens else Role.SEEN
        yield Fact(words, _OUR_SOCKET, Provenance.OBSERVED, role)


def _engine_clock(span: Span, hitch: Hitch | None) -> Iterator[Fact]:
    """Whether the engine needed the time itself."""
    if hitch is None or hitch.engine_ns is None:
        return
    source = "the engine's own clock, told with each message"
    passed = Quantity(hitch.engine_ns, "ns")
    if hitch.engine_ns >= _MOST_OF_IT * span.duration_ns:
        words: Words = (
            "the engine's own clock went on by ",
            passed,
            " for it: the time passed inside the engine",
        )
        yield Fact(words, source, Provenance.MEASURED, Role.PLACE)
    else:
        words = (
            "the engine's own clock went on by only ",
            passed,
            " for it: the rest passed between the engine and us",
        )
        yield Fact(words, source, Provenance.MEASURED, Role.CAUSE)


def _rivals(view: View, span: Span) -> Iterator[Fact]:
    """Background requests: one that waits for its first word has its prompt read, or stands in the queue."""
    beside = 0
    for rival in view.rivals:
        for turn in rival.turns:
            ended_ns = view.now_ns if turn.ended_ns is None else turn.ended_ns
            first_ns = ended_ns if turn.first_ns is None else turn.first_ns
            overlap = min(first_ns, span.end_ns) - max(turn.sent_ns, span.start_ns)
            if overlap >= _PART_OF_IT * span.duration_ns:
                words: Words = (
                    f"rival {rival.number} waited for its first word during ",
                    Quantity(overlap, "ns"),
                    " of it: its prompt was being read",
                )
                yield Fact(words, _OUR_SOCKET, Provenance.OBSERVED, Role.CAUSE)
            elif first_ns < span.end_ns and ended_ns > span.start_ns:
                beside += 1
    if beside:
        many = " rival was being answered" if beside == 1 else " rivals were being answered"
        words = (Quantity(beside, "n"), f"{many} beside it")
        yield Fact(words, _OUR_SOCKET, Provenance.OBSERVED)


def _slots(view: View, span: Span) -> Iterator[Fact]:
    """What the engine said about its slots meanwhile; ours is one of the busy ones while it is answered."""
    told = [seen for seen in view.slots if span.start_ns <= seen.at_ns <= span.end_ns]
    if not told:
        return
    most = max(told, key=lambda seen: seen.busy)
    words: Words = (
        Quantity(most.busy, "n"),
        " of ",
        Quantity(most.total, "n"),
        " slots were at work, ours included",
    )
    others = most.busy > 1
    if others:
        many = " other request held a slot" if most.busy == 2 else " other requests held slots"
        words = (Quantity(most.busy - 1, "n"), f"{many} beside ours")
    yield Fact(
        words,
        "the engine's slots, asked at that time",
        Provenance.MEASURED,
        Role.CAUSE if others else Role.SEEN,
    )


def _reader(view: View, span: Span, hitch: Hitch | None) -> Iterator[Fact]:
    """Whether it was us."""
    if hitch is None or hitch.late_ns is None:
        return
    source = "kernel stamps" if view.clock.source == "kernel" else "stamps of our own reading"
    if hitch.late_ns >= _PART_OF_IT * span.duration_ns:
        words: Words = ("our own program looked at it ", Quantity(hitch.late_ns, "ns"), " late")
        yield Fact(words, source, Provenance.OBSERVED, Role.CAUSE)
    else:
        words = ("our reader was late by ", Quantity(hitch.late_ns, "ns"), ", so it was not us")
        yield Fact(words, source, Provenance.OBSERVED)


def _silent_end(view: View, span: Span) -> Iterator[Fact]:
    """Tokens that were counted and never became text."""
    last = not span.open and span.end == view.track.reads - 1 and not view.running
    if last and span.token and view.tokens and view.tokens > span.token:
        more = view.tokens - span.token
        many = " more token was" if more == 1 else " more tokens were"
        why = "the end token" if more == 1 else "the end token, or a stop string"
        words: Words = (Quantity(more, "n"), f"{many} counted behind it and brought no text: {why}")
        yield Fact(words, "the engine's count", Provenance.MEASURED)
