"""Every theme by name: those that come along, the user's own, and Textual's."""

from __future__ import annotations

from dataclasses import replace
from typing import TextIO

from tui.plot.cells import clean
from tui.settings import themes
from tui.settings.themes import Theme


def names() -> tuple[str, ...]:
    """Files first, then what Textual brings; each name once."""
    from tui.app import borrowed

    files = themes.names()
    return (*files, *(name for name in borrowed.names() if name not in files))


def load(name: str) -> Theme:
    """The theme of that name; a file's comes before Textual's. Raises ThemeError."""
    if name in themes.names():
        return themes.load(name)
    from tui.app import borrowed

    return borrowed.load(name)


def at_start(name: str) -> tuple[Theme, str]:
    """The theme to begin with, and a remark: a damaged one is no reason not to begin.

    Raises UnknownTheme.
    """
    try:
        return load(name), ""
    except themes.UnknownTheme:
        raise
    except themes.ThemeError as error:
        theme = themes.shipped(name)
        return replace(theme, name=name), f"{error}; {theme.title} is used until it is mended"


def tell(out: TextIO) -> int:
    """`toklane themes`: name, where it comes from, title; a damaged file's fault in its title's place."""
    for name in names():
        try:
            theme = load(name)
        except themes.ThemeError as error:
            source, told = "your own", f"can't be used: {error}"
        else:
            shipped = "toklane" if theme.file else "Textual"
            source, told = "your own" if theme.own else shipped, theme.title
        out.write(clean(f"{name:<22} {source:<9} {told}") + "\n")
    out.write(clean(f"your own are looked for in {themes.own_folder()}") + "\n")
    return 0
