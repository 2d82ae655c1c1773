"""The mapping time → column: monotone, exact in sum, no happened phase unseen, no cell with two edges."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from tui.plot.lane import Lane, Segment
from tui.plot.lane_layout import layout

MS = 1_000_000
S = 1_000 * MS
NAMES = ("connect", "send", "load", "queue", "tokenize", "prefill", "decode", "finish")


def run(*durations_ms: float, names: tuple[str, ...] = ("queue", "tokenize", "prefill", "decode", "finish")):
    """Phases of these lengths end to end."""
    segments, at = [], 0
    for name, length in zip(names, durations_ms, strict=False):
        segments.append(Segment(name, at, at + round(length * MS)))
        at += round(length * MS)
    return segments


@st.composite
def lanes(draw) -> Lane:
    lengths = draw(
        st.lists(
            st.one_of(st.integers(0, 10), st.integers(0, 5 * MS), st.integers(0, 60 * S)),
            min_size=1,
            max_size=8,
        )
    )
    before = draw(st.sampled_from([0, 0, 1, 30 * MS]))
    segments, at = [], -before
    for name, length in zip(NAMES, lengths, strict=False):
        segments.append(Segment(name, at, at + length))
        at += length
    end = max(1, at) + draw(st.one_of(st.just(0), st.integers(0, 100 * S)))
    return layout(segments, end, draw(st.integers(20, 240)))


@given(lanes())
def test_pieces_and_rest_fill_the_width_exactly(lane: Lane) -> None:
    edge = 0
    for piece in lane.pieces:
        assert piece.left == edge
        edge = piece.right
    assert edge <= 8 * lane.width
    assert lane.column(lane.end_ns) == lane.width
    if lane.pieces and lane.pieces[-1].end_ns == lane.end_ns:
        assert edge == 8 * lane.width


@given(lanes())
def test_every_phase_that_happened_has_a_whole_cell(lane: Lane) -> None:
    for piece in lane.pieces:
        assert piece.right - piece.left >= 8
        if piece.widened:
            assert piece.right - piece.left == 8
            assert piece.left % 8 == 0


@given(lanes())
def test_no_cell_has_two_edges(lane: Lane) -> None:
    inside = [piece.right // 8 for piece in lane.pieces if piece.right % 8]
    assert len(inside) == len(set(inside))


@given(lanes(), st.lists(st.floats(0, 1), min_size=2, max_size=20))
def test_time_never_goes_back_to_the_left(lane: Lane, shares: list[float]) -> None:
    span = lane.end_ns - lane.start_ns
    columns = [lane.column(lane.start_ns + share * span) for share in sorted(shares)]
    assert columns == sorted(columns)
    assert columns[0] >= 0 and columns[-1] <= lane.width


@given(lanes())
def test_the_edges_are_the_times_of_all_columns(lane: Lane) -> None:
    assert lane.edges() == [lane.time(column) for column in range(1, lane.width + 1)]


@given(lanes(), st.floats(0, 1))
def test_time_is_the_inverse_of_column(lane: Lane, share: float) -> None:
    column = share * lane.width
    again = lane.column(lane.time(column))
    # a whole nanosecond can be more than a cell only where a phase of a few nanoseconds is widened
    per_ns = max((p.right - p.left) / 8 / (p.end_ns - p.start_ns) for p in lane.pieces) if lane.pieces else 0
    rest = lane.end_ns - (lane.pieces[-1].end_ns if lane.pieces else lane.start_ns)
    per_ns = max(per_ns, lane.width / rest if rest else 0)
    assert abs(again - column) <= per_ns + 1e-6


def test_thin_phases_are_paid_for_by_the_widest_only() -> None:
    lane = layout(run(1.2, 3.7, 7595.1), 20 * S, 111)
    assert [(p.names, p.widened) for p in lane.pieces] == [
        (("queue",), True),
        (("tokenize",), True),
        (("prefill",), False),
    ]
    assert [(p.left, p.right) for p in lane.pieces[:2]] == [(0, 8), (8, 16)]
    assert lane.pieces[2].right == round(7.6 / 20 * 111 * 8)
    assert lane.column(15 * S) == 15 / 20 * 111 or abs(lane.column(15 * S) - 83.25) < 0.05


def test_the_live_end_moves_in_eighths_and_never_back() -> None:
    ends = [layout(run(1.2, 3.7, ms), 20 * S, 111).pieces[-1].right for ms in range(10, 18_000, 7)]
    assert ends == sorted(ends)
    steps = {b - a for a, b in pairwise(ends)}
    assert steps == {0, 1}


def test_too_many_thin_neighbours_share_one_cell() -> None:
    names = ("connect", "send", "load", "queue", "tokenize", "prefill")
    lane = layout(run(0.1, 0.1, 0.1, 0.1, 0.1, 900, names=names), S, 40)
    assert [piece.label for piece in lane.pieces] == ["connect+send+load+queue+tokenize", "prefill"]
    assert lane.pieces[0].right == 8
    four = layout(run(0.1, 0.1, 0.1, 0.1, 900, names=(*names[:4], "prefill")), S, 40)
    assert len(four.pieces) == 5


def test_a_joined_cell_has_the_colour_of_its_longest_phase() -> None:
    names = ("connect", "send", "load", "queue", "tokenize", "prefill")
    lane = layout(run(0.1, 0.1, 0.1, 0.5, 0.1, 900, names=names), S, 40)
    assert lane.pieces[0].role == "queue"


def test_connection_set_up_is_left_out_unless_it_can_be_seen() -> None:
    def with_connect(ms: float) -> Lane:
        return layout([Segment("connect", -round(ms * MS), 0), *run(1, 2, 900)], S, 111)

    assert with_connect(1).start_ns == 0
    assert with_connect(1).pieces[0].names == ("queue",)
    wide = with_connect(30)
    assert wide.start_ns == -30 * MS
    assert wide.pieces[0].names == ("connect",)
    assert wide.column(0) == wide.pieces[0].right / 8
    short_request = layout([Segment("connect", -10 * MS, 0), *run(1, 2, 100)], 5 * S, 111)
    assert short_request.start_ns == -10 * MS


def test_a_hole_between_segments_is_unattributed() -> None:
    lane = layout([Segment("queue", 0, 300 * MS), Segment("decode", 600 * MS, S)], S, 100)
    assert [piece.role for piece in lane.pieces] == ["queue", "unattributed", "decode"]


def test_an_overlap_is_given_to_the_earlier_phase() -> None:
    lane = layout([Segment("queue", 0, 600 * MS), Segment("decode", 300 * MS, S)], S, 100)
    assert [(piece.role, piece.start_ns) for piece in lane.pieces] == [("queue", 0), ("decode", 600 * MS)]


def test_a_window_shows_only_its_part() -> None:
    lane = layout(run(100, 100, 800), 500 * MS, 100, start_ns=150 * MS)
    assert [piece.role for piece in lane.pieces] == ["tokenize", "prefill"]
    assert lane.column(150 * MS) == 0
    assert lane.column(500 * MS) == 100
    assert lane.pieces[0].right == round(50 / 350 * 800)


def test_mark_stands_right_after_the_live_end() -> None:
    lane = layout(run(0, 0, 555), S, 100)
    assert lane.pieces[-1].right == 444
    assert lane.mark(555 * MS) == 56
    assert layout(run(0, 0, 550), S, 100).mark(550 * MS) == 55
    assert lane.mark(S) == 99


def test_a_stall_covers_whole_cells_and_while_it_lasts_all_up_to_now() -> None:
    lane = layout(run(0, 0, 100, 455), S, 100)
    assert lane.hole(300 * MS, 400 * MS) == range(30, 40)
    assert len(lane.hole(300 * MS, 300 * MS + 1)) == 1
    assert lane.hole(300 * MS, 555 * MS) == range(30, lane.mark(555 * MS))


def test_nothing_happened_is_an_empty_track() -> None:
    lane = layout([], S, 80)
    assert lane.pieces == ()
    assert lane.column(S // 2) == 40
    assert lane.mark(0) == 0
