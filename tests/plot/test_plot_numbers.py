"""Numbers: three digits, the right unit at every border, never 0.0 for what is there."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tui.plot import numbers, scale
from tui.plot.digits import digits, stage_digits

MS = 1_000_000
S = 1_000 * MS


@pytest.mark.parametrize(
    ("ns", "text"),
    [
        (0, "0 ms"),
        (1, "<1 µs"),
        (500, "<1 µs"),
        (501, "1 µs"),
        (850_000, "850 µs"),
        (999_499, "999 µs"),
        (999_500, "1.0 ms"),
        (1_200_000, "1.2 ms"),
        (11_700_000, "11.7 ms"),
        (99_949_999, "99.9 ms"),
        (99_950_000, "100 ms"),
        (299 * MS, "299 ms"),
        (999_500_000, "1.00 s"),
        (7_600 * MS, "7.60 s"),
        (9_995 * MS, "10.0 s"),
        (18_100 * MS, "18.1 s"),
        (99_950 * MS, "1:40"),
        (125 * S, "2:05"),
        (4_300 * S, "71:40"),
        (-30 * MS, "−30.0 ms"),
    ],
)
def test_durations(ns: int, text: str) -> None:
    assert numbers.duration(ns) == text


@given(st.integers(501, 99 * S))
def test_a_duration_is_right_to_its_last_digit(ns: int) -> None:
    number, unit = numbers.duration(ns).split()
    per = {"µs": 1_000, "ms": MS, "s": S}[unit]
    digit = 10.0 ** -len(number.partition(".")[2])
    assert abs(float(number) * per - ns) <= 0.5001 * digit * per or ns < 1_000


def test_figures_keep_a_given_unit() -> None:
    assert numbers.duration_figure(302 * MS) == ("302", "ms")
    assert numbers.duration_figure(302 * MS, "s") == ("0.30", "s")
    assert numbers.duration_figure(125 * S) == ("2:05", "min")
    assert numbers.rate_figure(6_854) == ("6.85", "k tok/s")
    assert numbers.rate_figure(81.44) == ("81.4", "tok/s")
    assert numbers.rate_figure(999.6) == ("1.00", "k tok/s")
    assert numbers.rate_figure(850, "k tok/s") == ("0.85", "k tok/s")


@given(st.floats(0, 9e6))
def test_rates_in_figures_have_no_comma(rate: float) -> None:
    assert set(numbers.rate_figure(rate).number) <= set("0123456789.")


def test_rates_and_counts_in_running_text() -> None:
    assert numbers.rate(81.62) == "81.6 tok/s"
    assert numbers.rate(6_854.2) == "6,854 tok/s"
    assert numbers.count(1_674) == "1,674"


def test_since_sent_is_always_in_seconds() -> None:
    assert [numbers.seconds(ns) for ns in (40 * MS, 7_600 * MS, 18_100 * MS, 123_400 * MS)] == [
        "0.04",
        "7.60",
        "18.1",
        "123",
    ]


@given(st.integers(50_000, 99 * S))
def test_fine_seconds_are_never_nothing(ns: int) -> None:
    assert float(numbers.fine_seconds(ns)) > 0
    assert numbers.fine_seconds(ns) == numbers.seconds(ns) or ns < 100 * MS


def test_shares() -> None:
    assert numbers.share(1.2, 7600) == "<0.1 %"
    assert numbers.share(2.2, 2530) == "0.1 %"
    assert numbers.share(0, 1) == "0.0 %"
    assert numbers.share(3, 3) == "100.0 %"
    assert numbers.percent(97.4) == "97 %"


def test_memory() -> None:
    assert numbers.size(0) == "0 B"
    assert numbers.size(327 * 2**20) == "327 MiB"
    assert numbers.size(14.2 * 2**30) == "14.2 GiB"
    assert numbers.size(1000 * 2**20) == "0.98 GiB"
    assert numbers.size_of(14.2 * 2**30, 23.4 * 2**30) == ("14.2/23.4", "GiB")
    assert numbers.throughput(0) == "0 B/s"
    assert numbers.throughput(3.2e6) == "3.20 MB/s"


@pytest.mark.parametrize(
    ("ns", "text"),
    [
        (4 * MS, "10 ms"),
        (347 * MS, "350 ms"),
        (996 * MS, "1.0 s"),
        (1_940 * MS, "1.9 s"),
        (9_960 * MS, "10 s"),
        (10_400 * MS, "10 s"),
        (133 * S, "2:13"),
    ],
)
def test_estimates_are_coarse(ns: int, text: str) -> None:
    assert numbers.coarse(ns) == text


def test_an_estimate_counts_down_and_rises_only_by_a_tenth_or_more() -> None:
    assert numbers.steadied(10 * S, 9 * S) == 9 * S
    assert numbers.steadied(10 * S, 10_900 * MS) == 10 * S
    assert numbers.steadied(10 * S, 11 * S) == 11 * S


def test_prompt_lengths() -> None:
    assert [numbers.prompt_length(n) for n in (128, 1024, 2048, 3072, 1000, 32768)] == [
        "128",
        "1k",
        "2k",
        "3072",
        "1000",
        "32k",
    ]


@given(st.floats(1, 1e13))
def test_steps_are_the_smallest_that_hold(value: float) -> None:
    for step, series in (
        (scale.step, "125"),
        (scale.fine_step, ("1", "15", "2", "25", "3", "4", "5", "6", "8")),
    ):
        found = step(value)
        assert found >= value
        assert str(found).rstrip("0") in series
        smaller = [int(s) * 10**e // 10 for s in series for e in range(16) if int(s) * 10**e % 10 == 0]
        assert not [n for n in smaller if value <= n < found]


def test_the_running_axis_only_grows() -> None:
    end = 0
    for elapsed in range(0, 30 * S, 50 * MS):
        grown = scale.running_end(elapsed, previous_ns=end)
        assert grown >= end
        assert elapsed <= 0.96 * grown
        end = grown
    assert scale.running_end(0) == S


def test_the_running_axis_holds_ghost_and_estimate() -> None:
    assert scale.running_end(7_600 * MS, ghost_ns=10_900 * MS, estimate_ns=18 * S) == 20 * S
    assert scale.running_end(0, ghost_ns=90 * MS) == 100 * MS


def test_the_axis_settles_on_the_finer_series() -> None:
    assert scale.settled_end(2_530 * MS, 2_610 * MS) == 3 * S
    assert scale.settled_end(1_400 * MS) == 1_500 * MS


def test_the_normal_gap_is_half_of_the_gap_scale_and_it_never_shrinks() -> None:
    assert scale.grown_top(11_700_000) == 25 * MS
    assert scale.grown_top(5 * MS, 25 * MS) == 25 * MS


@given(st.integers(1, 10**13), st.sampled_from([5, 8]))
def test_ticks_are_few_and_meet_the_end(value: int, most: int) -> None:
    end = scale.fine_step(value)
    found = scale.ticks(end, most)
    assert 1 <= len(found) - 1 <= most
    assert found[0] == 0
    assert end < 10 or found[-1] == end


def test_tick_texts_share_one_unit() -> None:
    assert scale.tick_texts(scale.ticks(3 * S)) == ("0", "0.5 s", "1 s", "1.5 s", "2 s", "2.5 s", "3 s")
    assert scale.tick_texts(scale.ticks(500 * MS, 5)) == (
        "0",
        "100 ms",
        "200 ms",
        "300 ms",
        "400 ms",
        "500 ms",
    )
    assert scale.tick_texts(scale.ticks(1_300 * MS, 5, 1_050 * MS))[:2] == ("1.05 s", "1.1 s")


def test_digits_are_drawn_from_three_signs() -> None:
    assert digits("7.60") == ("▀▀█   █▀▀ █▀█", "  █   █▀█ █ █", "  ▀ ▀ ▀▀▀ ▀▀▀")
    drawn = "".join(digits("0123456789.:-"))
    assert set(drawn) <= set("█▀▄ ")


def test_no_two_digits_look_alike() -> None:
    assert len({digits(d) for d in "0123456789"}) == 10
    assert len({stage_digits(d) for d in "0123456789"}) == 10


def test_stage_digits_are_five_rows_of_double_columns() -> None:
    rows = stage_digits("4.1")
    assert rows[0] == "██  ██    ████  "
    assert rows[4] == "    ██ ██ ██████"
    assert len({len(row) for row in rows}) == 1
