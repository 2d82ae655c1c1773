"""One GPU along the readings: its use, its energy counter, and other counters at the edges of a phase."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable

from tui.domain.flow import grown
from tui.domain.machine import Gpu
from tui.domain.series import EDGE_SHARE, NEAR_NS, value_at


class Board:
    """All that one GPU told while its driver answered, in the order of the readings.

    `use`: its utilisation, at `use_read`. `counted`: (when it was read, millijoules, watts) of its energy
    counter; `drops`: places where that went back. `powers`: (when, watts) where there is no counter.
    `…taken`: when the readings were made that carried them. `modelled`: its power was told by no sensor.
    """

    __slots__ = (
        "counted",
        "counted_ordered",
        "counted_taken",
        "drops",
        "gpus",
        "modelled",
        "powers",
        "powers_taken",
        "taken",
        "use",
        "use_read",
        "use_taken",
    )  # fmt: skip

    def __init__(self) -> None:
        self.taken: list[int] = []
        self.gpus: list[Gpu] = []
        self.use_taken: list[int] = []
        self.use_read: list[int] = []
        self.use: list[float] = []
        self.counted_taken: list[int] = []
        self.counted: list[tuple[int, int, float]] = []
        self.counted_ordered = True
        self.drops: list[int] = []
        self.powers_taken: list[int] = []
        self.powers: list[tuple[int, float]] = []
        self.modelled = False

    def add(self, at_ns: int, gpu: Gpu) -> None:
        """One more reading of it."""
        self.taken.append(at_ns)
        self.gpus.append(gpu)
        self.modelled = self.modelled or gpu.modelled
        if gpu.util_pct is not None:
            self.use_taken.append(at_ns)
            self.use_read.append(at_ns - gpu.age_ns)
            self.use.append(gpu.util_pct)
        if gpu.energy_mj is not None:
            self._count(at_ns, gpu.energy_mj, at_ns - gpu.energy_age_ns, gpu.power_w or 0.0)
        elif gpu.power_w is not None:
            self.powers_taken.append(at_ns)
            self.powers.append((at_ns - gpu.age_ns, gpu.power_w))

    def _count(self, at_ns: int, energy_mj: int, read_ns: int, power_w: float) -> None:
        if self.counted:
            before_ns, before_mj, _ = self.counted[-1]
            if energy_mj < before_mj:
                self.drops.append(len(self.counted))
            self.counted_ordered = self.counted_ordered and read_ns >= before_ns
        self.counted_taken.append(at_ns)
        self.counted.append((read_ns, energy_mj, power_w))

    def growth(self, start_ns: int, end_ns: int, field: str, age: Callable[[Gpu], int]) -> float | None:
        """How much a counter grew in a phase; `age`: how long before its reading it was read."""
        slack_ns = (end_ns - start_ns) * EDGE_SHARE
        return grown(*(self._at(at_ns, slack_ns, field, age) for at_ns in (start_ns, end_ns)))

    def _at(self, at_ns: int, slack_ns: float, field: str, age: Callable[[Gpu], int]) -> float | None:
        one = bisect_left(self.taken, at_ns - NEAR_NS)
        other = bisect_right(self.taken, at_ns + NEAR_NS)
        found: dict[int, float] = {}
        for taken_ns, gpu in zip(self.taken[one:other], self.gpus[one:other], strict=True):
            value = getattr(gpu, field)
            if value is not None:
                found.setdefault(taken_ns - age(gpu), value)
        return value_at(at_ns, slack_ns, sorted(found.items()))


def bus_age(gpu: Gpu) -> int:
    """How old the counters of the bus are."""
    return gpu.energy_age_ns if gpu.pcie_age_ns is None else gpu.pcie_age_ns


def throttle_age(gpu: Gpu) -> int:
    """How old the counters of time below its clock are."""
    return gpu.energy_age_ns if gpu.throttle_age_ns is None else gpu.throttle_age_ns
