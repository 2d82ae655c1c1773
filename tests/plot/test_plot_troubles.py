"""Marks of the machine on the time axis: where they stand, how long they last, and which one is seen."""

from tui.plot.glyphs import Fill
from tui.plot.lane import Segment
from tui.plot.lane_layout import layout
from tui.plot.rows import Row, plain, row_width
from tui.plot.troubles import Trouble, troubles_over

S = 1_000_000_000
LANE = layout([Segment("decode", 0, 10 * S)], 10 * S, 100)
BARS: Row = (("█" * 100, "secondary"),)


def drawn(*troubles: Trouble) -> str:
    row = troubles_over(BARS, LANE, troubles, Fill.COLOUR)
    assert row_width(row) == 100
    return plain(row)


def test_a_trouble_has_its_sign_where_it_began_its_words_and_a_line_as_long_as_it_lasted() -> None:
    told = drawn(Trouble(2 * S, 6 * S, "crit", ("PAGING 2.1 GB/s from disk", "PAGING")))
    assert told == "█" * 20 + "✖ PAGING 2.1 GB/s from disk " + "━" * 12 + "█" * 40


def test_words_that_do_not_fit_are_shorter_or_left_out_and_never_cut() -> None:
    assert drawn(Trouble(9 * S, 10 * S, "crit", ("PAGING 2.1 GB/s", "PAGING"))).endswith("█✖ PAGING ━")
    assert drawn(Trouble(round(9.7 * S), 10 * S, "warn", ("hot",))).endswith("█▲━━")


def test_where_two_meet_the_graver_one_is_seen_and_the_other_beside_it() -> None:
    told = drawn(Trouble(2 * S, 9 * S, "warn", ("hot",)), Trouble(4 * S, 5 * S, "crit", ("too hot",)))
    assert told.index("✖ too hot") == 40
    assert "▲ hot" in told and told.index("▲ hot") > told.index("✖ too hot")


def test_what_lies_outside_of_the_lane_is_not_drawn() -> None:
    assert (
        drawn(Trouble(-3 * S, -S, "crit", ("hot",)), Trouble(11 * S, 12 * S, "crit", ("hot",))) == "█" * 100
    )


def test_the_level_is_a_shape_as_well_as_a_colour() -> None:
    for level, sign in (("info", "●"), ("warn", "▲"), ("crit", "✖")):
        assert sign in drawn(Trouble(S, 5 * S, level, ("word",)))
