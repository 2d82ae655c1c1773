"""Gauges and the prompt dial."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tui.plot.dial import DialStep, Tried, dial_rows
from tui.plot.gauge import gauge, pool_gauge, progress, sparkline
from tui.plot.glyphs import Fill
from tui.plot.rows import plain, row_width

S = 1_000_000_000


def done(tokens: int, ttft_s: float) -> DialStep:
    return DialStep(tokens, Tried.DONE, round(ttft_s * S))


STEPS = (
    done(128, 1.26),
    done(256, 2.03),
    done(512, 4.24),
    done(1024, 9.54),
    DialStep(2048, Tried.RUNNING),
    DialStep(4096),
    DialStep(8192),
)


@pytest.mark.parametrize(
    ("share", "drawn"),
    [
        (None, "───────────"),
        (0, "───────────"),
        (0.001, "╸──────────"),
        (14.2 / 23.4, "━━━━━━╸────"),
        (0.9999, "━━━━━━━━━━╸"),
        (1, "━━━━━━━━━━━"),
        (1.7, "━━━━━━━━━━━"),
    ],
)
def test_a_gauge_is_full_only_for_the_whole_and_empty_only_for_nothing(share, drawn: str) -> None:
    assert plain(gauge(share, 11, Fill.COLOUR)) == drawn


def test_progress_tells_reused_reported_and_guessed_apart() -> None:
    assert plain(progress(20, Fill.COLOUR, 1674, reported=768, guessed=60)) == "━━━━━━━━━╍──────────"
    assert plain(progress(20, Fill.COLOUR, 3072, reused=1024, reported=2048)) == "╱╱╱╱╱╱╱━━━━━━━━━━━━━"
    assert plain(progress(20, Fill.COLOUR, 0)) == "─" * 20


@given(st.integers(3, 80), st.lists(st.integers(0, 9000), min_size=4, max_size=4), st.sampled_from(Fill))
def test_progress_has_its_width_and_shows_the_rest_while_there_is_one(width, parts, fill) -> None:
    reused, reported, guessed, rest = parts
    row = progress(width, fill, sum(parts), reused=reused, reported=reported, guessed=guessed)
    assert row_width(row) == width
    if rest and sum(1 for part in parts[:3] if part) < width:
        assert row[-1][1] == "rule"


def test_a_sparkline_shows_the_latest_values() -> None:
    assert plain(sparkline([9, 9, 0, 5, None, 10], 4, Fill.COLOUR, top=10)) == "▁▅ █"
    assert plain(sparkline([0] * 3, 5, Fill.COLOUR)) == "  ▁▁▁"
    assert plain(sparkline([], 3, Fill.COLOUR)) == "   "


def test_one_pool_shows_the_gpus_part_inside_what_is_used_and_a_tick_at_its_budget() -> None:
    assert plain(pool_gauge(20, Fill.MONO, 46 / 64, 37.2 / 64, 48 / 64)) == "━━━━━━━━━━━━╍╍─│────"
    assert plain(pool_gauge(9, Fill.MONO, 71.4 / 119.7, 62 / 119.7)) == "━━━━╍────", "both parts are seen"
    assert plain(pool_gauge(8, Fill.ASCII, 0.5, 0.5, 1.0)) == "====---|"


def test_the_dial() -> None:
    prompt, times = dial_rows(STEPS, 4, 80, Fill.MONO)
    assert plain(prompt).rstrip() == (
        " prompt ←   128      256      512       1k    [  2k  ]    4k       8k    →"
    )
    assert plain(times).rstrip() == " TTFT s     1.26     2.03     4.24     9.54      …        ·        ·"


def test_the_selected_length_is_inverted_in_colour() -> None:
    prompt, _ = dial_rows(STEPS, 4, 80, Fill.COLOUR)
    assert ("   2k   ", "background on selected bold") in prompt


def test_the_raster_scrolls_under_the_selection() -> None:
    for selected in range(len(STEPS)):
        prompt, times = dial_rows(STEPS, selected, 40, Fill.MONO)
        assert row_width(prompt) == row_width(times) == 40
        assert plain(prompt).count("[") == plain(prompt).count("]") == 1
        assert plain(prompt).rstrip().endswith("→")


def test_arrows_are_bold_where_they_act_and_unreachable_lengths_dim() -> None:
    steps = (*STEPS[:2], DialStep(32768, reachable=False))
    first, _ = dial_rows(steps, 0, 80, Fill.COLOUR)
    assert ("←", "secondary dim") in first
    last, times = dial_rows(steps, 1, 80, Fill.COLOUR)
    assert ("←", "text bold") in first or "←" in plain(last)
    assert [style for text, style in last if "→" in text] == ["secondary dim"]
    assert [style for text, style in last if "32k" in text] == ["secondary dim"]
    assert [style for text, style in times if "·" in text] == ["secondary dim"]


def test_short_times_are_told_apart_from_nothing() -> None:
    _, times = dial_rows(
        (done(128, 0.0042), done(256, 0.0003), done(512, 0.0414), done(1024, 0.14)), 0, 80, Fill.MONO
    )
    assert plain(times).split() == ["TTFT", "s", "0.004", "0.0003", "0.041", "0.14"]


def test_where_the_length_is_not_known_none_is_selected() -> None:
    for fill in (Fill.MONO, Fill.COLOUR):
        prompt, _ = dial_rows(STEPS, None, 40, fill)
        assert "[" not in plain(prompt) and plain(prompt).startswith(" prompt ←   128")
        assert {style for text, style in prompt if text.strip() in "←→"} <= {"text", "secondary dim"}
        assert not any("selected" in style for _, style in prompt)


def test_a_failed_length_is_marked() -> None:
    _, times = dial_rows((DialStep(128, Tried.FAILED),), 0, 80, Fill.MONO)
    assert plain(times).split() == ["TTFT", "s", "✖"]
