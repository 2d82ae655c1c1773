"""Lines of evidence: words that hold their numbers, who told them, and what they do for an explanation."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Literal, NamedTuple

from tui.domain.values import Provenance


class Quantity(NamedTuple):
    """A number inside words. unit: "ns", "n" (a count), "B", "%" or "x" (times)."""

    number: float
    unit: Literal["ns", "n", "B", "%", "x"]


Words = tuple[str | Quantity, ...]


class Role(Enum):
    """What a fact does for the explanation."""

    CAUSE = "cause"
    PLACE = "place"  # it says where the time passed, not why
    SEEN = "seen"  # it happened at that time, or it rules something out


@dataclass(frozen=True, slots=True)
class Fact:
    """One line of evidence: who told it, by whose clock."""

    words: Words
    source: str
    provenance: Provenance
    role: Role = Role.SEEN
