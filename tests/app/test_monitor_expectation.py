"""What is expected of a silent engine: the words on the lane, the time left, and the estimated split."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

import pytest

from tests.app.conftest import Watch
from tests.app.scripted import MS, S, ScriptedSession, machine, opening, writing
from tui.app.expectation import Estimates
from tui.domain import events as ev
from tui.domain.calibration import Calibration, fields_of
from tui.domain.events import Dialect, Event
from tui.domain.expect import Expected
from tui.domain.expect import fields_of as expected_fields
from tui.domain.knobs import Knobs
from tui.domain.view import Stage, View

USUAL = Expected(1.9, 1.7, 2.4, 5)
CURVE = Calibration(0.5, 0.001, 0.0, 0.02, 8, 128, 2048, "then")


def waiting(now_ns: int, usual: Expected = USUAL) -> View:
    return View(Stage.WAITING, now_ns, conditions={"expected": expected_fields(usual)})


def script(*, calibrated: bool, first_ns: int | None = None) -> Callable[[Knobs], list[Event]]:
    def told(knobs: Knobs) -> Iterator[Event]:
        yield from opening(knobs, Dialect("openai"))
        yield ev.Learned(0, {"expected": expected_fields(USUAL), "prompt_tokens_asked": 1024})
        if calibrated:
            yield ev.Learned(0, {"calibration": fields_of(CURVE)})
        if first_ns is not None:
            yield from writing(first_ns, 4, 20 * MS)
            yield ev.Finish(first_ns + 90 * MS, "stop")
            yield ev.Done(first_ns + 90 * MS)
        yield from machine(6 * S)

    return lambda knobs: list(told(knobs))


def test_labels_from_the_longest_to_the_shortest_and_the_time_left() -> None:
    told = Estimates().follow(1, waiting(400 * MS), None)
    assert told.labels == (
        "usually ≈ 1.9 s, 1.7 to 2.4 s (5 runs)",
        "usually ≈ 1.9 s (5 runs)",
        "≈ 1.9 s",
    )
    assert told.expected_ns == 1900 * MS and told.remaining == "≈ 1.5 s to the first token"


def test_the_time_left_stands_still_for_a_second_and_counts_down() -> None:
    estimates = Estimates()
    usual = Expected(12.0, 11.0, 13.0, 3)
    shown = [estimates.follow(1, waiting(at, usual), None).remaining for at in (0, 900 * MS, S, 2 * S)]
    assert [text.split(" to")[0] for text in shown] == ["≈ 12 s", "≈ 12 s", "≈ 11 s", "≈ 10 s"]


def test_past_it_no_time_is_promised_any_more() -> None:
    told = Estimates().follow(1, waiting(3 * S), None)
    assert told.labels[0] == "longer than usual: ≈ 1.9 s" and told.remaining == "longer than usual"


def test_history_comes_before_the_last_time_and_a_curve_says_that_it_is_one() -> None:
    assert Estimates().follow(1, waiting(S), 7.0).expected_ns == 1900 * MS
    by_curve = Expected(1.9, 1.6, 2.2, 7, fitted=True)
    assert Estimates().follow(1, waiting(S, by_curve), None).labels[1] == "other lengths say ≈ 1.9 s (7 runs)"


def test_a_range_in_two_units_names_both_and_none_is_left_out() -> None:
    two = Estimates().follow(1, waiting(0, Expected(1.0, 0.9, 1.2, 3)), None)
    assert two.labels[0] == "usually ≈ 1.0 s, 900 ms to 1.2 s (3 runs)"
    one = Estimates().follow(1, waiting(0, Expected(1.0, 1.0, 1.0, 3)), None)
    assert one.labels[0] == "usually ≈ 1.0 s (3 runs)"


@pytest.mark.parametrize("size", [(120, 36), (80, 24)])
async def test_a_silent_wait_shows_what_is_usual(
    watch: Watch, session: ScriptedSession, size: tuple[int, int]
) -> None:
    session.script = script(calibrated=False)
    async with watch(size) as at:
        await at.press("enter")
        await at.wait(0.5)
        assert "usually ≈ 1.9 s, 1.7 to 2.4 s (5 runs)" in at.text
        assert "≈ 1.9 s to the first token" in at.text, "what is shown stands for a second"
        await at.wait(0.7)
        assert re.search(r"≈ [89]\d0 ms to the first token", at.text)
        await at.wait(1)
        assert "longer than usual: ≈ 1.9 s" in at.text and "to the first token" not in at.text


async def test_a_calibrated_wait_is_hatched_both_ways_and_marked(
    watch: Watch, session: ScriptedSession
) -> None:
    session.script = script(calibrated=True)
    async with watch() as at:
        await at.press("enter")
        await at.wait(1.2)
        lane = at.rows[10]
        assert "╱" in lane and "╲" in lane and lane.index("╱") < lane.index("╲")
        assert "Waiting" in at.rows[2] and "≈ it reads the prompt by now" in at.rows[2]
        assert any("prefill" in row and "≈" in row for row in at.rows[21:28])


async def test_afterwards_the_sentence_says_that_its_share_is_an_estimate(
    watch: Watch, session: ScriptedSession
) -> None:
    session.script = script(calibrated=True, first_ns=1524 * MS)
    async with watch() as at:
        await at.press("enter")
        await at.wait(3)
        assert "≈ 63 % of 1.61 s was reading the prompt" in at.rows[2]
        assert "╲" in at.rows[10]
        assert "the engine tells no prefill" in at.text, "the figure stays absent"


async def test_the_palette_starts_a_calibration_which_says_what_it_costs(
    watch: Watch, session: ScriptedSession
) -> None:
    async with watch() as at:
        await at.press("ctrl+p")
        await at.press(*"calibr")
        await at.until(lambda: "calibrate this endpoint" in at.text)
        await at.press("enter")
        await at.pilot.pause()
        await at.frame()
        assert session.calibrating is not None
        assert "calibrating: 9 prompts without reuse, 7,552 tokens in all · esc stops" in at.text
        assert "calibration, prompt 0 of 9" in at.rows[2]
