"""What is known about one phase, and what can be concluded from it: the two sides of `bound`."""

from __future__ import annotations

from dataclasses import dataclass, field

from tui.domain.cost import PhaseCost
from tui.domain.moments import Moment
from tui.domain.values import Value, absent


@dataclass(frozen=True, slots=True)
class Verdict:
    """`level`: "info" is how it should be or nobody's fault, "warn" can be helped, "crit" has to be."""

    word: str
    evidence: str
    level: str = "info"

    @property
    def line(self) -> str:
        """ "word: evidence"."""
        return f"{self.word}: {self.evidence}" if self.evidence else self.word


@dataclass(frozen=True, slots=True)
class Evidence:
    """What is known about one phase, prefill or decode.

    `threads`: compute threads of the server, as well as they are known. `gpu_read`: a GPU of the server was
    read; without one the processor works. `troubles`: moments that overlap the phase.
    """

    cost: PhaseCost
    remote: bool = False
    troubles: tuple[Moment, ...] = ()
    gpu_read: bool = True
    threads: int | None = None
    bandwidth: Value = field(default_factory=lambda: absent("GB/s", ""))
    bandwidth_pct: Value = field(default_factory=lambda: absent("%", ""))
    peak_gb_s: float | None = None
    flops_pct: Value = field(default_factory=lambda: absent("%", ""))
    offload: str = ""  # in words, "" when all of it lies in one place or it isn't known

    @property
    def decode(self) -> bool:
        return self.cost.name == "decode"
