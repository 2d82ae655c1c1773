"""Rows keep their width whatever is laid over them, and text from outside can do no harm."""

from __future__ import annotations

import unicodedata

from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from tui.plot import cells
from tui.plot.glyphs import ascii_row, to_ascii
from tui.plot.rows import Canvas, cut, join, merge, overlay, plain, row_width

ALPHABET = st.text("ab é漢字e\u0301\u20dd👩\u200d💻❤\ufe0f한", max_size=12).map(cells.clean)
ROWS = st.lists(st.tuples(ALPHABET, st.sampled_from(["text", "prefill"])), max_size=5).map(merge)


def test_neighbours_of_one_style_become_one_span() -> None:
    assert merge([("a", "x"), ("", "y"), ("b", "x"), ("c", "y")]) == (("ab", "x"), ("c", "y"))
    assert join((("a", "x"),), (("b", "x"),)) == (("ab", "x"),)


@given(ROWS, st.integers(-5, 20), ROWS)
def test_overlay_keeps_the_width(row, column: int, spans) -> None:
    assert row_width(overlay(row, column, spans)) == row_width(row)


@given(ROWS, st.integers(0, 30))
def test_a_row_cut_in_two_has_all_its_cells(row, at: int) -> None:
    left, right = cut(row, 0, at), cut(row, at, row_width(row))
    assert row_width(left) + row_width(right) == row_width(row)


def test_half_a_wide_character_becomes_a_space() -> None:
    row = (("漢字", "x"),)
    assert plain(cut(row, 1, 4)) == " 字"
    assert plain(overlay(row, 1, (("a", "y"),))) == " a字"


@given(st.lists(st.tuples(st.integers(-3, 12), ALPHABET), max_size=6))
def test_a_canvas_keeps_its_width(puts) -> None:
    canvas = Canvas(10)
    for column, text in puts:
        canvas.put(column, text, "text")
    assert row_width(canvas.row()) == 10


def test_fit_never_cuts_inside_a_cluster() -> None:
    assert cells.fit("漢字", 3) == "漢"
    assert cells.fit("e\u0301x", 1) == "e\u0301"
    assert cells.fit("👩\u200d💻x", 2) == "👩\u200d💻"
    assert cells.fit("abc", -1) == ""


def test_widths_are_those_the_screen_counts() -> None:
    for text in (
        "abc",
        "漢字",
        "e\u0301",
        "👩\u200d💻",
        "❤\ufe0f",
        "한글",
        "▕▓░╱╳✖●",
        "👍🏽",
        "ｱ",
        "Ａ",
        "क्षि",
        "🇩🇪",
    ):
        assert cells.width(text) == cell_len(text), text


def test_clean_text_holds_no_control_and_no_hidden_or_reordering_character() -> None:
    hostile = "".join(map(chr, range(0x2100))) + "\ud800\udfff\u202e\u2066\ufeff\U000e0041\u200b"
    cleaned = cells.clean(hostile)
    assert not [c for c in cleaned if unicodedata.category(c) in ("Cc", "Cs", "Zl", "Zp")]
    assert not set(cleaned) & set("\u202a\u202e\u2066\u2069\u200e\u200f\u061c\u200b\ufeff\U000e0041")
    cleaned.encode()


def test_clean_shows_what_was_there() -> None:
    assert cells.clean("\x1b[31mred\x07") == "␛[31mred␇"
    assert cells.clean("a\x9bb\x7f\ud800") == "a\ufffdb␡\ufffd"
    assert cells.clean("naïve 漢字 👩\u200d💻 e\u0301") == "naïve 漢字 👩\u200d💻 e\u0301"


@given(st.text(max_size=20), st.text(max_size=20))
def test_clean_texts_side_by_side_do_not_join(a: str, b: str) -> None:
    a, b = cells.clean(a), cells.clean(b)
    assert cells.width(a + b) == cells.width(a) + cells.width(b)


def test_piled_up_marks_are_cut() -> None:
    assert cells.clean("a" + "\u0301" * 50 + "b") == "a" + "\u0301" * 4 + "b"


@given(ROWS)
def test_ascii_rows_are_ascii_and_as_wide(row) -> None:
    assert plain(ascii_row(row)).isascii()
    assert row_width(ascii_row(row)) == row_width(row)


def test_signs_keep_their_meaning_in_ascii() -> None:
    assert to_ascii("≈ 10 s · 1.2 µs ● – →") == "~ 10 s - 1.2 us * - >"
