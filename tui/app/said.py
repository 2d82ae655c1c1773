"""One sentence as it is told: a sign, a state word, and parts behind them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Said:
    """A sign and a state word in the colour of `role`, then parts that may be left out from the end."""

    sign: str
    word: str
    role: str
    parts: Sequence[str]
