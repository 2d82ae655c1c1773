"""The maximised timeline: a window of the time axis, and a cursor that reads out one moment."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

from tui.app.panels.lines import dotted, most
from tui.app.panels.phases import QUIET
from tui.app.piece_words import gap_words, machine_words
from tui.app.scene import Scene
from tui.domain.phases import Phase
from tui.domain.view import View
from tui.plot.glyphs import Fill
from tui.plot.lane import Lane
from tui.plot.numbers import count, duration
from tui.plot.read_so_far import read_so_far
from tui.plot.rows import Row, cut, join, overlay, row_width

_MOST_ZOOM = 4096


@dataclass(slots=True)
class Window:
    """`cursor_ns` is the moment under the cursor, None while it was not moved; `zoom` 1 shows everything."""

    cursor_ns: int | None = None
    zoom: int = 1

    @property
    def zoomed(self) -> bool:
        return self.zoom > 1

    def span(self, end_ns: int) -> tuple[int, int]:
        """(start, end) of what is shown of an axis that ends at `end_ns`; the cursor is in its middle."""
        width = max(1000, end_ns // self.zoom)
        middle = self.cursor_ns if self.cursor_ns is not None else end_ns // 2
        start = max(0, min(middle - width // 2, end_ns - width))
        return start, start + width

    def move(self, cells: int, lane: Lane, now_ns: int) -> None:
        """The cursor by whole columns; the first move begins at now."""
        at = lane.column(self.cursor_ns if self.cursor_ns is not None else now_ns)
        self.cursor_ns = lane.time(min(lane.width - 0.5, max(0.5, int(at) + 0.5 + cells)))

    def scale(self, direction: int) -> None:
        """Twice as near (+1), twice as far (-1), everything (0)."""
        if not direction:
            self.zoom = 1
        else:
            self.zoom = min(_MOST_ZOOM, self.zoom * 2) if direction > 0 else max(1, self.zoom // 2)

    def marked(self, rows: Sequence[Row], lane: Lane, left: int, fill: Fill) -> list[Row]:
        """The rows with the cursor drawn over them."""
        if self.cursor_ns is None or not lane.start_ns <= self.cursor_ns <= lane.end_ns:
            return list(rows)
        at = left + min(lane.width - 1, int(lane.column(self.cursor_ns)))
        return [_inverted(row, at) for row in rows]


def _inverted(row: Row, at: int) -> Row:
    """The row with one cell inverted; rows that end before it are filled up."""
    if row_width(row) <= at:
        row = join(row, ((" " * (at + 1 - row_width(row)), "text"),))
    text, style = (*cut(row, at, at + 1), (" ", "text"))[0]
    return overlay(row, at, ((text, f"{style} reverse"),))


def readout(scene: Scene, lane: Lane, window: Window) -> list[Row]:
    """Two rows: what was at the cursor, and who says how long the phases were."""
    view = scene.view
    if window.cursor_ns is None:
        hint = "arrows move a cursor that tells what was at a moment"
        return [((f" {hint}", "secondary"),), _sources(view.phases, lane.width)]
    parts = moment(view, window.cursor_ns)
    below = [*machine_words(scene, window.cursor_ns), *_told(_at(view, window.cursor_ns))]
    head: Row = ((f" ▲ {duration(window.cursor_ns)}", "text bold"),)
    return [
        most(head, [((f" · {part}", "text"),) for part in parts], lane.width),
        most(((" ", "text"),), dotted(below, "secondary"), lane.width),
    ]


def moment(view: View, at_ns: int) -> list[str]:
    """Phase, token and gap at a moment of the request."""
    parts: list[str] = []
    phase = next(iter(_at(view, at_ns)), None)
    if phase is not None:
        parts.append(f"{phase.name} {duration(phase.duration_ns)} {phase.provenance.mark}")
    report = next((r for r in reversed(view.reports) if r.at_ns <= at_ns), None)
    if report is not None and phase is not None and phase.name == "prefill":
        parts.append(f"{read_so_far(report)} read")
    return parts + _token(view, at_ns)


def _token(view: View, at_ns: int) -> list[str]:
    arrivals, reads = view.track.columns, view.track.reads
    i = bisect_right(arrivals.at, at_ns, 0, reads) - 1
    if i < 0:
        return []
    counted = arrivals.tokens[i]
    name = f"token {count(counted)}" if counted else f"message {count(arrivals.messages[i])}"
    return [name, gap_words(view, i)]


def _at(view: View, at_ns: int) -> Sequence[Phase]:
    """The phase at a moment, none outside the request."""
    return [phase for phase in view.phases if phase.start_ns <= at_ns < phase.end_ns][:1]


def _sources(phases: Sequence[Phase], width: int) -> Row:
    return most(((" ", "text"),), dotted(_told(phases), "secondary"), width)


def _told(phases: Sequence[Phase]) -> list[str]:
    """Who says how long the phases were."""
    return [f"{p.name} {p.provenance.mark} {p.source}" for p in phases if p.name not in QUIET]
