"""Values with an origin: a number is shown only together with where it comes from."""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import Enum


class Provenance(Enum):
    """Where a number comes from, strongest first; `mark` is what the screen puts behind the unit."""

    MEASURED = "measured"  # the engine's own clock or counter for this request
    OBSERVED = "observed"  # our clock, at the socket
    DERIVED = "derived"  # a difference of the two above
    ESTIMATED = "estimated"  # a model, a probe or history
    ABSENT = "absent"  # not known; never 0

    @property
    def mark(self) -> str:
        return _MARKS[self]


_MARKS = {
    Provenance.MEASURED: "●",
    Provenance.OBSERVED: "○",
    Provenance.DERIVED: "◐",
    Provenance.ESTIMATED: "≈",
    Provenance.ABSENT: "–",
}


@dataclass(frozen=True, slots=True)
class Value:
    """A number with its unit and origin. `number` is None exactly when the provenance is ABSENT.

    `note` is the formula, or the reason why the value is absent. `reliable` False asks for a visible mark.
    """

    number: float | None
    unit: str
    provenance: Provenance
    note: str = ""
    reliable: bool = True

    @property
    def known(self) -> bool:
        return self.number is not None


def absent(unit: str, why: str) -> Value:
    """A value nobody measured, with the reason in words."""
    return Value(None, unit, Provenance.ABSENT, why)


def finite(number: object) -> float | None:
    """`number` as a finite float, else None: NaN, Infinity, booleans and other types equal absent."""
    if isinstance(number, bool) or not isinstance(number, (int, float)):
        return None
    try:
        value = float(number)
    except OverflowError:
        return None
    return value if math.isfinite(value) else None


def count(number: object) -> int | None:
    """`number` as a whole number of at least 0, else None (negative and fractional counts equal absent)."""
    value = finite(number)
    if value is None or value < 0 or value != int(value):
        return None
    return int(value)
