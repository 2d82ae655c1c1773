"""Goes through the turns of a selftest and keeps what was true beside what was told."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from itertools import groupby

from tui.capture.live import Live
from tui.capture.recording import Recording
from tui.domain.view import View
from tui.selftest.serving import Server
from tui.selftest.taking import Drawing, Take, on_screen, opens_terminals, without_screen
from tui.selftest.truth import Pair, Truth, pairs, seen
from tui.selftest.turns import TURNS, Turn


@dataclass(frozen=True, slots=True)
class Taken:
    """One request: what was sent and when, what the program told of it, each message with its read."""

    turn: Turn
    truth: Truth
    view: View
    pairs: Sequence[Pair]


@dataclass(frozen=True, slots=True)
class Measured:
    """All requests. drawings: of each monitor; empty where no terminal could be opened."""

    taken: Sequence[Taken]
    drawings: Sequence[Drawing]


def measure(turns: Sequence[Turn] = TURNS, each: Callable[[Taken], None] = lambda taken: None) -> Measured:
    """Send all of them, told to `each` as they come. TimeoutError, OSError when it can't be done here."""
    drawings: list[Drawing] = []
    taken: list[Taken] = []
    for dialect, group in groupby(turns, key=lambda turn: turn.dialect):
        with Server(dialect) as server, _taking(server, drawings) as take:
            for turn in group:
                taken.append(_told(turn, *take(turn)))
                each(taken[-1])
    return Measured(taken, drawings)


def _taking(server: Server, drawings: list[Drawing]) -> AbstractContextManager[Take]:
    return on_screen(server, drawings) if opens_terminals() else without_screen(server)


def _told(turn: Turn, truth: Truth, recording: Recording) -> Taken:
    live = Live()
    live.feed(recording.records)
    return Taken(turn, truth, live.view(), pairs(truth, seen(recording)))
