"""Every sign that is drawn, for the three ways to draw: coloured cells, fills without colour, plain ASCII."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum

from tui.plot.cells import clusters
from tui.plot.rows import Row


class Fill(Enum):
    """How areas are told apart: by colour, by block and hatch characters (NO_COLOR), by letters (ASCII)."""

    COLOUR = "colour"
    MONO = "mono"
    ASCII = "ascii"

    @property
    def glyphs(self) -> Glyphs:
        return _GLYPHS[self]


INITIALS: Mapping[str, str] = {
    "connect": "c",
    "send": "s",
    "load": "l",
    "queue": "q",
    "tokenize": "t",
    "waiting": "w",
    "prefill": "p",
    "decode": "d",
    "finish": "f",
    "unattributed": "u",
}
JOINED = "+"
"""Stands in a cell that several phases share."""


@dataclass(frozen=True, slots=True)
class Glyphs:
    """The signs of one way to draw; each is one cell wide. `bars` and `lefts` run from empty to full."""

    phases: Mapping[str, str]
    expected: str = "░"
    stall: str = "╳"
    now: str = "┃"
    notch: str = "▕"
    failed: str = "✖"
    cancelled: str = "■"
    ghost: Mapping[str, str] = field(default_factory=dict)  # phases with a sign of their own
    ghost_other: str = "▀"
    thin: str = "▄"  # a lane half a row high
    line: str = "─"
    tick: str = "┴"
    pointer: str = "▲"
    bars: str = " ▁▂▃▄▅▆▇█"
    lefts: str = " ▏▎▍▌▋▊▉"
    gauge: str = "━"
    gauge_half: str = "╸"
    gauge_rest: str = "─"
    reused: str = "╱"
    supposed: str = "╲"
    guessed: str = "╍"
    limit: str = "│"
    left: str = "←"
    right: str = "→"
    running: str = "…"
    never: str = "·"

    def phase(self, name: str) -> str:
        return self.phases.get(name, " ")


_GLYPHS = {
    Fill.COLOUR: Glyphs(phases={"waiting": "╱"}),
    Fill.MONO: Glyphs(
        phases={
            "connect": "░",
            "send": "▒",
            "load": "░",
            "queue": "▒",
            "tokenize": "░",
            "waiting": "╱",
            "prefill": "▓",
            "decode": "█",
            "finish": "▒",
            "unattributed": "·",
        }
    ),
    Fill.ASCII: Glyphs(
        phases={**INITIALS, "waiting": "/", "prefill": "=", "decode": "#", "unattributed": "?"},
        expected=".",
        stall="!",
        now="|",
        notch="|",
        failed="X",
        cancelled="C",
        ghost={"prefill": "=", "decode": "#"},
        ghost_other=".",
        thin="#",
        line="-",
        tick="+",
        pointer="^",
        bars=" ___#####",
        lefts="",
        gauge="=",
        gauge_half="+",
        gauge_rest="-",
        reused="/",
        supposed="\\",
        guessed="~",
        limit="|",
        left="<",
        right=">",
        running="~",
        never=".",
    ),
}

SPARKS: Mapping[Fill, str] = {
    Fill.COLOUR: "▁▂▃▄▅▆▇█",
    Fill.MONO: "▁▂▃▄▅▆▇█",
    Fill.ASCII: "_.-~=+*#",
}

_TO_ASCII = str.maketrans(
    "·≈–—−…●○◐✖✔■▲▼µ×±←→↑↓▌▔█▀▄⚠“”‘’ ─━│┃▁▂▃▅▆▇",
    "-~---~*o%xv#^vux~<>^v|-###!\"\"'' --||___###",
)


def to_ascii(text: str) -> str:
    """The text with signs as their nearest ASCII letter; any other character is a `?` per cell."""
    translated = text.translate(_TO_ASCII)
    if translated.isascii():
        return translated
    return "".join(c if c.isascii() else "?" * cells for c, cells in clusters(translated))


def ascii_row(row: Row) -> Row:
    """The row with every text in ASCII, at the same width."""
    return tuple((to_ascii(text), style) for text, style in row)
