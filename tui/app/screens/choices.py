"""What can be chosen as an engine, and how each choice is written."""

from __future__ import annotations

from dataclasses import dataclass

from tui.app.screens.sheet import literal
from tui.engines import model


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
    """Whether the built-in engine can be had. `there`: its model was fetched. `obstacle`: why not at all.

    used: requests go to it now.
    """

    there: bool
    obstacle: str = ""
    used: bool = False

    @property
    def words(self) -> str:
        """What choosing it means."""
        if self.obstacle:
            return literal(self.obstacle)
        once = "" if self.there else f", fetched once: {model.DOWNLOAD_BYTES / 1e6:.0f} MB"
        return f"llama.cpp with {model.NAME}{once}"
