"""The moments of a recording that one wants to get to: its tokens, its changes of phase, its stalls."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field

from tui.domain.look import look
from tui.domain.state import State
from tui.domain.view import Stage

_LUMP = "buffered_delivery"  # its holes are no stalls


@dataclass(frozen=True, slots=True)
class Edge:
    """From `at_ns` on the screen says `stage`. A stall's edge is its last moment, when all of it is seen."""

    at_ns: int
    stage: Stage


@dataclass(slots=True)
class Landmarks:
    """Positions in ns after sent, ascending. `see` is called after each record of a recording."""

    tokens: list[int] = field(default_factory=list)
    edges: list[Edge] = field(default_factory=list)
    _stage: Stage = Stage.EMPTY
    _signs: tuple[object, ...] = ()
    _stalls: int = 0
    _reads: int = 0

    def see(self, at_ns: int, state: State) -> None:
        """The state after a record that was due at `at_ns`."""
        if len(state.arrivals) > self._reads:
            self._reads = len(state.arrivals)
            if not self.tokens or at_ns > self.tokens[-1]:
                self.tokens.append(at_ns)
        if len(state.arrivals.stalls) > self._stalls:
            self._stalls = len(state.arrivals.stalls)
            self.edges.append(Edge(at_ns - 1, Stage.STALLED))
        if self._stage is Stage.DECODING and not (state.terminal or state.failure or state.over):
            return  # thousands of tokens, and nothing in them begins another stage
        signs = _signs(state)
        if signs != self._signs:  # looking is dear
            self._signs = signs
            self._look(at_ns, state)

    def _look(self, at_ns: int, state: State) -> None:
        view = look(state, at_ns)
        if view.stage is not self._stage and view.stage is not Stage.EMPTY:
            self._stage = view.stage
            self.edges.append(Edge(at_ns, view.stage))
        if state.over and _LUMP in view.warnings:
            self.edges = [edge for edge in self.edges if edge.stage is not Stage.STALLED]


def _signs(state: State) -> tuple[object, ...]:
    return (
        state.connecting_ns is None,
        state.under_way,
        state.head_ns is None,
        state.body_ns is None,
        state.sign_ns is None,
        state.first_ns is None,
        bool(state.reports),
        len(state.edges),
        state.timings is None,
        state.terminal,
        state.over,
        len(state.warnings) if state.over else 0,
    )


def after(moments: Sequence[int], position_ns: int) -> int | None:
    """The first moment behind a position, None behind the last one."""
    at = bisect_right(moments, position_ns)
    return moments[at] if at < len(moments) else None


def before(moments: Sequence[int], position_ns: int) -> int | None:
    """The last moment before a position."""
    at = bisect_left(moments, position_ns)
    return moments[at - 1] if at else None
