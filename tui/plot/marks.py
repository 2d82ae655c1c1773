"""What stands on the phase lane besides its phases, and in which cells."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import NamedTuple

from tui.plot.lane import Lane, Piece
from tui.plot.numbers import count

_FEWEST = 3  # lines that show whether the reading slows down
_LEAST_SPACING = 3  # cells between two notches
_EVERY = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)


@dataclass(frozen=True, slots=True)
class Expected:
    """What should come until `until_ns`, with its label in several lengths, longest first.

    Once `until_ns` has passed, only the label stands, right of now.
    """

    until_ns: int
    labels: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Ending:
    """The request failed (else: it was cancelled), in a word or two; several lengths, longest first."""

    failed: bool
    words: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Marks:
    """What stands on the lane besides its phases; times in ns since sent.

    notches: time and tokens read of every prefill report · stalls: from the last token to the late one, or
    to now · captions: words inside phases, by phase name (stage) · guessed: names of phases by a calibration.
    """

    now_ns: int | None = None
    notches: Sequence[tuple[int, int]] = ()
    expected: Expected | None = None
    stalls: Sequence[tuple[int, int]] = ()
    ending: Ending | None = None
    captions: Mapping[str, str] = field(default_factory=dict)
    guessed: frozenset[str] = frozenset()


class Notch(NamedTuple):
    """A line at the right of a cell of the lane, and the tokens read by then."""

    cell: int
    tokens: int


def expected_cells(lane: Lane, marks: Marks) -> range:
    """The cells between now and the expected moment; empty once it has passed."""
    if marks.expected is None or marks.now_ns is None:
        return range(0)
    start = lane.mark(marks.now_ns) + 1
    return range(start, max(start, round(lane.column(marks.expected.until_ns))))


def placed_notches(lane: Lane, reports: Sequence[tuple[int, int]]) -> tuple[Notch, ...]:
    """The reports that get a line: all, or every 2nd, 5th, … so that each has space for its label.

    Where that leaves hardly a line, as many as can be told apart; then only some are labelled.
    """
    prefill = prefill_piece(lane)
    if prefill is None or not reports:
        return ()
    for every in _EVERY:
        notches = _every(lane, prefill, reports, every)
        if len(notches) < _FEWEST:
            break
        if all(b.cell - a.cell >= len(count(b.tokens)) + 2 for a, b in pairwise(notches)):
            return notches
    room = len(prefill.whole)
    dense = next((n for n in _EVERY if room * n >= _LEAST_SPACING * len(reports)), _EVERY[-1])
    return _every(lane, prefill, reports, dense)


def _every(lane: Lane, prefill: Piece, reports: Sequence[tuple[int, int]], every: int) -> tuple[Notch, ...]:
    cells = prefill.whole
    by_cell: dict[int, int] = {}
    for at_ns, tokens in reports[every - 1 :: every]:
        cell = min(round(lane.column(at_ns)) - 1, cells.stop - 1)
        if cell >= cells.start and prefill.start_ns < at_ns <= prefill.end_ns:
            by_cell[cell] = tokens
    return tuple(Notch(cell, by_cell[cell]) for cell in sorted(by_cell))


def prefill_piece(lane: Lane) -> Piece | None:
    """The reading of the prompt, where it is wide enough to write in."""
    return next((p for p in lane.pieces if p.names == ("prefill",) and not p.widened), None)
