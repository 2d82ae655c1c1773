"""The time axis and what stands on it: how it grows, what is expected, what falls into a column."""

from dataclasses import replace

import pytest

from tests.app.scripted import MS, S, machine_reading
from tui.app.axis import Axis, Extent
from tui.app.expectation import Estimates
from tui.app.tracks import Gaps, LoadSeries
from tui.app.window import Window
from tui.domain.arrivals import Arrivals
from tui.domain.prefill import Forecast
from tui.domain.view import Stage, Track, View
from tui.plot.lane import Segment
from tui.plot.lane_layout import layout


def ends(*moments: Extent) -> list[int]:
    axis = Axis()
    seen = []
    for moment in moments:
        axis.follow(moment)
        seen.append(axis.end_ns)
    return seen


def test_the_axis_grows_by_steps_never_shrinks_and_settles_once() -> None:
    running = [Extent(1, at, False) for at in (0, 500 * MS, 970 * MS, 1900 * MS, 2100 * MS)]
    over = Extent(1, 2530 * MS, True)
    assert ends(*running, over, over) == [S, S, 2 * S, 2 * S, 5 * S, 3 * S, 3 * S]


def test_the_axis_holds_the_ghost_and_what_is_expected() -> None:
    assert ends(Extent(1, 0, False, ghost_ns=11 * S), Extent(1, S, False, expected_ns=18 * S)) == [
        20 * S,
        20 * S,
    ]
    assert ends(Extent(1, 0, False, ghost_ns=300 * MS)) == [500 * MS]


def test_the_next_run_begins_anew_but_not_where_bars_are_compared() -> None:
    first = [Extent(1, 4 * S, False), Extent(1, 4 * S, True)]
    assert ends(*first, Extent(2, 0, False))[-1] == S
    held = [replace(moment, holds=True) for moment in first]
    assert ends(*held, Extent(2, 0, False, holds=True))[-1] == 5 * S


def test_a_step_stands_out_for_a_second() -> None:
    axis = Axis()
    axis.follow(Extent(1, 900 * MS, False))
    assert not axis.stands_out(900 * MS)
    axis.follow(Extent(1, 970 * MS, False))
    assert axis.stands_out(970 * MS) and axis.stands_out(1900 * MS) and not axis.stands_out(2 * S)


def test_the_scale_of_the_gaps_never_shrinks_during_a_run() -> None:
    axis = Axis()
    tops = []
    for median in (50.0, 10.0, 60.0):
        axis.follow(Extent(1, S, False, median_ns=median * MS))
        tops.append(axis.top_ns)
    assert tops == [100 * MS, 100 * MS, 150 * MS]


def reading_at(now_ns: int, total_ns: int, bound: bool = False) -> View:
    forecast = Forecast(total_ns, bound)
    return View(Stage.PREFILL, now_ns, prefill_start_ns=5 * MS, forecast=forecast)


def test_the_time_to_the_first_token_counts_down_once_a_second() -> None:
    estimates = Estimates()
    shown = [
        estimates.follow(1, reading_at(at, 18 * S), None).remaining
        for at in (8 * S, 8400 * MS, 9 * S, 10 * S)
    ]
    assert shown == ["≈ 10 s to the first token"] * 2 + [
        "≈ 9.0 s to the first token",
        "≈ 8.0 s to the first token",
    ]


def test_the_time_to_the_first_token_does_not_jump_a_little_up() -> None:
    estimates = Estimates()
    estimates.follow(1, reading_at(8 * S, 28 * S), None)
    assert estimates.follow(1, reading_at(9 * S, 30 * S), None).remaining.startswith("≈ 20 s")
    assert estimates.follow(1, reading_at(10 * S, 40 * S), None).remaining.startswith("≈ 30 s")


def test_a_lower_bound_is_not_called_an_estimate_and_what_is_late_is_due() -> None:
    estimates = Estimates()
    told = estimates.follow(1, reading_at(2 * S, 12 * S, bound=True), None)
    assert told.remaining == "> 10 s to the first token" and told.labels == ("first token > 12 s",)
    assert (
        estimates.follow(1, reading_at(13 * S, 12 * S, bound=True), None).remaining
        == "the first token is due"
    )


@pytest.mark.parametrize(
    ("now_ns", "label"), [(S, "last time 1.9 s"), (3 * S, "longer than last time: 1.9 s")]
)
def test_a_silent_engine_is_expected_to_take_as_long_as_last_time(now_ns: int, label: str) -> None:
    told = Estimates().follow(1, View(Stage.WAITING, now_ns), 1.9)
    assert told.labels[0] == label and told.expected_ns == 1900 * MS
    assert Estimates().follow(1, View(Stage.WAITING, now_ns), None).expected_ns is None


def arrivals(*at_ms: int) -> Arrivals:
    columns = Arrivals()
    for n, at in enumerate(at_ms, start=1):
        columns.start(at * MS)
        columns.message(n)
    return columns


def test_a_column_shows_its_largest_gap_and_keeps_it_while_the_same_reads_fall_into_it() -> None:
    columns = arrivals(100, 150, 260, 270)
    lane = layout([Segment("decode", 0, 1000 * MS)], 1000 * MS, 10)
    gaps = Gaps()
    peaks, most = gaps.by_column(lane, Track(columns, 4), ())
    assert peaks == [None, 50 * MS, 110 * MS, *[None] * 7]
    assert most[1:3] == [1, 1]
    asked: list[tuple[int, int]] = []
    largest = columns.largest_gap
    columns.start(280 * MS)
    columns.message(5)

    class Asked:
        at, tokens, messages = columns.at, columns.tokens, columns.messages

        @staticmethod
        def largest_gap(start: int, stop: int) -> int:
            asked.append((start, stop))
            return largest(start, stop)

    gaps._columns = Asked  # the same run, but every question is noted
    assert gaps.by_column(lane, Track(Asked, 5), ())[0] == peaks  # type: ignore[arg-type]
    assert asked == [(2, 5)]


def test_load_is_the_gpus_where_there_is_one_and_is_worked_out_once() -> None:
    series = LoadSeries()
    readings = [machine_reading(n * 100 * MS, n) for n in range(4)]
    samples = [*series.follow(readings)]
    assert [(start, end, round(percent)) for start, end, percent in samples] == [
        (n * 100 * MS, (n + 1) * 100 * MS, 99) for n in range(3)
    ]
    assert series.name == "cpu"
    assert series.follow([*readings, machine_reading(400 * MS, 4)])[:3] == samples
    assert [
        round(p) for *_, p in LoadSeries().follow([machine_reading(n * MS, n, gpu=True) for n in range(2)])
    ] == [97]


def test_the_cursor_moves_by_columns_and_zoom_keeps_it_in_the_window() -> None:
    lane = layout([Segment("decode", 0, 1000 * MS)], 1000 * MS, 100)
    window = Window()
    window.move(-1, lane, 505 * MS)
    assert window.cursor_ns == 495 * MS
    window.move(-500, lane, 0)
    assert window.cursor_ns == 5 * MS
    window.scale(+1)
    window.scale(+1)
    assert window.span(1000 * MS) == (0, 250 * MS)
    window.cursor_ns = 600 * MS
    assert window.span(1000 * MS) == (475 * MS, 725 * MS)
    window.scale(0)
    assert window.span(1000 * MS) == (0, 1000 * MS)
