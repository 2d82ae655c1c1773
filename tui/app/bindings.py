"""From the key table to Textual's bindings."""

from __future__ import annotations

from collections.abc import Iterable

from textual.binding import Binding

from tui.settings.keys import Key

EVERYWHERE = frozenset({"interrupt", "screenshot"})  # work on every page
_OF_THE_APP = frozenset({"quit", "theme", "palette"})
_MOST_KEYS_OF_ONE = 2


def everywhere(keys: Iterable[Key]) -> list[Binding]:
    """The keys that work on every page, before whatever has the focus."""
    return [
        Binding(",".join(row.keys), row.action, row.does, show=False, priority=True, id=row.action)
        for row in keys
        if row.action in EVERYWHERE
    ]


def on_board(keys: Iterable[Key]) -> list[Binding]:
    """The keys of the main screen; where a row has many, each of them chooses a thing by its place."""
    made = []
    for row in keys:
        place = "app" if row.action in _OF_THE_APP else "screen"
        if row.action in EVERYWHERE:
            continue
        if len(row.keys) <= _MOST_KEYS_OF_ONE:
            action = f"{place}.{row.action}"
            made.append(Binding(",".join(row.keys), action, row.does, show=False, id=row.action))
            continue
        made += [
            Binding(key, f"{place}.{row.action}({n})", row.does, show=False, id=f"{row.action}-{n}")
            for n, key in enumerate(row.keys, start=1)
        ]
    return made


def keymap(keys: Iterable[Key], usual: Iterable[Key]) -> dict[str, str]:
    """Binding id → keys, for the rows that differ from the usual table."""
    before = {row.action: row.keys for row in usual}
    changed: dict[str, str] = {}
    for row in keys:
        if row.keys == before[row.action]:
            continue
        if len(row.keys) <= _MOST_KEYS_OF_ONE:
            changed[row.action] = ",".join(row.keys)
        else:
            changed |= {f"{row.action}-{n}": key for n, key in enumerate(row.keys, start=1)}
    return changed
