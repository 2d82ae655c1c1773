"""Sources with threads of their own: their pace, and how long one may be silent."""

from __future__ import annotations

import threading

import pytest

from tui.probes.lane import BROKEN, SILENT_NS, Paced

SECOND = 1_000_000_000


def test_its_thread_ends_with_the_process() -> None:
    pace = Paced("driver that ends", lambda edge, idle: None, lambda: 0)
    pace.start()
    mine = [one for one in threading.enumerate() if one.name == "driver that ends"]
    assert len(mine) == 1 and all(one.daemon for one in mine)


def test_a_paced_source_spends_a_small_share_of_its_time_asking() -> None:
    now_ns, cost_ns = 0, 0
    heard: list[tuple[bool, bool]] = []

    def ask(edge: bool, idle: bool) -> None:
        nonlocal now_ns
        now_ns += cost_ns
        heard.append((edge, idle))

    lane = Paced("driver", ask, lambda: now_ns)
    assert lane.step() == 1.0
    lane.rate(10)
    lane.mark()
    assert lane.step() == 0.1
    assert heard == [(False, True), (True, False)]
    cost_ns = SECOND // 10
    assert lane.step() > 1.5


def test_a_paced_source_is_silent_only_after_a_while() -> None:
    lane = Paced("driver", lambda edge, idle: None, lambda: 5)
    assert lane.silent(10**12) == ""
    lane._busy_ns = 5
    assert lane.silent(5 + SILENT_NS) == ""
    assert lane.silent(6 + SILENT_NS) == "no answer since 10 s"


def test_a_library_that_raises_what_nobody_expects_is_told_and_its_thread_ends(
    capfd: pytest.CaptureFixture[str],
) -> None:
    def ask(edge: bool, idle: bool) -> None:
        raise TypeError("some driver's idea of an answer")

    lane = Paced("driver that raises", ask, lambda: 0)
    lane.start()
    for one in threading.enumerate():
        if one.name == "driver that raises":
            one.join(5)
    assert lane.silent(0) == f"{BROKEN} (TypeError)"
    assert capfd.readouterr().err == ""
