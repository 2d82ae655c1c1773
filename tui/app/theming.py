"""From the style words of the plot room to what the terminal gets: theme colours, no colour, plain ASCII."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Protocol

from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip
from textual.theme import Theme

from tui.plot.cells import width
from tui.plot.glyphs import Fill, ascii_row
from tui.plot.rows import Row, Span

_LIT = frozenset({"stall", "failed", "finished"})  # told apart by weight where there is no colour


class Palette(Protocol):
    """What is needed of a theme."""

    @property
    def name(self) -> str: ...
    @property
    def colours(self) -> Mapping[str, str]: ...
    @property
    def dark(self) -> bool: ...


def fill_for(colourless: bool, encoding: str) -> Fill:
    """How areas are drawn: ASCII where the terminal can't take UTF-8, without colour for NO_COLOR."""
    if encoding.lower().replace("-", "") not in ("utf8", "utf8sig"):
        return Fill.ASCII
    return Fill.MONO if colourless else Fill.COLOUR


def page_theme(palette: Palette) -> Theme:
    """The same colours as Textual's own widgets take them, for the pages over the monitor."""
    colours = palette.colours
    return Theme(
        name=f"toklane-{palette.name}",
        dark=palette.dark,
        primary=colours["selected"],
        secondary=colours["secondary"],
        accent=colours["selected"],
        foreground=colours["text"],
        background=colours["background"],
        surface=colours["track"],
        panel=colours["rule"],
        warning=colours["text"],
        error=colours["failed"],
        success=colours["finished"],
    )


class Ink:
    """Rich styles for the style words of rows, in one theme and one way to draw. Cached: words are few."""

    def __init__(self, palette: Palette, fill: Fill, colourless: bool | None = None) -> None:
        self.palette = palette
        self.fill = fill
        self.colourless = fill is Fill.MONO if colourless is None else colourless
        self._styles: dict[str, Style] = {}

    def style(self, words: str) -> Style:
        """The style of `FG[ on BG][ bold][ dim][ reverse]`; a role the theme lacks is plain text."""
        found = self._styles.get(words)
        if found is None:
            found = self._styles[words] = self._plain(words) if self.colourless else self._coloured(words)
        return found

    def _coloured(self, words: str) -> Style:
        colours = self.palette.colours
        parts = words.split()
        ground = parts[parts.index("on") + 1] if "on" in parts else "background"
        return Style(
            color=colours.get(parts[0] if parts else "text", colours["text"]),
            bgcolor=colours.get(ground, colours["background"]),
            bold="bold" in parts,
            dim="dim" in parts,
            reverse="reverse" in parts,
        )

    def _plain(self, words: str) -> Style:
        parts = words.split()
        ground = parts[parts.index("on") + 1] if "on" in parts else "background"
        return Style(
            bold="bold" in parts or (bool(parts) and parts[0] in _LIT),
            reverse="reverse" in parts or ground in ("selected", "text"),
        )

    def _blank(self, ground: str) -> Style:
        """The style of blanks on a ground: without the colour of the text it takes half the bytes."""
        if ground in self.palette.colours and not self.colourless:
            key = f" on {ground}"
            if key not in self._styles:
                self._styles[key] = Style(bgcolor=self.palette.colours[ground])
            return self._styles[key]
        return self.style(ground if " " in ground else f"text on {ground}")

    def strip(self, row: Row, cells: int) -> Strip:
        """The row as the screen takes it, filled up with background to `cells`."""
        if self.fill is Fill.ASCII:
            row = ascii_row(row)
        used = sum(width(text) for text, _ in row)
        if used < cells:
            row = (*row, (" " * (cells - used), "text"))
        segments = [
            Segment(text, self._blank(_ground(words)) if text.isspace() else self.style(words))
            for text, words in blanks_joined(row)
        ]
        strip = Strip(segments, max(used, cells))
        return strip if used <= cells else strip.crop(0, cells)


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
    if "reverse" in parts:
        return words
    return parts[parts.index("on") + 1] if "on" in parts else "background"
