"""The words for the state of the memory, and all thresholds that they and the verdicts share."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from tui.domain.flow import SECOND_NS
from tui.domain.sizes import GIB, MIB


class Word(Enum):
    """The state of the memory, mildest first; the worst one that holds is shown."""

    OK = "OK"
    LOADING = "LOADING"  # the server reads its model from disk before it writes
    TIGHT = "TIGHT"
    COMPRESSING = "COMPRESSING"  # swapping into compressed memory
    STALLED = "STALLED"
    PAGING = "PAGING"  # the model does not stay in RAM: it is read from disk while tokens are written
    SWAPPING = "SWAPPING"
    OOM_KILLED = "OOM-KILLED"

    @property
    def level(self) -> str:
        """ "info" is no alarm, "warn" may hurt, "crit" does."""
        if self in (Word.OK, Word.LOADING):
            return "info"
        return "warn" if self in (Word.TIGHT, Word.COMPRESSING) else "crit"

    @property
    def glyph(self) -> str:
        """The level as a shape, for eyes and terminals without colour."""
        return {"info": "●", "warn": "▲", "crit": "✖"}[self.level]


@dataclass(frozen=True, slots=True)
class Limits:
    """All thresholds of the words. They are choices of this program; no standard exists."""

    swap_in_bytes_s: float = 1 * MIB
    paging_bytes_s: float = 20 * MIB
    decompressed_bytes_s: float = 50 * MIB  # macOS compresses in calm times too
    stalled_some_pct: float = 20.0
    stalled_full_pct: float = 5.0
    tight_some_pct: float = 5.0
    tight_available_bytes: float = 1 * GIB
    tight_available_share: float = 0.05
    tight_budget_share: float = 0.95  # of what unified memory lets the GPU hold
    tight_commit_share: float = 0.95  # of the memory Windows can promise
    swapping_commit_share: float = 0.90
    warning_level: int = 2  # of macOS
    critical_level: int = 4
    enter_ns: int = SECOND_NS // 20  # two samples in a row; a marked reading just behind another is no second
    leave_ns: int = 2 * SECOND_NS  # of quiet
    window_ns: int = SECOND_NS // 2  # counters are compared over at least this long
    oom_ns: int = 3 * SECOND_NS  # between a kill by the kernel and the last sight of the server


LIMITS = Limits()
