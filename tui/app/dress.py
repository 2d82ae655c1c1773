"""Themes as Textual takes them for the pages, and as a terminal of sixteen colours can show them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from textual.theme import Theme as PageTheme

from tui.app.theming import Palette, rich_name
from tui.settings.themes import Theme

_SIXTEEN = {  # screen.md: hues of the phases where there are sixteen colours
    "prefill": "yellow", "prefill-dim": "yellow", "queue": "magenta", "tokenize": "cyan", "load": "magenta",
    "stall": "bright-red", "failed": "bright-red", "finished": "green",
}  # fmt: skip
_DARK = {"background": "black", "track": "black", "decode": "bright-blue", "decode-dim": "blue"}
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


def _asked_for(colours: Mapping[str, str]) -> dict[str, str]:
    """What Textual's own styles want of a theme whose colours are the terminal's."""
    ground, text = colours["background"], colours["text"]
    return {"ansi-background": ground, "ansi-foreground": text, "border-blurred": text}


def _css(colour: str) -> str:
    return colour if colour.startswith("#") else f"ansi_{rich_name(colour)}"


def _is_grey(colour: str) -> bool:
    return colour[1:3] == colour[3:5] == colour[5:7]
