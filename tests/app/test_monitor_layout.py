"""The plan of the screen: nothing overlaps, nothing leaves the screen, at any size."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tui.app.layout import PANELS, Box, Form, Plan, TimeRows, plan

SIZES = st.integers(1, 260), st.integers(1, 90)


def cells(box: Box) -> set[tuple[int, int]]:
    return {(x, y) for x in range(box.x, box.x + box.width) for y in range(box.y, box.y + box.height)}


@given(*SIZES, st.sampled_from(["", *PANELS]))
def test_boxes_lie_on_the_screen_and_apart(width: int, height: int, maximised: str) -> None:
    boxes = plan(width, height, maximised).boxes
    screen = cells(Box(0, 0, width, height))
    used = Counter(cell for box in boxes.values() for cell in cells(box))
    assert used.keys() <= screen
    assert not used or max(used.values()) == 1
    assert all(box.width > 0 and box.height > 0 for box in boxes.values())


@given(*SIZES)
def test_the_sentence_is_always_there_and_the_time_block_has_its_rows(width: int, height: int) -> None:
    shown = plan(width, height)
    assert shown.shows("sentence")
    assert shown.time.total == (shown.boxes["time"].height if shown.shows("time") else 0)


@pytest.mark.parametrize(
    ("width", "height", "form"),
    [
        (120, 36, Form.LARGE),
        (110, 30, Form.LARGE),
        (109, 36, Form.SMALL),
        (80, 24, Form.SMALL),
        (80, 16, Form.SMALL),
        (79, 24, Form.NARROW),
        (60, 24, Form.NARROW),
        (59, 24, Form.LINE),
        (40, 10, Form.LINE),
        (39, 10, Form.TINY),
        (120, 5, Form.TINY),
    ],
)
def test_forms(width: int, height: int, form: Form) -> None:
    assert plan(width, height).form is form


def test_the_large_screen_has_the_rows_of_its_drawing() -> None:
    boxes = plan(120, 36).boxes
    assert {name: (box.y, box.height) for name, box in boxes.items()} == {
        "header": (0, 1),
        "sentence": (2, 2),
        "figures": (4, 4),
        "time": (9, 12),
        "phases": (21, 7),
        "memory": (21, 7),
        "gpu": (21, 7),
        "answer": (28, 4),
        "dial": (32, 3),
        "footer": (35, 1),
    }
    assert [boxes[name].width for name in ("phases", "memory", "gpu")] == [54, 32, 32]


def test_the_small_screen_has_the_rows_of_its_drawing() -> None:
    assert {name: (box.y, box.height) for name, box in plan(80, 24).boxes.items()} == {
        "header": (0, 1),
        "sentence": (1, 2),
        "figures": (3, 4),
        "time": (8, 8),
        "gauges": (16, 4),
        "answer": (20, 1),
        "dial": (21, 2),
        "footer": (23, 1),
    }


def test_wide_screens_have_the_machine_at_the_right_of_everything_timed() -> None:
    boxes = plan(150, 40).boxes
    assert boxes["memory"].x == boxes["gpu"].x == boxes["time"].width + 1
    assert boxes["gpu"].y + boxes["gpu"].height == boxes["dial"].y
    assert plan(149, 40).boxes["time"].width == 149


def test_height_goes_to_the_answer_then_the_gaps_then_the_load_then_the_lane() -> None:
    def rows(height: int) -> tuple[int, int, int, int]:
        shown = plan(120, height)
        return shown.boxes["answer"].height - 1, shown.time.gaps, shown.time.load, shown.time.lane

    assert rows(36) == (3, 3, 2, 3)
    assert rows(41) == (8, 3, 2, 3)
    assert rows(44) == (8, 6, 2, 3)
    assert rows(46) == (8, 6, 4, 3)
    assert rows(48) == (8, 6, 4, 5)


def test_a_tall_screen_goes_on_with_the_machine_the_answer_the_gaps_and_the_load() -> None:
    tall = plan(120, 60)
    assert (tall.boxes["memory"].height, tall.boxes["answer"].height) == (11, 13)
    assert (tall.time.gaps, tall.time.load, tall.time.lane) == (8, 6, 5)
    wide = plan(200, 60)
    assert (wide.boxes["phases"].height, wide.boxes["answer"].height) == (7, 14)
    assert (wide.time.gaps, wide.time.load, wide.time.lane) == (11, 6, 5)


def test_fewer_rows_cost_first_the_air_then_the_second_row_of_the_dial_then_the_load() -> None:
    def rows(height: int) -> tuple[int, int, int]:
        shown: Plan = plan(80, height)
        return shown.boxes["dial"].height, shown.time.load, shown.time.gaps

    assert rows(22) == (2, 1, 2)
    assert rows(21) == (1, 1, 2)
    assert rows(20) == (1, 0, 2)
    assert rows(19) == (1, 0, 1)


def test_a_maximised_timeline_leaves_two_rows_to_what_the_cursor_tells() -> None:
    shown = plan(120, 36, "time")
    assert shown.boxes["time"].height == shown.time.total + 2
    assert shown.time.gaps > TimeRows(gaps=6).gaps
