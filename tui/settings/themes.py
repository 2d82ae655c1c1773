"""Theme files: the colours of the screen by role, checked when they are read."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from tui import locations

ROLES = (
    "background", "text", "secondary", "track", "rule",
    "prefill", "prefill-dim", "decode", "decode-dim",
    "queue", "tokenize", "load", "connect", "send", "finish", "waiting", "unattributed",
    "stall", "failed", "finished", "gauge", "selected",
)  # fmt: skip
"""Everything the screen has a colour for. Text inside a bar takes the background's colour."""

_COLOUR = re.compile("#[0-9a-fA-F]{6}")


class ThemeError(Exception):
    """A theme that can't be used; the message is one line that names the file and the fault."""


@dataclass(frozen=True, slots=True)
class Theme:
    """Colours as `#rrggbb` for every role of `ROLES`. `name` is the file's stem, `title` what people read."""

    name: str
    title: str
    dark: bool
    colours: Mapping[str, str]


def names() -> tuple[str, ...]:
    """All themes that can be asked for: first those that come along, then the user's own."""
    return tuple(_files())


def load(name: str) -> Theme:
    """The theme of that name. A theme that comes along is not hidden by a user's file of its name.

    Raises ThemeError when there is none or its file is damaged.
    """
    file = _files().get(name)
    if file is None:
        raise ThemeError(f"no theme {name!r}; there are: {', '.join(names())}")
    try:
        return parse(name, file.read_text(encoding="utf-8"))
    except OSError as error:
        raise ThemeError(f"theme {name!r} can't be read: {error.strerror or 'no reason given'}") from error
    except UnicodeDecodeError as error:
        raise ThemeError(f"theme {name!r} is not UTF-8 text") from error


def parse(name: str, text: str) -> Theme:
    """The theme that a file holds: `title`, `dark`, and under `[colours]` one `#rrggbb` for each role."""
    try:
        told = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ThemeError(f"theme {name!r} is not TOML: {' '.join(str(error).split())}") from error
    title, dark, colours = told.get("title"), told.get("dark"), told.get("colours")
    if not isinstance(title, str) or not isinstance(dark, bool) or not isinstance(colours, dict):
        raise ThemeError(f"theme {name!r} needs a title, dark = true or false, and [colours]")
    for wrong in [*(told.keys() - {"title", "dark", "colours"}), *(colours.keys() - set(ROLES))]:
        raise ThemeError(f"theme {name!r} has {wrong!r}, which means nothing here")
    for role in ROLES:
        colour = colours.get(role)
        if not isinstance(colour, str) or not _COLOUR.fullmatch(colour):
            raise ThemeError(f"theme {name!r} needs a colour such as #1b2129 for {role!r}")
    return Theme(name, title, dark, colours)


def _files() -> dict[str, Path]:
    """Theme file by name, in the order in which they are offered."""
    found: dict[str, Path] = {}
    for folder in (locations.themes_dir(), locations.config_dir() / "themes"):
        for file in sorted(folder.glob("*.toml")):
            found.setdefault(file.stem, file)
    return found
