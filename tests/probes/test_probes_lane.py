"""Sources in threads of their own: one that hangs, the asker that goes on, and the pace of the others."""

from __future__ import annotations

import threading

from tui.probes.lane import SILENT_NS, Asked, Paced, no_answer

SECOND = 1_000_000_000
PATIENCE_S = 20.0


def test_an_answer_comes_from_the_sources_own_thread_and_hears_of_an_edge() -> None:
    heard: list[bool] = []

    def read(edge: bool) -> str:
        heard.append(edge)
        return threading.current_thread().name

    lane = Asked("files", read)
    lane.start()
    answers = [lane.ask(edge, PATIENCE_S) for edge in (False, True)]
    assert (answers, heard) == (["files", "files"], [False, True])


def test_a_source_that_hangs_is_told_and_asked_no_second_time() -> None:
    now_ns, asked = 0, 0
    enter, leave = threading.Event(), threading.Event()

    def read(edge: bool) -> int:
        nonlocal asked
        asked += 1
        enter.set()
        leave.wait(PATIENCE_S)
        return asked

    lane = Asked("files", read, lambda: now_ns)
    lane.start()
    assert lane.ask(False, 0) == no_answer(0, 0)
    assert enter.wait(PATIENCE_S)
    now_ns = 12 * SECOND
    assert lane.ask(False, PATIENCE_S) == "no answer since 12 s"  # at once: the old question is still open
    assert asked == 1
    leave.set()
    late = next(
        answer for answer in iter(lambda: lane.ask(False, PATIENCE_S), None) if isinstance(answer, int)
    )
    assert late >= 1


def test_its_threads_end_with_the_process() -> None:
    lane = Asked("files that end", lambda edge: 0)
    lane.start()
    pace = Paced("driver that ends", lambda edge, idle: None, lambda: 0)
    pace.start()
    mine = [one for one in threading.enumerate() if one.name.endswith(("that end", "that ends"))]
    assert len(mine) == 2 and all(one.daemon for one in mine)


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
