"""Text that streams: wrapped as it comes, whatever the pieces are, and harmless whatever is in it."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tui.app.panels.lines import ends, most, whole, wrapped
from tui.app.texts import Texts
from tui.app.wrapping import Wrapped
from tui.domain.text import Text
from tui.domain.view import Tool, View
from tui.plot.cells import width
from tui.plot.rows import plain, row_width

TEXTS = st.text(st.characters(codec="utf-8"), max_size=120)
TAME = st.text("ab c\n漢é😀", max_size=120)


def lines(wrapped: Wrapped) -> list[str]:
    return [plain(row) for row in wrapped.rows(0, len(wrapped))]


@given(TEXTS, st.integers(2, 40))
def test_no_line_is_wider_than_the_panel(text: str, cells: int) -> None:
    growing = Wrapped(cells, "text")
    for char in text:
        growing.add(char)
    assert all(width(line) <= cells for line in lines(growing))


@given(TAME, st.integers(2, 40), st.integers(1, 9))
@example("漢   ", 2, 1)
def test_pieces_wrap_as_the_whole_does(text: str, cells: int, size: int) -> None:
    whole, growing = Wrapped(cells, "text"), Wrapped(cells, "text")
    whole.add(text)
    for start in range(0, len(text), size):
        growing.add(text[start : start + size])
    assert lines(growing) == lines(whole)


@given(TAME, st.integers(2, 40))
def test_nothing_is_lost(text: str, cells: int) -> None:
    growing = Wrapped(cells, "text")
    growing.add(text)
    assert "".join("".join(lines(growing)).split()) == "".join(text.split())


@given(TEXTS)
def test_nothing_in_it_acts_on_the_terminal(text: str) -> None:
    growing = Wrapped(20, "text", "thinks ")
    growing.add(text)
    shown = "".join(lines(growing))
    assert not any(ord(c) < 32 or 127 <= ord(c) < 160 or c in "\u2028\u202e\u200f" for c in shown)


def test_indentation_stays_and_blank_lines_stay() -> None:
    assert wrapped("  a b", 9) == ["  a b"]
    growing = Wrapped(20, "text")
    growing.add("def f():\n\n    return 1\r\n\tx")
    assert lines(growing) == ["def f():", "", "    return 1", "    x"]


def test_a_label_takes_its_room_from_the_first_line_alone() -> None:
    growing = Wrapped(12, "secondary", "thinks ")
    growing.add("one two three four")
    assert lines(growing) == ["thinks one", "two three", "four"]


def test_a_part_is_shown_whole_or_not_at_all() -> None:
    parts = [(("one ", "text"),), (("twelve", "text"),), (("3", "text"),)]
    assert plain(most((("> ", "text"),), parts, 8)) == "> one "
    assert plain(ends((("left", "text"),), (("right", "text"),), 12)) == "left   right"
    assert plain(ends((("left", "text"),), (("right", "text"),), 9)) == "left"


@pytest.mark.parametrize(
    ("cells", "rows", "lines"),
    [
        (40, 1, ["token 87 of 256 · one every 11.6 ms"]),
        (30, 1, ["token 87 of 256"]),
        (30, 2, ["token 87 of 256 · one every", "11.6 ms"]),
        (16, 3, ["token 87 of 256", "one every", "11.6 ms"]),
        (10, 1, ["token 87 …"]),
        (3, 1, ["t …"]),
        (2, 2, ["to", "ke"]),
        (10, 0, []),
    ],
)
def test_parts_of_a_sentence_go_whole(cells: int, rows: int, lines: list[str]) -> None:
    assert whole(("token 87 of 256", "", "one every 11.6 ms"), cells, rows) == lines


def test_reasoning_answer_and_tools_are_told_apart_and_only_news_is_wrapped() -> None:
    answer, reasoning = Text(), Text()
    view = View()
    reasoning.append("let me see")
    answer.append("it is ")
    texts = Texts()
    tools = (Tool("weather", '{"city": "Oslo"}'),)
    first = View(track=view.track, answer=answer.snapshot(), reasoning=reasoning.snapshot())
    texts.follow(first, 60)
    answer.append("cold")
    texts.follow(
        View(track=view.track, answer=answer.snapshot(), reasoning=reasoning.snapshot(), tools=tools), 60
    )
    rows = texts.lines(0, 9)
    assert [plain(row) for row in rows] == [
        "thinks let me see",
        "it is cold",
        'calls weather({"city": "Oslo"})',
    ]
    assert rows[0][1][1] == "secondary" and rows[1][0][1] == "text"
    assert all(row_width(row) <= 60 for row in rows)


@pytest.mark.parametrize(
    ("text", "blank"), [("", 0), ("one", 0), ("one\n\n", 2), ("\n \n", 0), ("a\n\nb\n", 1)]
)
def test_empty_lines_at_the_end_are_known(text: str, blank: int) -> None:
    growing = Wrapped(20, "text")
    growing.add(text)
    assert growing.blank_end == blank
