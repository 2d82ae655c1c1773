"""The speed of the first and of the last quarter of an answer: counted by the engine, or not told."""

from __future__ import annotations

import pytest

from tests.app.scripted import MS, S, closing, opening, writing
from tui.domain import events as ev
from tui.domain.knobs import Knobs
from tui.domain.look import look
from tui.domain.quarters import quarter_rates
from tui.domain.reduce import reduce
from tui.domain.state import State
from tui.domain.values import Provenance
from tui.domain.view import View

KNOBS = Knobs(prompt_tokens=128, answer_limit=64)


def seen(events: list[ev.Event]) -> View:
    state = State()
    for event in sorted(events, key=lambda event: event.at_ns):
        reduce(state, event)
    return look(state)


def answered(gaps_ms: list[int], counted: bool = True) -> View:
    events: list[ev.Event] = [*opening(KNOBS)]
    at = S
    for n, gap in enumerate(gaps_ms, start=1):
        at += gap * MS
        events += [
            ev.Arrived(at, None, at, True, 1, 1),
            ev.Generated(at, answer="x", count=n if counted else None),
        ]
    events += closing(at + MS, KNOBS, len(gaps_ms), S, at - S)
    return seen(events)


def test_each_quarter_is_its_own_tokens_over_its_own_time() -> None:
    first, last = quarter_rates(answered([10] * 32 + [40] * 32))
    assert first.number == pytest.approx(100) and last.number == pytest.approx(25)
    assert first.provenance is last.provenance is Provenance.OBSERVED


def test_a_short_or_uncounted_answer_has_none() -> None:
    for view in (answered([10] * 15), answered([10] * 64, counted=False), View()):
        for value in quarter_rates(view):
            assert value.number is None and value.note


def test_it_is_not_told_before_the_end() -> None:
    view = seen([*opening(KNOBS), *writing(S, 40, 10 * MS)])
    assert [value.number for value in quarter_rates(view)] == [None, None]
