"""The command palette: every action of the key table and every theme, by name."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Protocol, cast

from textual.command import CommandPalette, DiscoveryHit, Hit, Hits, Provider
from textual.content import Content
from textual.fuzzy import Matcher
from textual.markup import escape

from tui.app import gallery
from tui.plot.cells import clean
from tui.settings.keys import Key, first_key

_NOT_LISTED = {"palette", "interrupt"}  # the palette is open, and quit is listed
_WITHOUT_KEY = (
    ("freeze", "in a replay: stop at each change of phase, {pause} goes on"),
    ("tour", "scenes with captions: what prefill, decode, the cache and a queue are; {stop} leaves"),
    ("demo", "watch recordings of real requests; {stop} comes back"),
)
_BY_WHAT_IT_DOES = 0.001  # any match of a name comes before it

_CALIBRATES = (
    "sends 9 short prompts (about 7,600 tokens in all), so that the wait of an engine that tells nothing can"
    " be split, ≈; {stop} stops"
)


class Commanded(Protocol):
    """What the app must give: its key table, and a way to take another theme."""

    keys: Sequence[Key]

    async def run_action(self, action: str) -> bool: ...
    def use_theme(self, name: str) -> None: ...


class Palette(CommandPalette):
    """The page that finds commands by name."""

    CSS_PATH = "styles/palette.tcss"

    def __init__(self) -> None:
        super().__init__([Commands], placeholder="type what you want to do · enter do it · esc back")


class Commands(Provider):
    """Name, what it does, and what to call, for whatever was typed."""

    async def discover(self) -> Hits:
        for name, does, call in self._all():
            yield DiscoveryHit(Content(name), call, text=name, help=escape(does))

    async def search(self, query: str) -> Hits:
        matcher = self.matcher(query)
        for name, does, call in self._all():
            score = matcher.match(name) or (_BY_WHAT_IT_DOES if query.casefold() in does.casefold() else 0)
            if score > 0:
                yield Hit(score, _highlighted(matcher, name), call, text=name, help=escape(does))

    def _all(self) -> Iterator[tuple[str, str, Callable[[], object]]]:
        app = cast(Commanded, self.app)
        names = {key.action: key.shown for key in app.keys}
        names["stop"] = first_key(names["stop"])
        for key in app.keys:
            if key.action not in _NOT_LISTED:
                for name, action in _calls(key):
                    yield name, f"{key.shown}: {key.does}", partial(app.run_action, action)
        for name, does in _WITHOUT_KEY:
            yield name, does.format_map(names), partial(app.run_action, name)
        calibrates = _CALIBRATES.format_map(names)
        yield "calibrate this endpoint", calibrates, partial(app.run_action, "calibrate")
        for name in gallery.names():
            yield f"theme {clean(name)}", "take these colours", partial(app.use_theme, name)


def _calls(key: Key) -> Iterator[tuple[str, str]]:
    """(name, action) of a row; where each of many keys chooses a thing, one for each of them."""
    name = key.action.replace("_", " ")
    if len(key.keys) <= 2:
        yield name, key.action
    else:
        for number in range(1, len(key.keys) + 1):
            yield f"{name} {number}", f"{key.action}({number})"


def _highlighted(matcher: Matcher, name: str) -> Content:
    """A theme's name is a file's name: what looks like markup in it is shown as it is."""
    return Content(name) if "[" in name else matcher.highlight(name)
