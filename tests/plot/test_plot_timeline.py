"""The lane and its rows: what stands where, whole words only, the asked width in every way to draw."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tui.plot.axis import axis_row, ghost_row, label_row
from tui.plot.glyphs import Fill, ascii_row
from tui.plot.lane import Lane, Segment
from tui.plot.lane_layout import layout
from tui.plot.marks import Ending, Expected, Marks
from tui.plot.names import names_row
from tui.plot.rows import Row, plain, row_width
from tui.plot.scale import ticks
from tui.plot.timeline import lane_rows

MS = 1_000_000
S = 1_000 * MS
START = (Segment("queue", 0, 1_200_000), Segment("tokenize", 1_200_000, 4_900_000))
REPORTS = ((2_080 * MS, 256), (4_300 * MS, 512), (6_700 * MS, 768))


def reading(width: int = 111) -> Lane:
    return layout([*START, Segment("prefill", 4_900_000, 7_600 * MS)], 20 * S, width)


def finished(width: int = 111) -> Lane:
    rest = (
        Segment("prefill", 4_900_000, 302 * MS),
        Segment("decode", 302 * MS, 2_510 * MS),
        Segment("finish", 2_510 * MS, 2_530 * MS),
    )
    return layout([*START, *rest], 3 * S, width)


def text(rows: tuple[Row, ...], i: int = 1) -> str:
    return plain(rows[i])


def style_at(row: Row, column: int) -> str:
    for span, style in row:
        if column < len(span):
            return style
        column -= len(span)
    raise AssertionError("outside of the row")


def test_reading_the_prompt() -> None:
    marks = Marks(7_600 * MS, REPORTS, Expected(18 * S, ("first token ≈ 18 s",)))
    rows = lane_rows(reading(), 3, marks, Fill.MONO)
    assert rows[0] == rows[2]
    assert text(rows).startswith("qt▓▓▓▓▓▓▓256▕▓▓▓▓▓▓▓▓512▕▓▓▓▓▓▓▓▓768▕▓▓▓▓▓▓┃░░░")
    assert text(rows).rstrip().endswith("░ first token ≈ 18 s ░")
    assert len(text(rows).rstrip()) == round(18 / 20 * 111)


def test_phases_are_coloured_cells_with_edges_in_eighths() -> None:
    rows = lane_rows(reading(), 3, Marks(7_600 * MS), Fill.COLOUR)
    assert style_at(rows[0], 0) == "background on queue"
    assert style_at(rows[0], 20) == "background on prefill"
    assert text(rows, 0)[:42].isspace()
    assert text(rows, 0)[42:44] == "▏┃"
    assert style_at(rows[0], 42) == "prefill on track"
    assert style_at(rows[0], 110) == "text on track"


def test_rows_without_colour_need_no_background() -> None:
    for fill in (Fill.MONO, Fill.ASCII):
        marks = Marks(7_600 * MS, REPORTS, Expected(18 * S, ("first token",)), ((5 * S, 6 * S),))
        for row in lane_rows(reading(), 3, marks, fill):
            assert not [style for _, style in row if " on " in style]


def test_a_coloured_row_is_few_runs() -> None:
    assert len(lane_rows(finished(), 3, Marks(stalls=((1_430 * MS, 1_762 * MS),)), Fill.COLOUR)[0]) < 12


def test_every_notch_is_drawn_and_labels_only_where_they_fit() -> None:
    narrow = text(lane_rows(reading(44), 3, Marks(7_600 * MS, REPORTS), Fill.MONO))
    assert narrow.count("▕") == 3
    assert "256" not in narrow
    assert "512" not in narrow
    assert "▓768▕" in narrow


def test_crowded_notches_are_thinned() -> None:
    many = tuple((n * 230 * MS, n * 64) for n in range(1, 34))
    lane = reading(74)
    drawn = text(lane_rows(lane, 3, Marks(7_600 * MS, many), Fill.MONO))
    assert drawn.count("▕") == 3
    assert all(f"▓{label}▕" in drawn for label in ("640", "1,280", "1,920"))


def test_a_stall_is_hatched_over_all_of_its_time() -> None:
    lane = finished()
    row = lane_rows(lane, 3, Marks(stalls=((1_430 * MS, 1_762 * MS),)), Fill.COLOUR)[0]
    hole = lane.hole(1_430 * MS, 1_762 * MS)
    assert plain(row)[hole.start : hole.stop] == "╳" * len(hole)
    assert plain(row).count("╳") == len(hole)
    assert style_at(row, hole.start) == "stall on decode-dim"


def test_a_stall_that_lasts_reaches_now() -> None:
    decode = Segment("decode", 302 * MS, 1_750 * MS)
    lane = layout([*START, Segment("prefill", 4_900_000, 302 * MS), decode], 5 * S, 111)
    drawn = text(lane_rows(lane, 3, Marks(1_750 * MS, stalls=((1_428 * MS, 1_750 * MS),)), Fill.COLOUR), 0)
    assert "╳┃" in drawn


def test_waiting_is_hatched_up_to_now_with_what_is_usual_behind() -> None:
    lane = layout([Segment("waiting", 0, 1_240 * MS)], 5 * S, 111)
    marks = Marks(1_240 * MS, expected=Expected(1_900 * MS, ("usually ≈ 1.9 s (5 runs)", "≈ 1.9 s")))
    rows = lane_rows(lane, 3, marks, Fill.COLOUR)
    assert text(rows).rstrip() == "╱" * 28 + "┃" + "░" * 13 + " usually ≈ 1.9 s (5 runs)"
    assert style_at(rows[1], 0) == "waiting on track"


def test_past_the_expected_moment_only_the_words_remain() -> None:
    lane = layout([Segment("waiting", 0, 2_500 * MS)], 5 * S, 111)
    marks = Marks(2_500 * MS, expected=Expected(1_900 * MS, ("longer than usual: ≈ 1.9 s",)))
    drawn = text(lane_rows(lane, 3, marks, Fill.MONO))
    assert "░" not in drawn
    assert drawn.rstrip().endswith("┃ longer than usual: ≈ 1.9 s")


@pytest.mark.parametrize(("failed", "sign"), [(True, "✖"), (False, "■")])
def test_the_end_of_a_broken_request(failed: bool, sign: str) -> None:
    lane = layout([*START, Segment("prefill", 4_900_000, 18_100 * MS)], 20 * S, 111)
    long = lane_rows(lane, 3, Marks(ending=Ending(failed, ("closed",))), Fill.COLOUR)
    assert text(long).rstrip().endswith(f"{sign} closed")
    assert text(long, 0).rstrip().endswith(sign)
    tight = lane_rows(lane, 3, Marks(ending=Ending(failed, ("connection closed", "no word"))), Fill.COLOUR)
    assert text(tight).rstrip().endswith(sign if 111 - len(text(tight, 0).rstrip()) < 8 else "no word")


def test_captions_stand_in_the_widest_free_stretch() -> None:
    captions = {"prefill": "READING", "decode": "WRITING"}
    lane = finished(94)
    marks = Marks(stalls=((1_430 * MS, 1_762 * MS),), captions=captions)
    row = lane_rows(lane, 5, marks, Fill.COLOUR)[2]
    drawn = plain(row)
    assert "READING" in drawn
    assert drawn.index("WRITING") + 7 < lane.hole(1_430 * MS, 1_762 * MS).start
    assert style_at(row, drawn.index("WRITING")) == "background on decode bold"
    assert "READING" not in plain(lane_rows(finished(60), 5, marks, Fill.COLOUR)[2])


def test_a_phase_thinner_than_a_cell_shows_its_initial_once() -> None:
    rows = lane_rows(finished(), 3, Marks(), Fill.COLOUR)
    assert text(rows, 0).strip(" ▏▎▍▌▋▊▉") == ""
    assert text(rows)[:2] == "qt"
    assert text(rows).count("f") == 1


def test_names_start_at_their_phase_or_after_the_one_before() -> None:
    row = names_row(finished(), Fill.COLOUR)
    assert plain(row).rstrip() == "queue 1.2 ms  tokenize 3.7 ms  prefill 297 ms  decode 2.21 s"
    assert ("decode", "decode bold") in row


def test_the_last_name_moves_left_to_stay_whole() -> None:
    lane = layout(
        [*START, Segment("prefill", 4_900_000, 19 * S), Segment("decode", 19 * S, 20 * S)], 20 * S, 111
    )
    assert plain(names_row(lane, Fill.COLOUR)).endswith("decode 1.00 s")


def test_names_give_way_in_order() -> None:
    marks = {"queue": "●", "tokenize": "≈"}
    shown = [plain(names_row(finished(w), Fill.MONO, {}, marks)).rstrip() for w in (74, 62, 50, 36, 20)]
    assert shown == [
        "queue 1.2 ms ●  tokenize 3.7 ms ≈  prefill 297 ms  decode 2.21 s",
        "queue 1.2 ms  tokenize 3.7 ms  prefill 297 ms  decode 2.21 s",
        "queue  tokenize  prefill 297 ms  decode 2.21 s",
        "queue  tokenize  prefill  decode",
        "q+t  p  d",
    ]


def test_finish_is_named_only_when_it_counts() -> None:
    lane = layout([Segment("decode", 0, 800 * MS), Segment("finish", 800 * MS, S)], S, 100)
    assert "finish 200 ms" in plain(names_row(lane, Fill.MONO))
    assert "finish" not in plain(names_row(finished(), Fill.MONO))


GHOST = (Segment("prefill", 0, 9_400 * MS), Segment("decode", 9_400 * MS, 10_900 * MS))


def test_the_ghost_lies_on_the_same_axis_with_its_label_behind() -> None:
    lane = reading()
    row = ghost_row(lane, GHOST, ("run 6 · 1k · 10.9 s",), Fill.COLOUR)
    end = round(lane.column(10_900 * MS))
    assert plain(row).rstrip() == "▀" * end + " run 6 · 1k · 10.9 s"
    assert style_at(row, 10) == "prefill-dim"
    assert style_at(row, end - 1) == "decode-dim"


def test_the_ghost_takes_the_label_that_fits_and_can_be_the_line_of_the_axis() -> None:
    lane = finished(74)
    ghost = (Segment("decode", 0, 2 * S),)
    labelled = plain(ghost_row(lane, ghost, ("run 6 · cold · a long one · 2.61 s", "run 6"), Fill.MONO))
    assert labelled.rstrip().endswith("▀ run 6")
    on_line = plain(ghost_row(lane, ghost, (), Fill.MONO, on_line=True))
    assert set(on_line) == {"▀", "─"}
    assert plain(ghost_row(lane, (), (), Fill.MONO, on_line=True)) == "─" * 74


def test_a_ghost_that_is_longer_than_the_axis_is_cut_with_a_mark() -> None:
    lane = finished(74)
    ghost = (Segment("prefill", 0, 14 * S), Segment("decode", 14 * S, 15 * S))
    labels = ("run 6 · a label that would cover most of it · 15.0 s", "run 6 · 15.0 s", "run 6")
    for fill, mark in ((Fill.MONO, "→"), (Fill.ASCII, ">")):
        row = plain(ghost_row(lane, ghost, labels, fill, on_line=True))
        assert len(row) == 74 and row.endswith(f" run 6 · 15.0 s {mark}")
    assert plain(ghost_row(lane, ghost, (), Fill.MONO)) == "▀" * 73 + "→"


def test_ticks_and_labels_stand_together() -> None:
    lane, moments = reading(), ticks(20 * S)
    line, labels = plain(axis_row(lane, moments, Fill.MONO)), plain(label_row(lane, moments, Fill.MONO))
    assert [i for i, sign in enumerate(line) if sign == "┴"] == [0, 28, 55, 83, 110]
    assert labels.split("  ")[0] == "0"
    assert labels.index("5 s") == 27
    assert labels.endswith("20 s")


def test_now_stands_under_its_mark_and_pushes_labels_away() -> None:
    lane = layout([Segment("waiting", 0, 1_750 * MS)], 5 * S, 111)
    labels = plain(label_row(lane, ticks(5 * S), Fill.MONO, 1_750 * MS))
    assert labels.index("▲ 1.75 s") == lane.mark(1_750 * MS)
    assert " 2 s" not in labels
    assert " 3 s" in labels


def test_now_at_the_right_end_stays_under_its_mark() -> None:
    lane = layout([Segment("waiting", 0, 4_800 * MS)], 5 * S, 111)
    labels = plain(label_row(lane, ticks(5 * S), Fill.MONO, 4_800 * MS))
    assert labels.index("4.80 s ▲") + 7 == lane.mark(4_800 * MS)
    assert "5 s" not in labels


def test_labels_stand_out_when_asked() -> None:
    assert ("0", "secondary bold") in label_row(reading(), (0,), Fill.MONO, bold=True)


@given(st.integers(40, 240), st.sampled_from(Fill), st.integers(1, 5), st.integers(5 * MS, 19 * S))
def test_every_row_has_the_asked_width_and_whole_words(width: int, fill: Fill, rows: int, now: int) -> None:
    lane = layout([*START, Segment("prefill", 4_900_000, now)], 20 * S, width)
    marks = Marks(
        now, REPORTS, Expected(18 * S, ("first token ≈ 18 s", "≈ 18 s")), captions={"prefill": "READING"}
    )
    moments = ticks(20 * S, 5)
    drawn = [
        *lane_rows(lane, rows, marks, fill),
        names_row(lane, fill),
        ghost_row(lane, GHOST, ("run 6 · 10.9 s",), fill),
        axis_row(lane, moments, fill),
        label_row(lane, moments, fill, now),
    ]
    assert {row_width(row) for row in drawn} == {width}
    if fill is Fill.ASCII:
        assert all(plain(ascii_row(row)).isascii() for row in drawn)
    words = plain(drawn[rows]).split()
    assert {word for word in words if word.isalpha()} <= {"queue", "tokenize", "prefill", "ms", "s", "µs"}
    labels = [word for word in plain(drawn[-1]).split() if word not in ("▲", "^")]
    assert all(word == "s" or word.replace(".", "").isdigit() for word in labels)
    assert labels.count("s") == len(labels) - labels.count("s") - labels.count("0")


def test_a_label_near_now_keeps_two_columns_away() -> None:
    lane = layout([], 10 * S, 100)
    now = 5 * S
    tick_s = {column: round(lane.time(column + 0.5)) for column in (45, 46, 47)}
    shown = [plain(label_row(lane, (tick_s[c],), Fill.MONO, now)).split("▲")[0].strip() for c in (45, 46, 47)]
    assert shown == ["4.55 s", "", ""]


@pytest.mark.parametrize(("share_ms", "sign"), [(105, "╱"), (106, "╱"), (104, " ")])
def test_a_hatch_has_no_eighths_so_the_larger_part_gets_the_cell(share_ms: int, sign: str) -> None:
    lane = layout([Segment("waiting", 0, share_ms * MS), Segment("prefill", share_ms * MS, S)], S, 100)
    row = lane_rows(lane, 1, Marks(), Fill.COLOUR)[0]
    assert plain(row)[:12] == "╱" * 10 + sign + " "


def test_a_half_filled_cell_between_fills_goes_to_the_earlier_phase() -> None:
    lane = layout([Segment("prefill", 0, 105 * MS), Segment("decode", 105 * MS, S)], S, 100)
    assert plain(lane_rows(lane, 1, Marks(), Fill.MONO)[0])[:12] == "▓" * 11 + "█"
