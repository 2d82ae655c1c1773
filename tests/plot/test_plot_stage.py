"""The band and the giant figures: what stands where, at any width, in every way to draw."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tui.plot.band import band_rows
from tui.plot.digits import digits, rows_of, stage_digits
from tui.plot.giant import Giant, giant_rows, scale_for, spots
from tui.plot.glyphs import Fill, ascii_row
from tui.plot.rows import plain, row_width

PARTS = ("768 of 1,674 tokens", "≈ 10 s to the first token")
FILLS = st.sampled_from(Fill)
PAIR = (Giant("WAITING SO FAR", "text", "7.60", "s", "○"), Giant("READS", "prefill", "101", "tok/s", "●"))
THREE = (
    Giant("FIRST WORD AFTER", "text", "302", "ms", "○"),
    Giant("READS", "prefill", "6.85", "k tok/s", "●"),
    Giant("WRITES", "decode", "81.4", "tok/s", "○"),
)


def texts(rows: tuple[tuple[tuple[str, str], ...], ...]) -> list[str]:
    return [plain(row).rstrip() for row in rows]


# -- digits -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("scale", range(1, 7))
def test_a_pixel_is_as_many_columns_as_half_rows(scale: int) -> None:
    rows = stage_digits("1", scale)
    assert len(rows) == rows_of(scale)
    assert len(rows[0]) == 3 * scale
    inked = sum({"█": 2, "▀": 1, "▄": 1}.get(sign, 0) for sign in "".join(rows))
    assert inked == 8 * scale * scale, "the 1 has eight pixels"


@pytest.mark.parametrize("scale", [2, 3, 4, 5])
def test_no_two_digits_look_alike_at_any_scale(scale: int) -> None:
    assert len({stage_digits(digit, scale) for digit in "0123456789"}) == 10


def test_the_smallest_are_the_monitor_s() -> None:
    assert stage_digits("7.60", 1) == digits("7.60")


# -- band -------------------------------------------------------------------------------------------------


def test_the_band_is_coloured_throughout_and_says_state_and_sentence() -> None:
    rows = band_rows("Reading the prompt", PARTS, "prefill", 100, 3, Fill.COLOUR)
    assert {style for row in rows for _, style in row} == {"on-prefill on band-prefill bold"}
    assert texts(rows)[1].startswith("   READING THE PROMPT   ")
    assert plain(rows[1]).endswith("768 of 1,674 tokens · ≈ 10 s to the first token   ")


@pytest.mark.parametrize(
    ("role", "mono", "plain_ascii"),
    [
        ("prefill", "▓", "="),
        ("decode", "█", "#"),
        ("waiting", "▒", "/"),
        ("stall", "╳", "!"),
        ("failed", "▔", "-"),
    ],
)
def test_without_colour_it_is_told_by_its_fill(role: str, mono: str, plain_ascii: str) -> None:
    rows = band_rows("State", (), role, 20, 3, Fill.MONO)
    assert plain(rows[0]) == plain(rows[2]) == mono * 20
    rows = band_rows("State", (), role, 20, 3, Fill.ASCII)
    assert plain(ascii_row(rows[0])) == plain_ascii * 20
    assert plain(ascii_row(rows[1])) == "   STATE".ljust(20)


@given(st.integers(20, 200), st.integers(3, 7), FILLS, st.lists(st.text("ab c", max_size=30), max_size=4))
def test_the_band_has_its_size_and_whole_words(width: int, height: int, fill: Fill, parts: list[str]) -> None:
    rows = band_rows("State", parts, "prefill", width, height, fill)
    assert len(rows) == height
    assert all(row_width(row) == width for row in rows)
    told = set("".join(plain(rows[height // 2])).split()) - {"STATE", "·", "…"}
    assert told <= {word for part in parts for word in part.split()}


def test_of_a_sentence_without_room_the_beginning_is_told() -> None:
    rows = band_rows("Failed", ("the engine closed the connection",), "failed", 40, 3, Fill.COLOUR)
    assert texts(rows)[1].endswith("the engine closed the …")


# -- giant figures ----------------------------------------------------------------------------------------


def test_two_figures_have_the_unit_beside_the_digits() -> None:
    rows = texts(giant_rows(PAIR, 100, 7, Fill.COLOUR))
    assert rows[0] == "   WAITING SO FAR" + " " * 35 + "READS"
    assert rows[1] == ""
    assert rows[2] == "   ██████    ██████ ██████" + " " * 26 + "████   ██████ ████"
    assert "  s ○ " in rows[6] and rows[6].endswith("  tok/s ●")


def test_three_figures_have_it_behind_the_heading() -> None:
    rows = texts(giant_rows(THREE, 100, 7, Fill.COLOUR))
    assert rows[0].split("  ")[0:2] == ["", " FIRST WORD AFTER ms ○"]
    assert [rows[0].index(word) for word in ("FIRST", "READS", "WRITES")] == spots(3, 100) == [3, 36, 68]
    assert rows[2][36:59] == stage_digits("6.85")[0]


def test_what_is_not_known_is_a_small_dash_with_its_reason() -> None:
    rows = texts(giant_rows((PAIR[0], Giant("READS", "prefill", why="not told")), 100, 7, Fill.COLOUR))
    assert rows[4].endswith("– not told")


@pytest.mark.parametrize(
    ("cells", "height", "scale"),
    [(80, 6, 2), (100, 7, 2), (103, 40, 2), (120, 9, 3), (150, 12, 4), (200, 40, 5)],
)
def test_digits_grow_with_the_room(cells: int, height: int, scale: int) -> None:
    assert scale_for(cells, height) == scale


@given(st.integers(80, 240), st.integers(6, 20), FILLS, st.sampled_from([PAIR, THREE]))
def test_figures_never_touch(cells: int, height: int, fill: Fill, figures: tuple[Giant, ...]) -> None:
    rows = giant_rows(figures, cells, height, fill)
    assert len(rows) == height
    assert all(row_width(row) == cells for row in rows)
    for left in spots(len(figures), cells)[1:]:
        assert all(plain(row)[left - 1] == " " for row in rows)


def test_a_long_number_is_drawn_smaller_rather_than_cut() -> None:
    long = (Giant("FIRST WORD AFTER", "text", "123:45", "", "○"), *THREE[1:])
    for cells in (80, 100, 200):
        rows = texts(giant_rows(long, cells, 7, Fill.COLOUR))
        left = spots(3, cells)[1]
        assert all(row[left - 1 : left] in ("", " ") for row in rows)


def test_plain_ascii_has_whole_rows_only() -> None:
    rows = [plain(ascii_row(row)) for row in giant_rows(THREE, 120, 9, Fill.ASCII)]
    assert "######" in rows[2] and set(rows[2]) <= set("# ")
