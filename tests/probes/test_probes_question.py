"""Values that are asked for repeatedly: slow ones, slopes of counters, and names of cards."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.probes.paper_cards import SECOND
from tui.probes import question
from tui.probes.drm import pci_name


def test_the_trade_name_of_a_card() -> None:
    rows = ("# a list", "1002  AMD", "\t744c  Navi 31 [Radeon RX 7900 XT]", "8086  Intel")
    table = "\n".join((*rows, "\te20b  Battlemage G21 [Arc B580]", "\t1234  Plain", ""))
    assert pci_name(table, "8086", "e20b") == "Arc B580"
    assert pci_name(table, "8086", "1234") == "Plain"
    assert pci_name(table, "1002", "e20b") == ""
    assert pci_name("", "1002", "744c") == ""


@pytest.mark.parametrize(("took_ms", "asked"), [(0, 13), (10, 2), (60, 1)])
def test_a_slow_file_is_asked_less_often(took_ms: int, asked: int) -> None:
    now_ns, calls = 0, 0

    def ask() -> int:
        nonlocal now_ns, calls
        now_ns, calls = now_ns + took_ms * question.MS, calls + 1
        return 1

    one: question.Question[int] = question.Question(ask)
    clock: Callable[[], int] = lambda: now_ns  # noqa: E731
    for tick in range(13):
        now_ns = max(now_ns, tick * SECOND // 10 + took_ms * question.MS)
        one.refresh(clock)
    assert calls == asked


def test_a_counter_has_no_slope_before_its_second_value_and_none_after_a_reset() -> None:
    slope = question.Slope()
    assert slope.add((10, 0)) is None
    assert slope.add((20, SECOND // 10)) is None
    assert slope.add((60, SECOND)) == 50
    assert slope.add(None) == 50
    assert slope.add((5, 2 * SECOND)) is None
    assert slope.add((6, 60 * SECOND)) is None  # asleep in between
