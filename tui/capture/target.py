"""Where requests go: address, key and model as the user gave them, and what was found there."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from tui.domain.knobs import Knobs
from tui.domain.rivals import beside
from tui.plot.numbers import prompt_length

UNCHECKED = "unchecked"
"""Of the condition `certificate`: whoever answers is believed."""


@dataclass(frozen=True, slots=True)
class Target:
    """An engine's address as typed. The key is never shown and never written anywhere.

    key_variable: the name of the variable that held it; that may be remembered together with the address.
    """

    url: str
    key: str = field(default="", repr=False)
    model: str = ""
    ca_file: str | None = None
    insecure: bool = False
    key_variable: str = ""

    def trust(self, root: str) -> str:
        """Whether the server at `root` has to prove who it is: checked, unchecked, or "" without TLS."""
        if not root.startswith("https:"):
            return ""
        return UNCHECKED if self.insecure else "checked"

    def headers(self) -> dict[str, str]:
        """The Authorization header, when there is a key."""
        return {"Authorization": f"Bearer {self.key}"} if self.key else {}


@dataclass(frozen=True, slots=True)
class Run:
    """One request as the session knows it. `parts`: (name, tokens) of an agent's prompt."""

    number: int
    knobs: Knobs
    label: str
    recording: Path | None = None
    parts: tuple[tuple[str, int], ...] = ()
    note: str = ""


def label_of(number: int, knobs: Knobs) -> str:
    """A run in a few words: what was sent, and that it was not alone."""
    sent = "own prompt" if knobs.own else prompt_length(knobs.prompt_tokens)
    words = (f"run {number}", sent, knobs.cache.value, beside(knobs.rivals))
    return " · ".join(word for word in words if word)
