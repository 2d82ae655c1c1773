"""Colours of the band: the phase's own, moved as little as makes black or white readable on it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from tui.app.theming import Ink, Palette
from tui.plot.glyphs import Fill
from tui.settings.colours import apart, readable

LEAST = 7.0  # to one; WCAG 2, AAA
_DEEP = frozenset({"black", "blue"})  # of the terminal's sixteen
_BLACK, _WHITE = "#000000", "#ffffff"


@dataclass(frozen=True, slots=True)
class Banded:
    """A theme with two more roles for each: `band-…` for the ground, `on-…` for the words on it."""

    name: str
    colours: Mapping[str, str]
    words: Mapping[str, str]
    dark: bool
    of_terminal: bool


def band_ink(ink: Ink) -> Ink:
    """The same ink, with the colours of the band."""
    if ink.colourless or ink.fill is not Fill.COLOUR:
        return ink
    return Ink(banded(ink.palette), ink.fill, ink.colourless)


def banded(theme: Palette) -> Banded:
    """The theme with the band's roles. What the terminal's own colours look like nobody knows: they stay."""
    colours = dict(theme.colours)
    for role, colour in theme.colours.items():
        ground, words = (colour, _ink_on(colour)) if theme.of_terminal else legible(colour)
        colours |= {f"band-{role}": ground, f"on-{role}": words}
    return Banded(theme.name, colours, theme.words, theme.dark, theme.of_terminal)


def _ink_on(colour: str) -> str:
    return "bright-white" if colour in _DEEP else "black"


def legible(colour: str) -> tuple[str, str]:
    """(ground nearest to the colour, black or white) with enough contrast."""
    grounds = [(readable(colour, words, LEAST), words) for words in (_BLACK, _WHITE)]
    return min(grounds, key=lambda pair: apart(colour, pair[0]))
