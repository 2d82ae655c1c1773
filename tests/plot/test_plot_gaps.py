"""Gaps and load line up with the lane and say nothing that was not measured."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tui.plot.gaps import gap_peaks, gap_rows, largest_reads, reads_by_column, stall_labels
from tui.plot.glyphs import Fill
from tui.plot.lane import Segment
from tui.plot.lane_layout import layout
from tui.plot.load import load_columns, load_rows
from tui.plot.rows import plain, row_width

MS = 1_000_000
S = 1_000 * MS
LANE = layout([Segment("prefill", 0, 200 * MS), Segment("decode", 200 * MS, S)], S, 100)


def largest(at: list[int]):
    """Largest gap before the reads of an index range."""
    return lambda start, stop: max(at[i] - at[i - 1] if i else 0 for i in range(start, stop))


@given(st.lists(st.integers(0, S), max_size=60).map(sorted))
def test_every_read_is_in_the_column_of_its_time(at: list[int]) -> None:
    columns = reads_by_column(LANE, at)
    assert [i for column in columns for i in column] == list(range(len(at)))
    for column, reads in enumerate(columns):
        for i in reads:
            assert LANE.time(column) <= at[i] <= LANE.time(column + 1)


def test_reads_after_the_snapshot_are_not_counted() -> None:
    assert sum(map(len, reads_by_column(LANE, [300 * MS, 400 * MS, 500 * MS], 2))) == 2


def test_a_column_shows_its_largest_gap_or_nothing() -> None:
    at = [200 * MS, 211 * MS, 215 * MS, 240 * MS]
    peaks = gap_peaks(reads_by_column(LANE, at), at, largest(at))
    assert peaks[20:25] == [0, 11 * MS, None, None, 25 * MS]


def test_the_gap_of_a_stall_is_a_hole_and_not_a_bar() -> None:
    at = [200 * MS, 601 * MS, 605 * MS]
    columns = reads_by_column(LANE, at)
    assert gap_peaks(columns, at, largest(at), [601 * MS])[60] == 4 * MS
    assert gap_peaks(columns, at, largest(at))[60] == 401 * MS


def test_the_most_tokens_of_one_read() -> None:
    columns = [range(0, 2), range(2, 2), range(2, 4), range(4, 5)]
    assert largest_reads(columns, [1, 2, 5, 6, 9]) == [1, 0, 3, 3]


def test_the_normal_gap_stands_at_half_height_and_twice_it_fills() -> None:
    rows = [plain(row) for row in gap_rows([10, 20, 40, None, 1, 0], 2, 20, Fill.COLOUR)]
    assert rows == [" ██   ", "███ ▁▁"]


def test_bars_are_decode_and_only_stalls_are_alarming() -> None:
    rows = gap_rows([10, None, None, 40], 2, 20, Fill.COLOUR, holes=[range(1, 3)])
    assert [plain(row) for row in rows] == [" ╳╳█", "█╳╳█"]
    assert rows[1] == (("█", "decode"), ("╳╳", "stall"), ("█", "decode"))


def test_a_stall_is_named_beside_its_hole_where_no_bar_is_in_the_way() -> None:
    label = stall_labels(332 * MS, 99)
    assert label == ("stall 332 ms at token 99", "332 ms")
    right = gap_rows([5] * 60, 3, 20, Fill.COLOUR, holes=[range(10, 14)], labels=[(range(10, 14), label)])
    assert plain(right[0]).strip() == "╳╳╳╳  stall 332 ms at token 99"
    left = gap_rows([5] * 60, 3, 20, Fill.COLOUR, holes=[range(40, 44)], labels=[(range(40, 44), label)])
    assert plain(left[0]).strip() == "stall 332 ms at token 99  ╳╳╳╳"
    blocked = gap_rows([20] * 60, 3, 20, Fill.COLOUR, holes=[range(10, 14)], labels=[(range(10, 14), label)])
    assert "stall" not in plain(blocked[0])


def test_of_several_stalls_each_is_named_that_has_room_and_the_first_before_all() -> None:
    short, long, last = range(20, 22), range(30, 40), range(56, 58)
    told = stall_labels(900 * MS, 21, counted=False)
    assert told == ("stall 900 ms at message 21", "900 ms")
    said = [(long, told), (last, ["stall 300 ms at token 40", "300 ms"]), (short, ["n"])]
    drawn = gap_rows([5] * 90, 3, 20, Fill.COLOUR, holes=[short, long, last], labels=said)
    row = plain(drawn[0])
    assert row.split() == ["╳╳", "n", "╳" * 10, "900", "ms", "╳╳", *said[1][1][0].split()]
    wide = gap_rows([5] * 120, 3, 20, Fill.COLOUR, holes=[short, long], labels=said[:1])
    assert plain(wide[0]).strip() == "╳╳        ╳╳╳╳╳╳╳╳╳╳  stall 900 ms at message 21"


def test_a_stall_with_no_room_beside_it_is_named_inside() -> None:
    said = [(range(2, 38), stall_labels(900 * MS, 21))]
    assert plain(gap_rows([20] * 40, 3, 20, Fill.COLOUR, holes=[range(2, 38)], labels=said)[0]) == (
        "██╳╳╳╳╳ stall 900 ms at token 21 ╳╳╳╳╳██"
    )
    narrow = gap_rows(
        [20] * 40, 3, 20, Fill.COLOUR, holes=[range(2, 14)], labels=[(range(2, 14), said[0][1])]
    )
    assert plain(narrow[0]).startswith("██╳╳ 900 ms ╳╳██")
    tiny = gap_rows([20] * 40, 3, 20, Fill.COLOUR, holes=[range(2, 8)], labels=[(range(2, 8), said[0][1])])
    assert plain(tiny[0]).startswith("██╳╳╳╳╳╳██")


def test_the_bars_are_named_where_none_of_them_stands() -> None:
    before = gap_rows([None] * 12 + [5] * 8, 3, 20, Fill.COLOUR, name="the gaps")
    assert [plain(row).strip() for row in before] == ["", "the gaps", "▆" * 8]
    above = gap_rows([10] * 20, 3, 20, Fill.COLOUR, name="the gaps")
    assert [plain(row).strip() for row in above] == ["the gaps", "▄" * 20, "█" * 20]
    behind = gap_rows([15] * 8 + [None] * 12, 3, 20, Fill.COLOUR, name="the gaps")
    assert plain(behind[1]).endswith("    the gaps")
    assert all("gaps" not in plain(row) for row in gap_rows([20] * 20, 3, 20, Fill.COLOUR, name="the gaps"))


def test_reads_of_several_tokens_are_counted_above_their_bar() -> None:
    rows = gap_rows([10, 10, 20, 2], 2, 20, Fill.COLOUR, reads=[1, 3, 4, 12])
    assert [plain(row) for row in rows] == [" 3█+", "███▂"]


def test_no_token_yet() -> None:
    assert [plain(row).rstrip() for row in gap_rows([None] * 20, 3, 20, Fill.COLOUR)] == [
        "",
        "no token yet",
        "",
    ]
    assert plain(gap_rows([None] * 20, 1, 20, Fill.COLOUR)[0]).rstrip() == "no token yet"


@given(
    st.lists(st.one_of(st.none(), st.integers(0, 50)), min_size=40, max_size=240),
    st.integers(1, 6),
    st.sampled_from(Fill),
)
def test_all_rows_have_a_cell_per_column(peaks, rows: int, fill: Fill) -> None:
    drawn = gap_rows(
        peaks, rows, 20, fill, holes=[range(3, 9)], labels=[(range(3, 9), ["stall", "st"])], now=30
    )
    assert {row_width(row) for row in drawn} == {len(peaks)}
    if fill is Fill.ASCII:
        assert all(plain(row).isascii() for row in drawn)


def test_a_sample_is_as_wide_as_its_window() -> None:
    lane = layout([Segment("decode", 0, S)], S, 10)
    values = load_columns(lane, [(0, 200 * MS, 50.0), (200 * MS, 500 * MS, 100.0)])
    assert values == [50.0, 50.0, 100.0, 100.0, 100.0, None, None, None, None, None]


def test_samples_in_one_column_are_averaged_and_others_ignored() -> None:
    lane = layout([Segment("decode", 0, S)], S, 10)
    samples = [(-100 * MS, 0, 9.0), (0, 50 * MS, 20.0), (50 * MS, 100 * MS, 40.0), (S, 2 * S, 9.0)]
    assert load_columns(lane, samples) == [30.0] + [None] * 9


def test_load_is_drawn_from_0_to_100_percent_in_neutral_grey() -> None:
    rows = load_rows([None, 0, 50, 75, 100, 130], 2, Fill.COLOUR)
    assert [plain(row) for row in rows] == ["   ▃▇▇", " ▁████"]
    assert {style for row in rows for text, style in row if text.strip()} == {"secondary"}
    assert plain(load_rows([None, 0, 40], 1, Fill.COLOUR, now=2)[0]) == " ▁┃"
