"""What a definition of a number is made of."""

from __future__ import annotations

from dataclasses import dataclass

MACHINE = "the machine"
"""The group of what is read from the computer, not from the request."""
COSTS = "what each phase cost the machine"
"""The group of what is worked out from both."""


@dataclass(frozen=True, slots=True)
class Definition:
    """One number. `says` is what it is, `formula` how it is made, `clock` whose time or count it is.

    `beware` is what it must not be taken for, `doubt` why it can carry a mark of doubt; both may be "".
    """

    name: str
    title: str
    group: str
    says: str
    formula: str
    clock: str
    beware: str = ""
    doubt: str = ""
