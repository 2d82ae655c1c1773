"""Rules and titles between the panels."""

from __future__ import annotations

from tui.plot.glyphs import Fill
from tui.plot.rows import Row, row_width


def titled(
    title: str, width: int, fill: Fill, state: str = "", style: str = "secondary", lit: bool = False
) -> Row:
    """A rule with a title at its left and a state word at its right."""
    line = fill.glyphs.line
    label = "text bold reverse" if lit else "text bold"
    left: Row = ((f"{line} ", "rule"), (title, label), (" ", "rule"))
    right: Row = ((" ", "rule"), (state, style), (f" {line}", "rule")) if state else ()
    rest = width - row_width(left) - row_width(right)
    return (*left, (line * max(0, rest), "rule"), *right)


def rule(width: int, fill: Fill) -> Row:
    """A plain rule."""
    return ((fill.glyphs.line * width, "rule"),)
