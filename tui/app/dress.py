"""Themes as Textual takes them for the pages, and as terminals of 16 and 256 colours can show them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache

from rich.color import Color, ColorSystem
from rich.color_triplet import ColorTriplet
from textual.theme import Theme as PageTheme

from tui.app.theming import Palette, rich_name
from tui.settings.colours import contrast, nearest
from tui.settings.themes import Theme

_SIXTEEN = {  # screen.md: hues of the phases where there are sixteen colours
    "prefill": "yellow", "prefill-dim": "yellow", "queue": "magenta", "tokenize": "cyan", "load": "magenta",
    "stall": "bright-red", "failed": "bright-red", "finished": "green",
}  # fmt: skip
_DARK = {"background": "black", "track": "black", "decode": "bright-blue", "decode-dim": "blue"}
_KEPT = 0.75  # of the contrast, at least
_LIGHT = {"background": "white", "track": "white", "decode": "blue", "decode-dim": "blue"}


def page_theme(palette: Palette, name: str = "toklane") -> PageTheme:
    """The same colours as Textual's own widgets take them, for the pages over the monitor."""
    native = palette.of_terminal
    colours = {role: _css(colour) if native else colour for role, colour in palette.colours.items()}
    return PageTheme(
        name=name,
        dark=palette.dark,
        ansi=native,
        primary=colours["selected"],
        secondary=colours["secondary"],
        accent=colours["selected"],
        foreground=colours["text"],
        background=colours["background"],
        surface=colours["track"],
        panel=colours["rule"],
        warning=colours["text"],
        error=_css(palette.words.get("failed", palette.colours["failed"])) if native else colours["failed"],
        success=colours["finished"],
        variables=_asked_for(colours) if native else {},
    )


def in_sixteen(theme: Theme) -> Theme:
    """The theme with hues by role from the terminal's sixteen; nearest ones would mix up the phases.

    Themes that leave their colours to the terminal stay, and so do those without any hue.
    """
    if theme.of_terminal or all(_is_grey(colour) for colour in theme.colours.values()):
        return theme
    text, grounds = ("bright-white", _DARK) if theme.dark else ("black", _LIGHT)
    weaker = "white" if theme.dark else "black"
    colours = dict.fromkeys(theme.colours, weaker) | _SIXTEEN | grounds | {"text": text, "selected": text}
    words = dict.fromkeys(("prefill", "queue", "tokenize", "load", "finished", "stall", "failed"), text)
    return replace(theme, colours=colours, words={} if theme.dark else words)


def in_256(theme: Theme) -> Theme:
    """The theme in colours that a terminal of 256 has.

    Rich, which would do it last, rounds each of red, green and blue: a dark blue-grey becomes teal.
    """
    if not theme.colours["background"].startswith("#"):
        return theme
    fewer = _Fewer(theme.colours["background"])
    colours = {role: fewer.sent(colour) for role, colour in theme.colours.items()}
    return replace(theme, colours=colours, words={r: fewer.sent(c) for r, c in theme.words.items()})


class _Fewer:
    """The nearest of the 256 that stands out of the background nearly as much as the colour itself does."""

    def __init__(self, ground: str) -> None:
        self._ground = ground
        shown = nearest(ground, tuple(_of_256()))
        self._stands_out = {colour: contrast(colour, shown) for colour in _of_256()}

    def sent(self, colour: str) -> str:
        if not colour.startswith("#"):
            return colour
        least = _KEPT * contrast(colour, self._ground)
        strong = tuple(each for each, told in self._stands_out.items() if told >= least)
        return _of_256()[nearest(colour, strong or tuple(self._stands_out))]


@lru_cache(maxsize=1)
def _of_256() -> dict[str, str]:
    """What the terminal can show, and for each colour one that Rich turns into it. A few it never reaches."""
    greys = [ColorTriplet(level, level, level) for level in range(256)]
    cube = [Color.from_ansi(number).get_truecolor() for number in range(16, 232)]
    return {_shown(triplet).hex: triplet.hex for triplet in (*greys, *cube)}


def _shown(triplet: ColorTriplet) -> ColorTriplet:
    return Color.from_triplet(triplet).downgrade(ColorSystem.EIGHT_BIT).get_truecolor()


def _asked_for(colours: Mapping[str, str]) -> dict[str, str]:
    """What Textual's own styles want of a theme whose colours are the terminal's."""
    ground, text = colours["background"], colours["text"]
    return {"ansi-background": ground, "ansi-foreground": text, "border-blurred": text}


def _css(colour: str) -> str:
    return colour if colour.startswith("#") else f"ansi_{rich_name(colour)}"


def _is_grey(colour: str) -> bool:
    return colour[1:3] == colour[3:5] == colour[5:7]
