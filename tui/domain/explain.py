"""Why a piece of the answer came when it did: what was recorded about that time, and which of it is a cause.

Only facts of this recording are used. Where none of them is a cause that is said, and nothing is guessed.
Words hold their numbers as `Quantity`, so that who shows them writes numbers as everywhere else.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tui.domain.facts import Fact, Quantity, Role, Words
from tui.domain.moments import Moment
from tui.domain.reasons import QUICK, first_wait, reasons, slow
from tui.domain.spans import Span, longest_wait, messages_of, span_of
from tui.domain.view import View


@dataclass(frozen=True, slots=True)
class Explanation:
    """`sentence` says what happened, `verdict` what becomes of it, `facts` are the evidence, causes first."""

    name: Words
    sentence: Words
    verdict: str
    facts: tuple[Fact, ...]

    @property
    def causes(self) -> tuple[Fact, ...]:
        return tuple(fact for fact in self.facts if fact.role is Role.CAUSE)


NOTHING = "nothing that was recorded explains it"
_USUAL = "that is as usual, so there is nothing to explain"
_NO_USUAL = "too few came to know what is usual"
_ORDER = (Role.CAUSE, Role.PLACE, Role.SEEN)


def explain(view: View, span: Span, marks: Sequence[Moment] = ()) -> Explanation:
    """The explanation of a span. `marks`: where the machine stood in the way, by its readings."""
    name = named(view, span)
    if span.is_first and span.begin == span.end and not span.open:
        facts = tuple(first_wait(view, span))
        return Explanation(name, _first(name, span), "what the wait was made of:", facts)
    worst = span if span.open or span.begin == span.end else _worst(view, span)
    facts = tuple(sorted(reasons(view, worst, marks), key=lambda fact: _ORDER.index(fact.role)))
    return Explanation(name, _sentence(view, span, worst, name), _verdict(view, worst, facts), facts)


def named(view: View, span: Span) -> Words:
    """`Token 99`, `Tokens 97 to 100`, `Message 42` where the engine doesn't count."""
    if span.open:
        return ("No token" if span.token else "No message",)
    if span.tokens and span.token is not None:
        if span.tokens == 1:
            return ("Token ", Quantity(span.token, "n"))
        return ("Tokens ", Quantity(span.token - span.tokens + 1, "n"), " to ", Quantity(span.token, "n"))
    if span.first == span.last:
        return ("Message ", Quantity(span.last, "n"))
    return ("Messages ", Quantity(span.first, "n"), " to ", Quantity(span.last, "n"))


def _worst(view: View, span: Span) -> Span:
    """The part of a span that was waited for longest; the wait for the first token of all is none."""
    inner = Span(span.first, span.last, max(1, span.begin), span.end, span.start_ns, span.end_ns)
    brought = messages_of(view.track.columns, longest_wait(view, inner))
    return span_of(view, brought.start, brought.stop - 1) or span


def _first(name: Words, span: Span) -> Words:
    return (*name, " came ", Quantity(span.duration_ns, "ns"), " after the request was sent")


def _sentence(view: View, span: Span, worst: Span, name: Words) -> Words:
    if span.open:
        after: Words = (", after token ", Quantity(span.token, "n")) if span.token else ()
        return (*name, " has come for ", Quantity(span.duration_ns, "ns"), *after, *_usual(view))
    if span.begin == span.end:
        return (*name, " came ", Quantity(span.duration_ns, "ns"), " after the one before", *_usual(view))
    each = span.duration_ns / (span.tokens or span.messages)
    return (
        *name,
        " came within ",
        Quantity(span.duration_ns, "ns"),
        ", one every ",
        Quantity(each, "ns"),
        *_usual(view),
        "; the longest wait was ",
        Quantity(worst.duration_ns, "ns"),
        " for ",
        _small(named(view, worst)),
        *named(view, worst)[1:],
    )


def _small(name: Words) -> str:
    first = name[0]
    return first[:1].lower() + first[1:] if isinstance(first, str) else ""


def _usual(view: View) -> Words:
    gaps = view.gaps
    if gaps.p50_ns is None or gaps.p95_ns is None:
        return ()
    return ("; usual is ", Quantity(gaps.p50_ns, "ns"), " (p95 ", Quantity(gaps.p95_ns, "ns"), ")")


def _verdict(view: View, span: Span, facts: Sequence[Fact]) -> str:
    if view.gaps.p50_ns is None or view.gaps.n < 2:
        return _NO_USUAL
    causes = [fact for fact in facts if fact.role is Role.CAUSE]
    if not slow(view, span):
        quick = span.duration_ns < QUICK * view.gaps.p50_ns
        return "it was ready before:" if quick and causes else _USUAL
    if causes:
        return "what was recorded explains it:"
    place = [fact for fact in facts if fact.role is Role.PLACE]
    return f"{NOTHING}, but where the time passed is known:" if place else NOTHING
