"""The stalls that the lane shows, and what is said beside them."""

from __future__ import annotations

from collections.abc import Sequence
from heapq import nlargest
from operator import attrgetter

from tui.domain.arrivals import Stall
from tui.domain.view import View
from tui.plot.gaps import stall_labels
from tui.plot.lane import Lane

_NAMED = 12  # more have no room in any width


def stalls_in(view: View, lane: Lane) -> list[Stall]:
    """Those that reach into what the lane shows; the one that lasts is the last. A lump is none."""
    if "buffered_delivery" in view.warnings:
        return []
    every = [*view.stalls, *([view.open_stall] if view.open_stall else [])]
    return [stall for stall in every if stall.end_ns > lane.start_ns and stall.start_ns < lane.end_ns]


def named(stalls: Sequence[Stall], view: View, lane: Lane) -> list[tuple[range, Sequence[str]]]:
    """Names the longest stalls that are over, the longest of them first."""
    over = (one for one in stalls if one is not view.open_stall)
    return [
        (lane.hole(one.start_ns, one.end_ns), stall_labels(one.gap_ns, one.at_token, one.counted))
        for one in nlargest(_NAMED, over, key=attrgetter("gap_ns"))
    ]
