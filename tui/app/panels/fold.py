"""Which rows of a panel stay when there is less room: those that matter most, in their own order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tui.plot.rows import Row


@dataclass(frozen=True, slots=True)
class Block:
    """Rows that belong together; 0 is the rank that stays longest. `less`: what is shown for want of room."""

    rank: int
    rows: Sequence[Row]
    less: Sequence[Row] | None = None


def folded(blocks: Sequence[Block], height: int) -> list[Row]:
    """At most `height` rows, whole blocks only; by rank they get their least first, and then the rest."""
    by_rank = sorted(range(len(blocks)), key=lambda n: blocks[n].rank)
    shown: dict[int, Sequence[Row]] = {}
    for n in by_rank:
        least = blocks[n].rows if blocks[n].less is None else blocks[n].less or ()
        if _used(shown) + len(least) <= height:
            shown[n] = least
    for n in by_rank:
        if n in shown and _used(shown) - len(shown[n]) + len(blocks[n].rows) <= height:
            shown[n] = blocks[n].rows
    return [row for n in range(len(blocks)) for row in shown.get(n, ())]


def _used(shown: dict[int, Sequence[Row]]) -> int:
    return sum(len(rows) for rows in shown.values())
