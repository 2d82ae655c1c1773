"""Textual's own themes in our roles, by one rule, so that each can be chosen by its name.

Background, text and the sign for failure are the theme's. Reading takes its warning colour (in nearly all of
them the yellow or orange one), writing whichever of primary, secondary and accent is farthest from that for
every eye. A colour that is too weak on the background gets lighter or darker until it can be read; where
reading and writing stay too near to each other, ours stand in, and so do ours for queue, tokenize and load.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from textual.color import Color
from textual.theme import BUILTIN_THEMES

from tui.settings import themes
from tui.settings.colours import apart, contrast, mixed, readable
from tui.settings.themes import Theme

_TEXT, _SMALL, _HEADING = 7.0, 4.5, 7.0  # least contrast on the background
_TWO_PHASES = 40.0  # least distance of reading and writing
_TWO_LIGHTS = 1.5  # and how much one of them is lighter
_AREAS = 15.0  # least distance of a stall from both
_DIMMED = 0.35
_REDS = ("#c2185b", "#ff4f8b")  # nearer to pink: where reading is nearly red
_STEPS = 32


def names() -> tuple[str, ...]:
    """All that Textual brings."""
    return tuple(BUILTIN_THEMES)


def load(name: str) -> Theme:
    """Textual's theme of that name in our roles. Raises themes.UnknownTheme."""
    borrowed = BUILTIN_THEMES.get(name)
    if borrowed is None:
        raise themes.UnknownTheme(f"no theme {name!r}; `toklane themes` lists all")
    title = " ".join(part.capitalize() for part in name.split("-"))
    if borrowed.ansi:
        own = themes.shipped("terminal-16")
        return Theme(name, title, borrowed.dark, own.colours, own.words)
    told = borrowed.to_color_system().generate()
    taken = {key: Color.parse(told[key]).hex6.lower() for key in _TAKEN}
    return _in_roles(name, title, borrowed.dark, taken)


_TAKEN = ("background", "foreground", "primary", "secondary", "accent", "warning", "error", "success")


def _in_roles(name: str, title: str, dark: bool, told: Mapping[str, str]) -> Theme:
    ours = themes.shipped("dark" if dark else "light").colours
    ground = told["background"]
    track = mixed(ground, told["foreground"], 0.08)
    text = readable(told["foreground"], track, _TEXT)
    weaker = readable(mixed(ground, text, 0.6), track, _SMALL)
    prefill, decode = _two_phases(told, ours, dark)
    stall = _hurting((told["error"], ours["stall"], *_REDS), prefill, decode, ground)
    colours = dict.fromkeys(themes.ROLES, weaker) | {
        "background": ground,
        "text": text,
        "selected": text,
        "track": track,
        "rule": mixed(ground, text, 0.25),
        "prefill": prefill,
        "prefill-dim": mixed(ground, prefill, _DIMMED),
        "decode": decode,
        "decode-dim": mixed(ground, decode, _DIMMED),
        "stall": stall,
        "failed": stall,
        "finished": readable(told["success"], ground, _SMALL),
        **{role: readable(ours[role], ground, _SMALL) for role in ("queue", "tokenize", "load")},
    }
    headings = ("prefill", "decode", "stall", "failed", "finished")
    words = {role: readable(colours[role], ground, _HEADING) for role in headings}
    return Theme(name, title, dark, colours, words)


def _hurting(reds: Sequence[str], prefill: str, decode: str, ground: str) -> str:
    """The first red, lighter or darker if need be, that no eye takes for a phase; else the best of them."""
    tried = [readable(red, ground, least) for red in reds for least in (_SMALL, 6.0, 8.0)]
    far = {red: min(apart(red, prefill), apart(red, decode)) for red in tried}
    return next((red for red in tried if far[red] >= _AREAS), max(tried, key=far.__getitem__))


def _two_phases(told: Mapping[str, str], ours: Mapping[str, str], dark: bool) -> tuple[str, str]:
    """Reading and writing: the theme's own where they can be told apart, else ours."""
    prefill = told["warning"]
    decode = max((told[key] for key in ("primary", "secondary", "accent")), key=lambda c: apart(prefill, c))
    for pair in ((prefill, decode), (ours["prefill"], ours["decode"])):
        fitted = _fitted(*pair, told["background"], dark)
        if apart(*fitted) >= _TWO_PHASES and contrast(*fitted) >= _TWO_LIGHTS:
            return fitted
    return fitted


def _fitted(prefill: str, decode: str, ground: str, dark: bool) -> tuple[str, str]:
    """Both readable, and one lighter: in the dark reading gives way upwards, else writing downwards."""
    prefill, decode = (readable(colour, ground, _SMALL) for colour in (prefill, decode))
    for step in range(_STEPS + 1):
        moved = step / _STEPS * 0.6
        pair = (
            (mixed(prefill, "#ffffff", moved), decode) if dark else (prefill, mixed(decode, "#000000", moved))
        )
        if contrast(*pair) >= _TWO_LIGHTS:
            return pair
    return prefill, decode
