"""Roles to styles: how a phase, the empty track and what is written on them look in each way to draw."""

from __future__ import annotations

from tui.plot.glyphs import Fill
from tui.plot.rows import Span


def area(role: str, fill: Fill) -> Span:
    """One cell inside a phase: its glyph and style. Hatched ones lie on the track."""
    glyph = fill.glyphs.phase(role)
    if fill is not Fill.COLOUR:
        return glyph, role
    return (" ", f"background on {role}") if glyph == " " else (glyph, f"{role} on track")


def on_track(role: str, fill: Fill) -> str:
    """Style of a sign or word on the empty part of the lane."""
    return f"{role} on track" if fill is Fill.COLOUR else role


def inside(role: str, fill: Fill) -> str:
    """Style of a sign or word inside a phase."""
    return f"background on {role}" if fill is Fill.COLOUR else "text"
