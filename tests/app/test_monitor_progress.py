"""How far the prompt is read: in the unit that the engine tells, marked where it is inferred."""

from dataclasses import replace

import pytest

from tests.app.scripted import MS, opening
from tests.app.test_monitor_words import KNOBS, of, seen
from tui.app.panels.phases import reading
from tui.app.window import moment
from tui.domain import events as ev
from tui.domain.events import Dialect, Event
from tui.domain.prefill import Report
from tui.plot.glyphs import Fill
from tui.plot.read_so_far import counted_notches, read_so_far
from tui.plot.rows import plain

MLX = Dialect("mlx-lm", tokenizes_first=False, head="working")
TOLD = Report(0, 4096, 0, 512, None)


@pytest.mark.parametrize(
    ("report", "words", "short"),
    [
        (TOLD, "512 of 4,096 tokens", "512 of 4,096"),
        (replace(TOLD, whole=False), "512 of 4,096 new tokens", "512 of 4,096 new"),
        (replace(TOLD, estimated=True), "≈ 512 of 4,096 tokens", "≈ 512 of 4,096"),
        (Report(0, 1000, 0, 429, None, "share"), "42 %", "42 %"),
        (Report(0, 1000, 0, 999, None, "share"), "99 %", "99 %"),
        (Report(0, 0, 0, 0, None, "share"), "0 %", "0 %"),
    ],
)
def test_the_unit_and_its_mark(report: Report, words: str, short: str) -> None:
    assert read_so_far(report) == words
    assert read_so_far(report, unit=False) == short


def progress(*reports: Event) -> list[Event]:
    return [*opening(KNOBS, MLX), ev.Head(10 * MS, 200), *reports]


def test_new_tokens_are_called_so_everywhere() -> None:
    events = progress(ev.Progress(500 * MS, 887, 0, 256, None, whole=False))
    view = seen(events, 600 * MS)
    assert of(view) == "● Reading the prompt: 256 of 887 new tokens"
    bar, told = reading(view, 10, Fill.COLOUR)
    assert told == "256 of 887 new" and plain(bar).strip()
    assert "256 of 887 new tokens read" in moment(view, 550 * MS)
    assert counted_notches(view.reports) == [(500 * MS, 256)]


def test_a_share_shows_no_tokens_and_no_speed() -> None:
    events = progress(
        ev.Progress(300 * MS, 1000, 0, 250, None, unit="share"),
        ev.Progress(500 * MS, 1000, 0, 500, None, unit="share"),
    )
    view = seen(events, 600 * MS)
    assert of(view) == "● Reading the prompt: 50 %"
    assert view.prefill_now.number is None
    assert counted_notches(view.reports) == []


def test_what_was_estimated_is_marked_and_gets_no_line() -> None:
    view = seen(progress(ev.Progress(500 * MS, 900, 0, 300, None, estimated=True)), 600 * MS)
    assert of(view) == "● Reading the prompt: ≈ 300 of 900 tokens"
    assert counted_notches(view.reports) == []


def test_an_engine_that_loads_says_so() -> None:
    events = [*opening(KNOBS), ev.Edge(-MS, "load", True, "it slept", estimated=True)]
    assert of(seen(events, 600 * MS)) == "○ Loading: the engine loads its model for this request"
