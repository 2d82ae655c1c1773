"""Background requests in the View: live and replayed the same, and runs beside them are kept apart."""

from dataclasses import replace

import pytest

from tui.domain import events as ev
from tui.domain.knobs import Knobs, next_rivals
from tui.domain.look import look
from tui.domain.reduce import reduce
from tui.domain.rivals import MOST_RIVALS, Rival, Turn, beside, told_rivals
from tui.domain.shelf import Shelf
from tui.domain.state import State
from tui.domain.view import View

MS = 1_000_000


def after(*events: ev.Event) -> View:
    state = State()
    for event in events:
        reduce(state, event)
    return look(state)


def seen(at_ms: int, step: str, rival: int = 1, **more: object) -> ev.RivalSeen:
    return ev.RivalSeen(at_ms * MS, rival, step, **more)  # type: ignore[arg-type]


def test_the_knob_goes_round() -> None:
    knobs, told = Knobs(), []
    for _ in range(MOST_RIVALS + 1):
        knobs = next_rivals(knobs)
        told.append(knobs.rivals)
    assert told == [1, 2, 3, 4, 0]


def test_each_rival_has_its_requests_in_order() -> None:
    view = after(
        seen(-100, "sent", 2),
        seen(-99, "sent", 1),
        seen(50, "first", 1),
        seen(90, "last", 1, chunks=7),
        seen(91, "ended", 1, how="eof"),
        seen(92, "sent", 1),
    )
    whole = Turn(-99 * MS, 50 * MS, 90 * MS, 91 * MS, 7, "eof")
    assert view.rivals == (Rival(1, (whole, Turn(92 * MS))), Rival(2, (Turn(-100 * MS),)))
    assert view.rivals[0].chunks == 7


def test_their_ends_are_told_after_the_end_of_the_run() -> None:
    view = after(seen(-9, "sent"), ev.Done(100 * MS), seen(101, "ended", how="cancelled"))
    assert view.rivals[0].turns[0].ended_ns == 101 * MS
    assert view.total_ns is None or view.total_ns <= 100 * MS


@pytest.mark.parametrize(
    "odd",
    [seen(1, "sent", 0), seen(1, "sent", 99), seen(1, "first", 3), seen(1, "ended", 2), seen(1, "last", -1)],
)
def test_odd_steps_change_nothing(odd: ev.RivalSeen) -> None:
    assert after(odd).rivals == ()


def test_a_step_of_a_request_that_has_ended_is_not_taken() -> None:
    view = after(seen(0, "sent"), seen(5, "ended", how="reset"), seen(9, "first"))
    assert view.rivals[0].turns == (Turn(0, ended_ns=5 * MS, how="reset"),)


@pytest.mark.parametrize(
    ("told", "number"), [({}, 0), ({"rivals": 3}, 3), ({"rivals": True}, 0), ({"rivals": "2"}, 0)]
)
def test_how_many_were_asked_for(told: dict[str, object], number: int) -> None:
    assert told_rivals(told) == number


def test_the_mark_of_a_run_that_was_not_alone() -> None:
    assert (beside(0), beside(1), beside(2)) == ("", "+1 rival", "+2 rivals")


def test_a_run_with_rivals_leaves_no_time_for_one_without() -> None:
    events: list[ev.Event] = [
        ev.SentAll(0),
        ev.Arrived(9 * MS, None, None, False, 1, 1),
        ev.Generated(9 * MS, "a", count=1),
        ev.Usage(9 * MS, prompt=512, completion=1),
        ev.Finish(9 * MS, "stop"),
        ev.Done(10 * MS),
    ]
    shelf = Shelf()
    alone, busy = after(*events), after(ev.Learned(0, {"rivals": 2}), *events)
    shelf.learn(alone, Knobs())
    shelf.learn(replace(busy, ttft=replace(busy.ttft, number=7.0)), Knobs(rivals=2))
    assert sorted((key.rivals, ttft_s) for (key, _), ttft_s in shelf.ttft_s.items()) == [(0, 0.009), (2, 7.0)]
