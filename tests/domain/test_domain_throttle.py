"""Reasons for a slow clock, in words and on the time axis."""

from __future__ import annotations

import pytest

from tui.domain.throttle import marks, throttle

SECOND = 1_000_000_000


@pytest.mark.parametrize(
    ("mask", "word"),
    [
        (None, ""),
        (0x0, ""),
        (0x1, ""),  # idle
        (0x100, ""),  # display clock
        (0x2, "clocks set by user"),
        (0x4, "power cap"),
        (0x8, "hardware slowdown"),
        (0x24, "hot"),
        (0x6C, "too hot (hardware)"),
        (0x8C, "power brake (PSU)"),
        (0x200, "voltage limit"),
        (0x400, "voltage limit"),
    ],
)
def test_the_worst_reason_in_words(mask: int | None, word: str) -> None:
    found = throttle(mask)
    assert (found.word if found else "") == word


def test_marks_of_a_card_that_gets_hot() -> None:
    masks = ((2, 0x0), (5, 0x4), (8, 0x24), (8.5, 0x6C), (9, 0x24), (99, 0x0))
    moments = [i / 10 for i in range(101)]
    series = [(round(t * SECOND), next(mask for end, mask in masks if t < end)) for t in moments]
    seen = [
        (m.start_ns / SECOND, m.end_ns / SECOND, m.throttle.word, m.throttle.level) for m in marks(series)
    ]
    assert seen == [
        (2.0, 9.0, "power cap", "info"),
        (5.0, 9.0, "hot", "warn"),
        (8.0, 8.5, "too hot (hardware)", "crit"),
    ]


def test_marks_closer_than_a_second_are_one() -> None:
    def spans(pause_s: float) -> list[tuple[float, float]]:
        moments = ((0, 4), (1, 0), (1 + pause_s, 4), (3 + pause_s, 4))
        found = marks((round(t * SECOND), mask) for t, mask in moments)
        return [(mark.start_ns / SECOND, mark.end_ns / SECOND) for mark in found]

    assert spans(0.9) == [(0, 3.9)]
    assert spans(1.0) == [(0, 1), (2, 4)]
