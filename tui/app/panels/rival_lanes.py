"""The rivals' rows of the time block: how many there is room for, what they cost, and their names."""

from __future__ import annotations

from dataclasses import replace

from tui.app.layout import TimeRows
from tui.domain.rivals import Rival, told_rivals
from tui.domain.view import View
from tui.plot.glyphs import Fill
from tui.plot.lane import Lane
from tui.plot.rivals import rival_row, rivals_row
from tui.plot.rows import Row

_LEAST_LANE = 2


def shared(rows: TimeRows, rivals: int) -> tuple[TimeRows, int]:
    """The rows with some given up for as many rivals, and how many those are: one each, else one for all.

    Load, gaps and lane give, and keep a row (the lane two); where nothing is left there is no row.
    """
    if not rivals:
        return rows, 0
    spare = {
        "load": max(0, rows.load - 1),
        "gaps": max(0, rows.gaps - 1),
        "lane": max(0, rows.lane - _LEAST_LANE),
    }
    wanted = rivals if rivals <= sum(spare.values()) else min(1, sum(spare.values()))
    left = {"load": rows.load, "gaps": rows.gaps, "lane": rows.lane}
    for _ in range(wanted):
        # the one that has most gives first, so that nothing shrinks more than it must
        giver = max(spare, key=spare.__getitem__)
        spare[giver] -= 1
        left[giver] -= 1
    return replace(rows, **left), wanted


def rival_lanes(view: View, lane: Lane, rows: int, fill: Fill) -> list[tuple[str, Row]]:
    """(name, row) of each row; a rival that was not sent yet has an empty one."""
    asked = told_rivals(view.conditions)
    known = {rival.number: rival for rival in view.rivals}
    every = [known.get(number, Rival(number, ())) for number in range(1, asked + 1)]
    if rows < asked:
        return [("rivals", rivals_row(lane, every, view.now_ns, fill))] if rows else []
    return [(f"rival {one.number}", rival_row(lane, one, view.now_ns, fill)) for one in every]
