"""Rows of parts that are shown whole or not at all: nothing is cut inside a word or a number."""

from __future__ import annotations

import re
from collections.abc import Sequence

from tui.plot.cells import clusters, width
from tui.plot.rows import Row, Span, join, row_width

_BOUND = "\u00a0"
_UNITS = r"%|µs|ms|s|W|Wh|J|mJ|°C|MHz|[kMGT]i?B(?:/s)?|B/s|tok/s|[GT]FLOP/s"
_UNIT = re.compile(rf"(?<=\d) (?=(?:{_UNITS})(?:\W|$))|(?<=≈) (?=\d)")  # what no line may end between


def most(first: Row, parts: Sequence[Row], cells: int) -> Row:
    """`first`, and as many of `parts` behind it as fit whole."""
    row = first
    for part in parts:
        if row_width(row) + row_width(part) > cells:
            break
        row = join(row, part)
    return row


def ends(left: Row, right: Row, cells: int) -> Row:
    """One row at the left edge, the other at the right one; the right one goes where both don't fit."""
    free = cells - row_width(left) - row_width(right)
    return join(left, ((" " * free, "text"),), right) if free >= 1 else left


def dotted(parts: Sequence[str], style: str) -> list[Row]:
    """Parts of a sentence, each but the first with its separating dot."""
    return [((f" · {part}" if i else part, style),) for i, part in enumerate(parts) if part]


def whole(parts: Sequence[str], cells: int, rows: int) -> list[str]:
    """As many parts of a sentence as fit whole into the rows; of the first one at least its beginning."""
    told = [part for part in parts if part]
    if rows <= 0 or not told:
        return []
    for n in range(len(told), 0, -1):
        lines = [line.removeprefix("· ") for line in measured(" · ".join(told[:n]), cells)]
        if len(lines) <= rows:
            return lines
    kept = lines[:rows]
    if beginning := wrapped(kept[-1], cells - 2):  # else there is no room for a sign of what is missing
        kept[-1] = f"{beginning[0]} …"
    return kept


def wrapped(text: str, cells: int) -> list[str]:
    """The text in lines of at most `cells`; a word is broken only where it is wider than a line."""
    if cells <= 0:
        return []
    lines: list[str] = []
    line, used, fresh = "", 0, True
    for word in text.split(" "):
        if not word and fresh and lines:
            continue  # blanks at which a line was broken are not the next one's
        own, gap = width(word), 0 if fresh else 1
        if used + gap + own <= cells:
            line, used, fresh = line + " " * gap + word, used + gap + own, False
            continue
        if not fresh:
            lines.append(line)
        *whole, line = broken(word, cells)
        lines += whole
        used, fresh = width(line), not line
    return [*lines, line]


def measured(text: str, cells: int) -> list[str]:
    """As `wrapped`, but a number keeps its unit beside it, and its `≈`."""
    return [line.replace(_BOUND, " ") for line in wrapped(_UNIT.sub(_BOUND, text), cells)]


def broken(word: str, cells: int) -> list[str]:
    """A word in pieces of at most `cells`."""
    if width(word) <= cells:
        return [word]
    pieces, piece, used = [], "", 0
    for cluster, own in clusters(word):
        if used + own > cells and piece:
            pieces.append(piece)
            piece, used = "", 0
        piece += cluster
        used += own
    return [*pieces, piece]


def column(text: str, cells: int, style: str = "text", right: bool = False) -> Span:
    """The text in a column of its own; a longer one keeps its width."""
    space = " " * max(0, cells - width(text))
    return (space + text if right else text + space, style)
