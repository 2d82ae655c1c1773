"""Reasons for a slow clock, in words."""

from __future__ import annotations

import pytest

from tui.domain.throttle import throttle


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
