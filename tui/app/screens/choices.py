"""What can be chosen as an engine, and how each choice is written."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from urllib.parse import urlsplit

from tui.app.screens.sheet import literal
from tui.engines import model
from tui.engines.detect import Found
from tui.plot.numbers import count


@dataclass(frozen=True, slots=True)
class UseBuiltIn:
    """The built-in engine."""


@dataclass(frozen=True, slots=True)
class UseUrl:
    """An address; `model` "" is the engine's first, `api_key_env` names the variable that holds the key."""

    url: str
    model: str = ""
    api_key_env: str = ""


Choice = UseBuiltIn | UseUrl


@dataclass(frozen=True, slots=True)
class BuiltIn:
    """Whether the built-in engine can be had. `there`: its model was fetched. `obstacle`: why not at all."""

    there: bool
    obstacle: str = ""

    @property
    def words(self) -> str:
        """What choosing it means."""
        if self.obstacle:
            return literal(self.obstacle)
        once = "" if self.there else f", fetched once: {model.DOWNLOAD_BYTES / 1e6:.0f} MB"
        return f"llama.cpp with {model.NAME}{once}"


def offers(found: Iterable[Found]) -> Iterator[tuple[str, UseUrl]]:
    """(words, choice) for every model of every engine that answered."""
    for engine in found:
        for name in engine.models or (engine.model,):
            yield _words(engine, name), UseUrl(engine.base.root, name)


def _words(engine: Found, name: str) -> str:
    known = engine.context is not None and name == engine.model
    parts = (
        f"{engine.engine:10} {name or 'no model'}",
        f"context {count(engine.context or 0)}" if known else "",
        urlsplit(engine.base.root).netloc,
        "wants a key" if engine.auth_needed else "",
        "still loading" if engine.loading else "",
    )
    return literal(" · ".join(part for part in parts if part))
