"""When the numbers say that this machine, and not the engine, was the slow one."""

from __future__ import annotations

import pytest

from tui.capture.live import Live
from tui.domain.view import View
from tui.domain.wire import Meta, Note, Read
from tui.report.numbers import run_object
from tui.report.plain import summary

MS = 1_000_000
CHUNK = b'data: {"choices":[{"index":0,"delta":{"content":" a"}}]}\n\n'


def read_by(
    late_ns: list[int], gap_ns: int = 10 * MS, messages: int = 1, kernel: bool = True, timed: bool = True
) -> View:
    """A stream of reads at even gaps, each taken so late."""
    live = Live()
    live.feed([Meta({"engine": "openai"}), Note(0, "sent"), Note(1, "head", {"status": 200, "headers": []})])
    for n, late in enumerate(late_ns):
        at = 100 * MS + n * gap_ns
        live.feed([Read(at, CHUNK * messages, None, at + late if timed else None, kernel)])
    return live.view()


SOON, HALF = [50_000] * 98, 5 * MS


@pytest.mark.parametrize(
    ("view", "late"),
    [
        (read_by([*SOON, 50_000, 50_000]), False),
        (read_by([*SOON, HALF, HALF]), True),
        (read_by([*SOON, HALF - 1, HALF - 1]), False),
        (read_by([*SOON, 50_000, HALF]), False),
        (read_by([*SOON, MS, MS], gap_ns=MS // 2), True),
        (read_by([*SOON, MS - 1, MS - 1], gap_ns=MS // 2), False),
        (read_by([900_000] * 100, gap_ns=MS, messages=3), True),
        (read_by([900_000] * 100, gap_ns=MS), False),
        (read_by([50_000] * 100, messages=8), False),
        (read_by([9 * MS] * 19), None),
        (read_by([9 * MS] * 100, kernel=False), None),
        (read_by([9 * MS] * 100, timed=False), None),
    ],
    ids=[
        "at once", "one in a hundred half a gap", "a little less", "one in two hundred", "1 ms at fast rates",
        "less than 1 ms", "merged and late", "late but not merged", "lumps of the engine's", "too few reads",
        "no stamps of the kernel", "a capture",
    ],
)  # fmt: skip
def test_late_is_what_shows_in_the_gaps(view: View, late: bool | None) -> None:
    assert view.clock.late is late
    assert bool(view.clock.why) == (late is True or view.clock.source == "recv")


def test_the_evidence_is_told_in_the_object_and_in_the_lines() -> None:
    view = read_by([*SOON, HALF, HALF])
    why = "1 read in 100 lay 5 ms or longer before we took it; 10 ms between reads, 0 % with several messages"
    assert run_object(view)["clock"] == {
        "source": "kernel",
        "delay_ms": {"p50": 0.05, "p99": 5.0, "max": 5.0},
        "merged_share": 0.0,
        "late": True,
        "late_reason": why,
    }
    assert f"  warning: this machine read late: {why}" in summary(view).splitlines()
    assert run_object(view)["warnings"] == [], "it is no code of the engine's"
    assert "read late" not in summary(read_by([50_000] * 100))


def test_without_the_kernel_s_stamps_no_delay_is_told() -> None:
    """Our own stamp is never late against itself: 0 would be a number that nobody measured."""
    view = read_by([0] * 100, kernel=False)
    clock = view.clock
    assert (clock.source, clock.p50_ns, clock.p99_ns, clock.max_ns) == ("recv", None, None, None)
