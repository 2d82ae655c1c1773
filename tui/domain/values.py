"""Values with an origin: a number is shown only together with where it comes from."""

from __future__ import annotations

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


_MOST = 1e24  # no unit that is used here can measure more; products of a few such numbers stay finite
_MOST_COUNT = (1 << 63) - 1


def finite(number: object) -> float | None:
    """`number` as a finite float, else None: NaN, Infinity, booleans and other types equal absent.

    So does what nothing can measure, beyond ±1e24: a sum or a product with it would be no number any more.
    """
    if type(number) is float:  # the usual case, and one for each token
        return number if abs(number) <= _MOST else None  # of NaN neither holds
    if isinstance(number, bool) or not isinstance(number, (int, float)):
        return None
    try:
        value = float(number)
    except OverflowError:
        return None
    return value if abs(value) <= _MOST else None


def count(number: object) -> int | None:
    """`number` as a whole number of at least 0, else None: negative, fractional, absurd ones equal absent."""
    if type(number) is int:  # the usual case, and one for each token
        return number if 0 <= number <= _MOST_COUNT else None
    value = finite(number)
    if value is None or not 0 <= value <= _MOST_COUNT or value != int(value):
        return None
    return number if isinstance(number, int) else int(value)
