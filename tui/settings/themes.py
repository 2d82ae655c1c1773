"""Theme files: the colours of the screen by role, checked when they are read."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from tui import locations
from tui.settings import toml

ROLES = (
    "background", "text", "secondary", "track", "rule",
    "prefill", "prefill-dim", "decode", "decode-dim",
    "queue", "tokenize", "load", "connect", "send", "finish", "waiting", "unattributed",
    "stall", "failed", "finished", "gauge", "selected",
)  # fmt: skip
"""Everything the screen has a colour for. Text inside a bar takes the background's colour."""

_HUES = ("black", "red", "green", "yellow", "blue", "magenta", "cyan", "white")
OF_TERMINAL = ("default", "dim", *_HUES, *(f"bright-{hue}" for hue in _HUES))
"""Colours that the terminal chooses: its text and background, the same but weaker, and its sixteen."""

_COLOUR = re.compile("#[0-9a-fA-F]{6}")


class ThemeError(Exception):
    """A theme that can't be used; the message is one line: which, what is wrong, what would be right."""


class UnknownTheme(ThemeError):
    """There is no theme of that name."""


@dataclass(frozen=True, slots=True)
class Theme:
    """Colours as `#rrggbb` or one of `OF_TERMINAL` for every role of `ROLES`.

    `name` is the file's stem, `title` what people read. `words`: the colours in which names, state words and
    figures of a role are written, where its area's colour would be too weak for text. `file`: where it
    came from, None for one that was not read from a file; `own`: it is the user's.
    """

    name: str
    title: str
    dark: bool
    colours: Mapping[str, str]
    words: Mapping[str, str] = field(default_factory=dict)
    file: Path | None = None
    own: bool = False

    @property
    def of_terminal(self) -> bool:
        """Whether colours are left to the terminal."""
        return any(not colour.startswith("#") for colour in (*self.colours.values(), *self.words.values()))


def own_folder() -> Path:
    """Where the user's themes are looked for. It need not exist."""
    return locations.config_dir() / "themes"


def names() -> tuple[str, ...]:
    """All themes that are files: first those that come along, then the user's own."""
    return tuple(_files())


def load(name: str) -> Theme:
    """The theme of that name: the user's own, else the one that comes along.

    Raises UnknownTheme when there is none, ThemeError when its file is damaged.
    """
    file = _files().get(name)
    if file is None:
        raise UnknownTheme(f"no theme {name!r}; there are: {', '.join(names())}")
    return _read(name, file)


def shipped(name: str) -> Theme:
    """The theme that comes along, whatever the user has of that name; `dark` where none does."""
    file = locations.themes_dir() / f"{name}.toml"
    among = name in {each.stem for each in locations.themes_dir().glob("*.toml")}
    return _read(name, file) if among else _read("dark", locations.themes_dir() / "dark.toml")


def stamp(name: str) -> tuple[str, int, int] | None:
    """What changes when the file changes from which `load` would read; None when there is none.

    Two looks at the disk, however many themes there are: it may be asked every second.
    """
    if not name or Path(name).name != name:
        return None
    for folder in (own_folder(), locations.themes_dir()):
        file = folder / f"{name}.toml"
        try:
            seen = file.stat()
        except OSError:
            continue
        return str(file), seen.st_mtime_ns, seen.st_size
    return None


def parse(name: str, text: str) -> Theme:
    """The theme that a file holds: `title`, `dark`, under `[colours]` one colour for each role, `[words]`."""
    try:
        told = toml.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ThemeError(f"theme {name!r} is not TOML: {' '.join(str(error).split())}") from error
    title, dark, colours = told.get("title"), told.get("dark"), told.get("colours")
    words = told.get("words", {})
    if not isinstance(title, str) or not isinstance(dark, bool) or not isinstance(colours, dict):
        raise ThemeError(f"theme {name!r} needs a title, dark = true or false, and [colours]")
    if not isinstance(words, dict):
        raise ThemeError(f"theme {name!r}: [words] is a table of roles and colours")
    strange = [
        *(told.keys() - {"title", "dark", "colours", "words"}),
        *((colours | words).keys() - set(ROLES)),
    ]
    for wrong in sorted(strange):
        raise ThemeError(f"theme {name!r} has {wrong!r}, which means nothing here")
    for role in ROLES:
        if not _is_colour(colours.get(role)):
            raise ThemeError(f"theme {name!r} needs a colour such as #1b2129 or bright-blue for {role!r}")
    for role, colour in words.items():
        if not _is_colour(colour):
            raise ThemeError(f"theme {name!r}: [words] needs a colour such as #1b2129 for {role!r}")
    return Theme(name, title, dark, colours, words)


def _is_colour(told: object) -> bool:
    return isinstance(told, str) and (told in OF_TERMINAL or _COLOUR.fullmatch(told) is not None)


def _read(name: str, file: Path) -> Theme:
    try:
        theme = parse(name, file.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise ThemeError(f"theme {name!r} can't be read: {error.strerror or 'no reason given'}") from error
    except UnicodeDecodeError as error:
        raise ThemeError(f"theme {name!r} is not UTF-8 text") from error
    return replace(theme, file=file, own=file.parent != locations.themes_dir())


def _files() -> dict[str, Path]:
    """Theme file by name, in the order in which they are offered; the user's stands in for a shipped one."""
    found = {file.stem: file for file in sorted(locations.themes_dir().glob("*.toml"))}
    return found | {file.stem: file for file in sorted(own_folder().glob("*.toml"))}
