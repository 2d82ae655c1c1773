"""What else is known of a read that came late: when we looked at it, and how far the engine's clock had gone.

Kept for slow reads alone, since every read of a long answer would cost more than it tells.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from dataclasses import dataclass

SLOW = 1.5  # times the usual gap
_MOST = 4096  # reads; a stream with more slow ones than that has no usual gap
_NONE = -1


@dataclass(frozen=True, slots=True)
class Hitch:
    """One slow read. late_ns: from its arrival until this program had it. engine_ns: by how much the engine's
    own clock of this answer went on from the read before to this one. None: not told."""

    late_ns: int | None
    engine_ns: int | None


class Hitches:
    """Append-only columns, one row for each slow read."""

    __slots__ = ("_after", "_before", "_late", "_reads")

    def __init__(self) -> None:
        self._reads = array("I")
        self._late = array("q")
        self._before = array("q")
        self._after = array("q")

    def add(self, read: int, late_ns: int | None, engine_ns: int | None) -> None:
        """Read number `read` (an index) is slow; the engine's clock stood at `engine_ns` before it."""
        if len(self._reads) < _MOST:
            self._reads.append(read)
            self._late.append(_NONE if late_ns is None else late_ns)
            self._before.append(_NONE if engine_ns is None else engine_ns)
            self._after.append(_NONE)

    def clock(self, read: int, engine_ns: int) -> None:
        """The engine's clock as told by read `read`, when that is the newest slow one."""
        if self._reads and self._reads[-1] == read:
            self._after[-1] = engine_ns

    def at(self, read: int) -> Hitch | None:
        """What is known of a read; None when it was not slow."""
        row = bisect_left(self._reads, read)
        if row == len(self._reads) or self._reads[row] != read:
            return None
        late, before, after = self._late[row], self._before[row], self._after[row]
        told = before != _NONE and after >= before
        return Hitch(late if late != _NONE else None, after - before if told else None)
