"""The requests of a selftest: every shape of stream, in the dialects that tell different things."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tui.selftest.script import SHAPES, Script


@dataclass(frozen=True, slots=True)
class Turn:
    """One request. hangs: the terminal takes nothing while the tokens come."""

    key: str
    dialect: str
    script: Script
    hangs: bool = False

    @property
    def what(self) -> str:
        """In words, without its dialect."""
        return "the terminal hangs" if self.hangs else SHAPES[self.script.shape]

    @property
    def lumped(self) -> bool:
        """Several messages come at once on purpose."""
        return self.script.shape == "lump"


TURNS: Sequence[Turn] = (
    Turn("one", "openai", Script("one", 250, 120)),
    # with few tokens the definition of the rate would show, not the instrument: nobody tells the count of
    # the first message
    Turn("two", "openai", Script("two", 500, 400)),
    Turn("role", "openai", Script("role", 250, 100)),
    Turn("reasoning", "openai", Script("reasoning", 250, 100)),
    Turn("lump", "openai", Script("lump", 400, 160)),
    Turn("hang", "openai", Script("one", 250, 100), hangs=True),
    Turn("timings", "llama.cpp", Script("one", 250, 100)),
    Turn("queue", "llama.cpp", Script("queue", 250, 80)),
    Turn("json_lines", "ollama", Script("one", 250, 100)),
)
