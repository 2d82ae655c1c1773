"""What the screen knows of the tour at one moment."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class Part(Enum):
    """How far a scene is. Its values are the names of the captions in a script."""

    BEFORE = "before"
    WHILE = "while"
    AFTER = "after"


@dataclass(frozen=True, slots=True)
class Shown:
    """One scene as it stands. `number` from 1.

    turned: the knobs are no longer what was sent last, or what the scene asks for. again: enter sends the
    scene once more instead of going on.
    """

    number: int
    of: int
    title: str
    caption: str
    part: Part = Part.BEFORE
    turned: bool = False
    again: bool = False

    @property
    def last(self) -> bool:
        return self.number == self.of
