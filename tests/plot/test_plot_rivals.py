"""Thin lanes of background requests: hatched while they wait, solid while they write, all on one axis."""

from hypothesis import given
from hypothesis import strategies as st

from tui.domain.rivals import Rival, Turn
from tui.plot.glyphs import Fill
from tui.plot.lane import Segment
from tui.plot.lane_layout import layout
from tui.plot.rivals import rival_row, rivals_row
from tui.plot.rows import plain, row_width

LANE = layout([Segment("queue", 0, 50), Segment("prefill", 50, 100)], 100, 20)


def drawn(*turns: Turn, now: int = 100, fill: Fill = Fill.COLOUR) -> str:
    return plain(rival_row(LANE, Rival(1, turns), now, fill)).rstrip()


def test_it_waits_writes_and_comes_again() -> None:
    assert drawn(Turn(-10, 25, 48, 50, 4, "eof"), Turn(50)) == "╱╱╱╱╱▄▄▄▄▄╱╱╱╱╱╱╱╱╱╱"


def test_one_that_still_runs_reaches_up_to_now() -> None:
    assert drawn(Turn(0, 20), now=40) == "╱╱╱╱▄▄▄▄"
    assert drawn(Turn(0), now=40) == "╱╱╱╱╱╱╱╱"


def test_what_happened_is_never_invisible() -> None:
    assert drawn(Turn(60, 60, 60, 60, 1, "eof")) == " " * 12 + "▄"
    assert drawn(Turn(99, ended_ns=99, how="cancelled")) == " " * 19 + "╱"


def test_one_that_failed_says_so() -> None:
    assert drawn(Turn(0, ended_ns=25, how="error")) == "╱╱╱╱✖"


def test_it_can_be_read_without_colour_and_in_ascii() -> None:
    turns = Turn(0, 50, 99, 100, 9, "eof")
    assert drawn(turns, fill=Fill.MONO) == "╱" * 10 + "▄" * 10
    assert drawn(turns, fill=Fill.ASCII) == "/" * 10 + "#" * 10


def test_one_row_for_all_tells_how_many_write() -> None:
    rivals = [Rival(1, (Turn(0, 25, 74, 75),)), Rival(2, (Turn(0, 50),))]
    assert plain(rivals_row(LANE, rivals, 100, Fill.COLOUR)) == "╱╱╱╱╱▄▄▄▄▄█████▄▄▄▄▄"
    assert plain(rivals_row(LANE, [], 100, Fill.COLOUR)).strip() == ""


@given(
    st.lists(st.tuples(st.integers(-50, 150), st.integers(0, 90), st.integers(0, 90)), max_size=5),
    st.integers(0, 100),
    st.sampled_from(list(Fill)),
)
def test_rows_are_as_wide_as_the_lane(steps: list[tuple[int, int, int]], now: int, fill: Fill) -> None:
    turns = tuple(Turn(at, at + wait, at + wait, at + wait + more, 1) for at, wait, more in steps)
    window = layout([Segment("prefill", 0, 100)], 80, 20, 40)
    for lane in (LANE, window):
        assert row_width(rival_row(lane, Rival(1, turns), now, fill)) == 20
        assert row_width(rivals_row(lane, [Rival(1, turns)] * 3, now, fill)) == 20
