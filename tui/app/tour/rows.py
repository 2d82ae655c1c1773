"""Rows that only a tour has: its caption in the place of the dial, its keys in the footer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tui.app.panels.lines import measured
from tui.app.scene import Replay
from tui.app.tour.shown import Part, Shown
from tui.plot.rows import Row

Hints = dict[str, tuple[str, str]]
FIRST = ("send", "next", "stop", "leave", "step_back")
"""Of the hints of a tour, the most needed first; they go before all others."""
GROUND = "track"


def caption(tour: Shown, width: int, height: int, large: bool = False) -> Sequence[Row]:
    """The caption, numbers beside their units. On the stage (`large`) bold, on a ground of its own."""
    head = f" {tour.number}/{tour.of} "
    lines = _fitting(tour.caption or tour.title, width - len(head) - 2, height)
    style = f"text on {GROUND} bold" if large else "text"
    rows: list[Row] = []
    for n in range(height if large else len(lines)):
        line = lines[n] if n < len(lines) else ""
        first = (head if n == 0 else " " * len(head), f"{style} bold" if not large else style)
        text = f" {line}".ljust(width - len(head)) if large else f" {line}"
        rows.append((first, (text, style)))
    return tuple(rows)


def _fitting(text: str, cells: int, rows: int) -> Sequence[str]:
    """The text in at most `rows` lines; where that is too little, an ellipsis stands for the rest."""
    lines = measured(text, cells)
    if len(lines) <= rows:
        return lines
    kept = lines[:rows]
    kept[-1] = f"{measured(kept[-1], cells - 2)[0]} …"
    return kept


def hints(tour: Shown, replay: Replay | None, shown: Mapping[str, str]) -> Hints:
    """(key, what it does) by name, in the order in which they stand; all keys that do it are named.

    `replay`: None at an engine.
    """
    esc, *_ = shown["stop"].split(" ")
    told: Hints = {}
    both = f"{shown['send']} {shown['pause']}"
    match tour.part:
        case Part.BEFORE:
            told["send"] = (both, "play" if replay else "send")
        case Part.WHILE if replay and not replay.playing:
            told["next"] = (both, "play on")
        case Part.WHILE:
            if tour.turned:
                told["send"] = (shown["send"], "send then")
            if not tour.last:
                told["next"] = (shown["pause"], "next scene")
            if not replay:
                told["stop"] = (esc, "stop")
        case Part.AFTER:
            if tour.again:
                told["send"] = (shown["send"], "send")
            if not tour.last:
                told["next"] = (shown["pause"] if tour.again else both, "next scene")
    if "stop" not in told:
        told["leave"] = (esc, "leave")
    if tour.number > 1 or tour.part is not Part.BEFORE:
        told["step_back"] = (shown["scene_back"], "back")
    return told
