"""The user's own keys, laid over the key table."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import replace

from tui.settings.keys import KEYS, Key

_KEY = re.compile(r"(?:(?:ctrl|shift|alt|super)\+)*(?:[a-z0-9]|[a-z][a-z0-9_]+|[A-Z])")
_WRITTEN = {
    "left": "←", "right": "→", "up": "↑", "down": "↓", "escape": "esc", "pageup": "pgup", "pagedown": "pgdn",
    "question_mark": "?", "full_stop": ".", "comma": ",", "slash": "/", "plus": "+", "minus": "-",
    "left_square_bracket": "[", "right_square_bracket": "]", "less_than_sign": "<", "greater_than_sign": ">",
}  # fmt: skip
# where the terminal's names differ from those of the characters
_RENAMED = {
    "solidus": "slash", "reverse_solidus": "backslash", "commercial_at": "at",
    "hyphen_minus": "minus", "plus_sign": "plus", "low_line": "underscore",
}  # fmt: skip


class KeymapError(ValueError):
    """Keys that can't be had; the message is one line and names the action."""


def apply(wishes: Mapping[str, object], table: tuple[Key, ...] = KEYS) -> tuple[Key, ...]:
    """The table with the keys of `wishes`: action → a key (`"f5"`, `"ctrl+r"`, `"?"`) or a list of keys."""
    rows = {row.action: row for row in table}
    for action, wish in wishes.items():
        if action not in rows:
            raise KeymapError(f"unknown action {action!r}; `toklane keys` lists them")
        rows[action] = _bound(rows[action], wish)
    taken: dict[str, str] = {}
    for row in rows.values():
        for key in row.keys:
            if taken.setdefault(key, row.action) != row.action:
                raise KeymapError(f"{key!r} can't be both {taken[key]!r} and {row.action!r}")
    return tuple(rows.values())


def _bound(row: Key, wish: object) -> Key:
    wanted = [wish] if isinstance(wish, str) else wish
    if not isinstance(wanted, list) or not wanted or not all(isinstance(key, str) for key in wanted):
        raise KeymapError(f"{row.action!r} needs a key or a list of keys")
    # a row of more than two keys has one for each thing to choose
    if len(row.keys) > 2 and len(wanted) != len(row.keys):
        raise KeymapError(f"{row.action!r} needs {len(row.keys)} keys")
    keys = tuple(_named(row.action, key) for key in wanted)
    return replace(row, keys=keys, shown=" ".join(written(key) for key in keys))


def _named(action: str, key: str) -> str:
    """The terminal's name of a key; a single character such as `?` may be given as itself."""
    *held, last = key.split("+") if key != "+" else ["+"]
    if len(last) == 1 and last.isprintable() and not last.isalnum():
        name = unicodedata.name(last, "").lower().replace("-", "_").replace(" ", "_")
        last = _RENAMED.get(name, name)
    named = "+".join([*held, last])
    if not _KEY.fullmatch(named):
        raise KeymapError(f"{action!r}: {key!r} is no key")
    return named


def written(key: str) -> str:
    """A key as people write it: `shift+left` is `shift ←`, `question_mark` is `?`."""
    *held, last = key.split("+")
    last = _WRITTEN.get(last, last)
    if not held:
        return last
    return "+".join([*held, last]) if last.isascii() else " ".join([*held, last])
