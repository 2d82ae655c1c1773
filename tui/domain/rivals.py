"""Background requests beside the shown one: when each was sent, wrote its first and last text, ended."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal, get_args

MOST_RIVALS = 4

Step = Literal["sent", "first", "last", "ended"]
STEPS: tuple[Step, ...] = get_args(Step)


@dataclass(frozen=True, slots=True)
class Turn:
    """One request of a rival, ns since the shown request was sent (negative: before it).

    chunks: text messages that came. how: why it ended, as in `wire.End`; "" while it runs.
    """

    sent_ns: int
    first_ns: int | None = None
    last_ns: int | None = None
    ended_ns: int | None = None
    chunks: int = 0
    how: str = ""


@dataclass(frozen=True, slots=True)
class Rival:
    """A rival's requests in order: a new one follows when one has ended."""

    number: int
    turns: tuple[Turn, ...]

    @property
    def chunks(self) -> int:
        """Text messages of all its requests."""
        return sum(turn.chunks for turn in self.turns)


def took(
    rivals: Mapping[int, Rival], number: int, step: Step, at_ns: int, chunks: int = 0, how: str = ""
) -> Rival | None:
    """The rival after one more step; None when the step does not follow on what is known."""
    known = rivals.get(number)
    if step == "sent":
        earlier = known.turns if known else ()
        return Rival(number, (*earlier, Turn(at_ns))) if 1 <= number <= MOST_RIVALS else None
    if known is None or known.turns[-1].ended_ns is not None:
        return None
    *before, turn = known.turns
    match step:
        case "first":
            turn = replace(turn, first_ns=at_ns)
        case "last":
            turn = replace(turn, last_ns=at_ns, chunks=chunks)
        case "ended":
            turn = replace(turn, ended_ns=at_ns, how=how)
    return Rival(number, (*before, turn))


def told_rivals(conditions: Mapping[str, object]) -> int:
    """How many rivals a run was asked to have beside it; 0 when it tells of none."""
    told = conditions.get("rivals")
    return told if isinstance(told, int) and not isinstance(told, bool) and told > 0 else 0


def beside(number: int) -> str:
    """The mark of a run that was not alone, "" for one that was."""
    return f"+{number} {'rival' if number == 1 else 'rivals'}" if number else ""
