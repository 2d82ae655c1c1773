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


ESSENTIAL = 8
"""Ranks below this are shown in full before any other is shown at all."""


def folded(blocks: Sequence[Block], height: int) -> list[Row]:
    """At most `height` rows, whole blocks only: the least of what is essential, all of it, the others."""
    by_rank = sorted(range(len(blocks)), key=lambda n: blocks[n].rank)
    essential = [n for n in by_rank if blocks[n].rank < ESSENTIAL]
    others = [n for n in by_rank if blocks[n].rank >= ESSENTIAL]
    shown: dict[int, Sequence[Row]] = {}
    for n in essential:
        _show(shown, n, blocks[n].rows if blocks[n].less is None else blocks[n].less or (), height)
    for n in (*essential, *others):
        _show(shown, n, blocks[n].rows, height)
    return [row for n in range(len(blocks)) for row in shown.get(n, ())]


def _show(shown: dict[int, Sequence[Row]], n: int, rows: Sequence[Row], height: int) -> None:
    """Show these rows of block `n` where they fit beside all others."""
    if sum(len(one) for other, one in shown.items() if other != n) + len(rows) <= height:
        shown[n] = rows
