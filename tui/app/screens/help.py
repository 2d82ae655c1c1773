"""The help: all keys by group, then what every number and every mark means."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import groupby
from typing import ClassVar

from rich.console import RenderableType
from rich.padding import Padding
from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.widgets import Static

from tui.app.screens.grid import grid
from tui.app.screens.kept import Kept
from tui.app.screens.sheet import Sheet
from tui.domain.memory_words import Word
from tui.domain.signs import RULES
from tui.plot.cells import width
from tui.settings.defining import Definition
from tui.settings.definitions import DEFINITIONS, GROUPS, MARKS
from tui.settings.keys import KEYS, Key, by_action


class HelpScreen(Sheet[None]):
    """`keys` is the table with the user's own keys in it."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding(",".join(by_action("help").keys), "back", id="help")]
    heading = "help"
    hint = "↑ ↓ pgup pgdn scroll · esc back"

    def __init__(self, keys: Sequence[Key] = KEYS) -> None:
        super().__init__()
        self._keys = keys

    def body(self) -> ComposeResult:
        with VerticalScroll(classes="sheet-page"):
            yield Static(_all(tuple(self._keys)), markup=False)


@lru_cache(maxsize=1)
def _all(keys: Sequence[Key]) -> Kept:
    return Kept(*_keys(keys), *_marks(), *_definitions(), *_states())


def _keys(keys: Sequence[Key]) -> list[RenderableType]:
    parts: list[RenderableType] = []
    widest = max(width(key.shown) for key in keys)  # in one column for all groups
    for group, rows in groupby(keys, lambda key: key.group):
        parts += [_title(f"keys: {group}"), grid(((key.shown, key.does) for key in rows), widest)]
    return parts


def _marks() -> list[RenderableType]:
    rows = ((origin.mark, f"{origin.value}: {says}") for origin, says in MARKS)
    return [_title("marks behind a number: where it comes from"), grid(rows)]


def _definitions() -> list[RenderableType]:
    parts: list[RenderableType] = []
    for group in GROUPS:
        parts.append(_title(group))
        for number in DEFINITIONS:
            if number.group == group:
                parts += [Text(number.title, style="bold"), Padding(Text(_told(number)), (0, 0, 0, 2))]
    return parts


def _states() -> list[RenderableType]:
    """When the memory has which state: the table that decides it, gravest first."""
    rows = [(rule.word.value, f"{rule.what} ({rule.system})") for rule in RULES]
    killed = (Word.OOM_KILLED.value, "the system ended a program for want of memory, and the server is gone")
    return [_title("states of the memory, gravest first"), grid([killed, *rows])]


def _told(number: Definition) -> str:
    lines = [number.says, f"= {number.formula}", f"clock: {number.clock}"]
    return "\n".join([*lines, number.beware] if number.beware else lines)


def _title(words: str) -> Text:
    return Text(f"\n{words}", style="bold underline")
