"""From the style words of the plot room to what the terminal gets: theme colours, no colour, plain ASCII."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Protocol

from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

from tui.plot.glyphs import Fill, ascii_row
from tui.plot.rows import Row, Span, row_width

_LETTER = re.compile(r"[^\W_]")
_DEEP = frozenset({"black", "blue"})  # of the sixteen: too dark for black letters
_EMPTY = frozenset({"background", "track"})  # grounds that may be the terminal's own
_WEAK = frozenset({"default", "dim"})  # no colours for an area: the terminal's text colour fills it
_LIT = frozenset({"stall", "failed", "finished"})  # told apart by weight where there is no colour
_MIXED = {"slow": 0.45, "slower": 0.75}  # roles between the text's colour and the stall's


class Palette(Protocol):
    """What is needed of a theme."""

    @property
    def name(self) -> str: ...
    @property
    def colours(self) -> Mapping[str, str]: ...
    @property
    def words(self) -> Mapping[str, str]: ...
    @property
    def dark(self) -> bool: ...
    @property
    def of_terminal(self) -> bool: ...


def fill_for(colourless: bool, encoding: str) -> Fill:
    """How areas are drawn: ASCII where the terminal can't take UTF-8, without colour for NO_COLOR."""
    if encoding.lower().replace("-", "") not in ("utf8", "utf8sig"):
        return Fill.ASCII
    return Fill.MONO if colourless else Fill.COLOUR


class Ink:
    """Rich styles for the style words of rows, in one theme and one way to draw. Cached: words are few."""

    def __init__(self, palette: Palette, fill: Fill, colourless: bool | None = None) -> None:
        self.palette = palette
        self.fill = fill
        self.colourless = fill is Fill.MONO if colourless is None else colourless
        self._styles: dict[str, Style] = {}

    def style(self, words: str, written: bool = False) -> Style:
        """The style of `FG[ on BG][ bold][ dim][ reverse]`; a role the theme lacks is plain text.

        `written`: it is for letters and digits, for which a theme may have a stronger colour than for areas.
        """
        written = written and bool(self.palette.words)
        key = f"{words} written" if written else words
        found = self._styles.get(key)
        if found is None:
            made = self._plain(words) if self.colourless else self._coloured(words, written)
            found = self._styles[key] = made
        return found

    def _coloured(self, words: str, written: bool) -> Style:
        colours = self.palette.colours
        parts = words.split()
        mixed = _MIXED.get(parts[0]) if parts else None
        role = parts[0] if parts and parts[0] in colours else "text"
        ground = parts[parts.index("on") + 1] if "on" in parts else "background"
        colour = colours[role]
        if mixed is not None and not self.palette.of_terminal:
            colour = between(colour, colours["stall"], mixed)
        elif written and ground in _EMPTY:
            colour = self.palette.words.get(role, colour)
        on = colours.get(ground, colours["background"])
        if self.palette.of_terminal:
            return _of_terminal(colour, on, role, ground, parts)
        return Style(
            color=colour,
            bgcolor=on,
            bold="bold" in parts,
            dim="dim" in parts,
            reverse="reverse" in parts,
            underline="underline" in parts,
        )

    def _plain(self, words: str) -> Style:
        parts = words.split()
        ground = parts[parts.index("on") + 1] if "on" in parts else "background"
        return Style(
            bold="bold" in parts or (bool(parts) and parts[0] in _LIT),
            reverse="reverse" in parts or ground in ("selected", "text"),
            underline="underline" in parts,
        )

    def _blank(self, ground: str) -> Style:
        """The style of blanks on a ground: without the colour of the text it takes half the bytes."""
        colour = self.palette.colours.get(ground)
        if colour is not None and not self.colourless and (colour not in _WEAK or ground in _EMPTY):
            key = f" on {ground}"
            if key not in self._styles:
                self._styles[key] = Style(bgcolor=rich_name(colour))
            return self._styles[key]
        return self.style(ground if " " in ground else f"text on {ground}")

    def strip(self, row: Row, cells: int) -> Strip:
        """The row as the screen takes it, filled up with background to `cells`."""
        if self.fill is Fill.ASCII:
            row = ascii_row(row)
        used = row_width(row)
        if used < cells:
            row = (*row, (" " * (cells - used), "text"))
        segments = [
            Segment(
                text,
                self._blank(_ground(words))
                if text.isspace()
                else self.style(words, _LETTER.search(text) is not None),
            )
            for text, words in blanks_joined(row)
        ]
        strip = Strip(segments, max(used, cells))
        return strip if used <= cells else strip.crop(0, cells)


def between(one: str, other: str, share: float) -> str:
    """The `#rrggbb` colour at `share` (0 … 1) of the way from one to the other."""
    pairs = ((int(one[at : at + 2], 16), int(other[at : at + 2], 16)) for at in (1, 3, 5))
    return "#" + "".join(f"{round(a + (b - a) * share):02x}" for a, b in pairs)


def rich_name(colour: str) -> str:
    """A theme's colour as Rich calls it."""
    return "default" if colour in _WEAK else colour.replace("-", "_")


def _of_terminal(colour: str, on: str, role: str, ground: str, parts: Sequence[str]) -> Style:
    """Colours that the terminal chooses. What it has for text is readable on what it has for background.

    Text inside an area is black, which nearly all of a terminal's hues leave readable; an area without a hue
    is the text's colour turned round; a dimmed area is empty: the sixteen colours have no dimmed ones.
    """
    weak = "dim" in parts or colour == "dim"
    reverse = "reverse" in parts
    if ground in _EMPTY or ground.endswith("-dim"):
        on = on if ground in _EMPTY else "default"
    elif on in _WEAK:
        colour, on, weak, reverse = "default", "default", on == "dim", not reverse
    elif role == "background":
        colour = "bright-white" if on in _DEEP else "black"
    return Style(
        color=rich_name(colour),
        bgcolor=rich_name(on),
        bold="bold" in parts,
        dim=weak,
        reverse=reverse,
        underline="underline" in parts,
    )


def blanks_joined(row: Row) -> list[Span]:
    """The row with blanks as part of a neighbour on the same ground: every style costs 40 bytes to send."""
    joined: list[Span] = []
    for text, words in row:
        before, other = joined[-1] if joined else ("", "")
        if before and _ground(words) == _ground(other):
            if text.isspace() or words == other:
                joined[-1] = (before + text, other)
                continue
            if before.isspace():
                joined[-1] = (before + text, words)
                continue
        joined.append((text, words))
    return joined


@lru_cache(maxsize=512)
def _ground(words: str) -> str:
    """What a blank of this style looks like."""
    parts = words.split()
    if "reverse" in parts or "underline" in parts:
        return words
    return parts[parts.index("on") + 1] if "on" in parts else "background"
