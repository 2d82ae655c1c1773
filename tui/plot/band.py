"""The band of the stage: a stripe in the phase's colour with the state in capitals and one sentence."""

from __future__ import annotations

from collections.abc import Sequence

from tui.plot.cells import width as cells_of
from tui.plot.glyphs import Fill
from tui.plot.rows import Canvas, Row

MARGIN = 3
_APART = 2
_EDGE = "▔"
_MONO = {"prefill": "▓", "decode": "█", "waiting": "▒", "load": "░", "stall": "╳"}
_ASCII = {"prefill": "=", "decode": "#", "waiting": "/", "load": "l", "stall": "!"}
_GROUNDS = {"text": "track"}  # a state that is no phase lies on the ground of the empty lane


def ground(role: str) -> str:
    """The role whose colour fills the band of a state."""
    return _GROUNDS.get(role, role)


def band_style(role: str) -> str:
    """Style of what is written on the band; its two roles are the band's own, made for it."""
    return f"on-{ground(role)} on band-{ground(role)} bold"


def band_rows(
    word: str, parts: Sequence[str], role: str, cells: int, height: int, fill: Fill
) -> tuple[Row, ...]:
    """`height` rows, the middle one with the text. Without colour the others are the phase's fill.

    Parts of the sentence that don't fit whole go from the end; of the first at least the beginning is told.
    """
    style = band_style(role) if fill is Fill.COLOUR else "text bold"
    edge = " " if fill is Fill.COLOUR else _edges(fill).get(role, _EDGE)
    bare = Canvas(cells, edge, style if fill is Fill.COLOUR else role).row()
    text = Canvas(cells, " ", style)
    text.put(MARGIN, word.upper(), style)
    room = cells - 2 * MARGIN - cells_of(word) - _APART
    sentence = _fitting([part for part in parts if part], room)
    text.put(cells - MARGIN - cells_of(sentence), sentence, style)
    return tuple(text.row() if n == height // 2 else bare for n in range(height))


def _edges(fill: Fill) -> dict[str, str]:
    return _MONO if fill is Fill.MONO else _ASCII


def _fitting(parts: Sequence[str], room: int) -> str:
    for n in range(len(parts), 0, -1):
        sentence = " · ".join(parts[:n])
        if cells_of(sentence) <= room:
            return sentence
    told = ""
    for word in parts[0].split() if parts else ():
        longer = f"{told} {word}" if told else word
        if cells_of(longer) + 2 > room:
            break
        told = longer
    return f"{told} …" if told else ""
