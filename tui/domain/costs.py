"""The costs of one request's phases: its readings are taken apart once, and what can't change is kept."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tui.domain.columns import Columns
from tui.domain.cost import PhaseCost, cost_of
from tui.domain.machine import Reading
from tui.domain.phases import Phase
from tui.domain.stretch import AROUND_NS, Stretch


@dataclass(frozen=True, slots=True)
class _Kept:
    """A cost, the edges it holds for, and how many readings there were; `whole`: later ones don't count."""

    start_ns: int
    end_ns: int
    seen: int
    whole: bool
    cost: PhaseCost


class Costs:
    """What phases cost by the readings so far. Only `going_on` adds readings, and only behind the others."""

    __slots__ = ("_kept", "columns")

    def __init__(self) -> None:
        self.columns = Columns()
        self._kept: dict[str, _Kept] = {}

    def going_on(self, readings: Sequence[Reading]) -> Costs:
        """The costs of the same request with all of `readings`.

        A long series is thinned out: then it is taken apart anew, and what was settled stays as it was. A
        series that begins or ends earlier is another one.
        """
        if self.columns.goes_on(readings):
            self.columns.extend(readings[len(self.columns.readings) :])
            return self
        anew = Costs()
        anew.columns.extend(readings)
        if self.columns.thinned_to(readings):
            anew._kept = {name: kept for name, kept in self._kept.items() if kept.whole}
        return anew

    def of(self, phase: Phase) -> PhaseCost:
        """The cost of one phase."""
        kept, seen = self._kept.get(phase.name), len(self.columns.readings)
        same = kept is not None and (kept.start_ns, kept.end_ns) == (phase.start_ns, phase.end_ns)
        if kept is not None and same and (kept.whole or kept.seen == seen):
            return kept.cost
        cost = cost_of(phase.name, phase.start_ns, phase.end_ns, self.columns)
        whole = seen > 0 and self.columns.taken[-1] > phase.end_ns + AROUND_NS
        self._kept[phase.name] = _Kept(phase.start_ns, phase.end_ns, seen, whole, cost)
        return cost

    def load_bytes_s(self, phase: Phase) -> float | None:
        """Bytes per second that the server fetched from disk in a phase."""
        told = Stretch(phase.start_ns, phase.end_ns, self.columns)
        return told.fetched_per_s() if told.there else None
