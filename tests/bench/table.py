"""What is printed: one line for each goal, with what was measured and whether it holds."""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Row:
    """One value over the rounds; `most` or `least` is its goal, neither is only told."""

    what: str
    rounds: Sequence[float]
    unit: str = ""
    most: float | None = None
    least: float | None = None

    @property
    def here(self) -> float:
        """The median of the rounds."""
        return statistics.median(self.rounds)

    @property
    def missed(self) -> bool:
        """Whether the goal is missed."""
        return (self.most is not None and self.here > self.most) or (
            self.least is not None and self.here < self.least
        )

    @property
    def goal(self) -> str:
        """The goal in words."""
        if self.most is not None:
            return f"<= {_number(self.most)} {self.unit}".rstrip()
        if self.least is not None:
            return f">= {_number(self.least)} {self.unit}".rstrip()
        return ""

    @property
    def verdict(self) -> str:
        """ok, MISSED, or nothing without a goal."""
        return "MISSED" if self.missed else "ok" if self.goal else ""


_LINE = "{:<64} {:>12}  {:>14}  {:<22} {}"


def head(title: str) -> str:
    """The line above the rows of one measurement."""
    return "\n" + _LINE.format(title, "goal", "here", "rounds", "").rstrip()


def line(row: Row) -> str:
    """One row."""
    here = f"{_number(row.here)} {row.unit}".rstrip()
    spread = "" if len(row.rounds) < 2 else f"{_number(min(row.rounds))} … {_number(max(row.rounds))}"
    return _LINE.format(row.what, row.goal, here, spread, row.verdict).rstrip()


def closing(rows: Iterable[Row]) -> str:
    """The last line: how many goals hold."""
    goals = [row for row in rows if row.goal]
    missed = sum(row.missed for row in goals)
    return f"\n{len(goals) - missed} of {len(goals)} goals hold" + (f", {missed} MISSED" if missed else "")


def _number(value: float) -> str:
    if value == 0:
        return "0"
    if abs(value) >= 100:
        return f"{value:,.0f}"
    return f"{value:.3g}"
