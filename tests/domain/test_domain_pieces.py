"""Which message brought which part of a text, and which moment belongs to which message."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tui.domain import events as ev
from tui.domain.look import look
from tui.domain.order import Ranked
from tui.domain.pieces import Pieces
from tui.domain.reduce import reduce
from tui.domain.spans import message_at, read_of, span_at, span_of
from tui.domain.state import State
from tui.domain.text import Text
from tui.domain.view import View

MS = 1_000_000


@given(st.lists(st.tuples(st.integers(1, 3), st.integers(1, 4)), max_size=40))
def test_a_piece_is_found_by_its_message_and_the_other_way_round(steps: list[tuple[int, int]]) -> None:
    pieces, numbers, end, number = Pieces(), [], 0, 0
    for step, length in steps:
        number, end = number + step, end + length
        pieces.add(end, number)
        numbers.append(number)
    assert [pieces.number(n) for n in range(len(numbers))] == numbers
    assert [pieces.index(n) for n in numbers] == list(range(len(numbers)))
    assert all(pieces.index(n) is None for n in range(1, number + 2) if n not in numbers)


def test_neighbours_cost_four_bytes() -> None:
    pieces = Pieces()
    for n in range(1, 10_001):
        pieces.add(3 * n, n)
    assert len(pieces._first) == len(pieces._number) == 1 and pieces.ends.itemsize == 4


def test_a_snapshot_tells_the_pieces_of_its_own_length() -> None:
    text = Text()
    text.append("one")
    text.append("")
    before = text.snapshot()
    text.append(" two", 5)
    assert before.length == 3 and list(before.pieces.ends) == [3, 7]
    assert [before.pieces.number(n) for n in range(2)] == [1, 5]


@given(st.lists(st.integers(0, 50), min_size=1, max_size=2000), st.integers(-1, 51))
def test_a_rank_is_how_many_are_smaller(numbers: list[int], asked: int) -> None:
    ranked = Ranked()
    for number in numbers:
        ranked.add(number)
    assert ranked.rank(asked) == sum(number < asked for number in numbers)


def answer(now_ms: int = 600, over: bool = False) -> View:
    """Reads at 100, 120, 140 (three messages: thought, thought, word) and 500 ms."""
    state = State()
    reduce(state, ev.SentAll(0))
    count = 0
    for at_ms, texts in ((100, 1), (120, 1), (140, 3), (500, 1)):
        reduce(state, ev.Arrived(at_ms * MS, None, None, False, texts, texts))
        for n in range(texts):
            count += 1
            thought = at_ms == 140 and n < 2
            reduce(
                state,
                ev.Generated(at_ms * MS, "" if thought else " word", " hm" if thought else "", count=count),
            )
    if over:
        reduce(state, ev.Ended(now_ms * MS, "eof"))
    return look(state, now_ms * MS)


def test_messages_find_their_read_and_the_text_they_brought() -> None:
    view = answer()
    assert [read_of(view, n) for n in range(8)] == [None, 0, 1, 2, 2, 2, 3, None]
    assert [view.reasoning.pieces.index(n) for n in range(1, 7)] == [None, None, 0, 1, None, None]
    assert [view.answer.pieces.index(n) for n in range(1, 7)] == [0, 1, None, None, 2, 3]


def test_a_span_counts_from_the_read_before_it() -> None:
    view = answer()
    one, several = span_of(view, 6, 6), span_of(view, 5, 2)
    assert one is not None and several is not None
    assert (one.duration_ns, one.tokens, one.token) == (360 * MS, 1, 6)
    assert (several.first, several.last, several.duration_ns, several.tokens) == (2, 5, 40 * MS, 4)
    assert span_of(view, 6, 7) is None


def test_a_moment_belongs_to_the_read_that_ended_the_wait() -> None:
    view = answer()
    assert message_at(view, 99 * MS) is None
    assert [message_at(view, at * MS) for at in (100, 139, 140, 999)] == [1, 2, 5, 6]
    late = span_at(view, 300 * MS)
    assert late is not None and (late.first, late.duration_ns) == (6, 360 * MS)
    lump = span_at(view, 130 * MS)
    assert lump is not None and (lump.first, lump.last) == (3, 5)
    assert span_at(view, 50 * MS) is None and span_at(view, 600 * MS) is None


def test_a_silence_that_lasts_is_a_span_without_a_message() -> None:
    lasting = span_at(answer(2000), 1900 * MS)
    assert lasting is not None and lasting.open
    assert (lasting.duration_ns, lasting.messages, lasting.token) == (1500 * MS, 0, 6)
    assert span_at(answer(2000, over=True), 1900 * MS) is None
