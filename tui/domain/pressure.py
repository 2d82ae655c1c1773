"""Memory pressure in one word, from a series of readings of the machine.

Pressure is stall and traffic, not "percent used": a model larger than RAM leaves the available memory healthy
while it is read from disk again and again.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from tui.domain.flow import Flow, flow, grown
from tui.domain.machine import Reading
from tui.domain.memory_words import LIMITS, Word
from tui.domain.signs import signs
from tui.domain.sizes import GIB, MIB

__all__ = ["GIB", "LIMITS", "MIB", "Hold", "Pressure", "Word", "signs", "step"]
_ORDER = tuple(Word)


@dataclass(frozen=True, slots=True)
class Hold:
    """How long a word's signs are seen: since when without a break (None: not now), and last; and `why`."""

    since_ns: int | None
    last_ns: int
    active: bool
    why: str = ""


@dataclass(frozen=True, slots=True)
class Pressure:
    """The word with its evidence and the flow to show, and what the next step needs to know.

    `Pressure()` is the start.
    """

    word: Word = Word.OK
    why: str = ""
    flow: Flow | None = None
    latest: Reading | None = None
    recent: tuple[Reading, ...] = ()
    holds: Mapping[Word, Hold] = field(default_factory=dict)
    decode_ns: int | None = None
    server_ns: int | None = None  # the server was last seen
    kill_ns: int | None = None  # the kernel last killed a process for memory


def step(before: Pressure, reading: Reading, decoding: bool) -> Pressure:
    """The pressure after one more reading; `decoding` while tokens are written.

    A word enters with two samples in a row and leaves after 2 s of quiet. OOM-KILLED enters at once and stays
    until a server is there again.
    """
    at_ns = reading.at_ns
    recent = _kept(before.recent, at_ns)
    old_enough = bool(recent) and at_ns - recent[0].at_ns >= LIMITS.window_ns
    now = flow(recent[0], reading) if old_enough else None
    decode_ns = (at_ns if before.decode_ns is None else before.decode_ns) if decoding else None
    seen = signs(reading, now, decode_ns)
    holds = _holds(before.holds, seen, at_ns) if seen or before.holds else before.holds
    server_ns = before.server_ns if reading.server is None else at_ns
    kill_ns = at_ns if _killed(before.latest, reading) else before.kill_ns
    active = {word: hold.why for word, hold in holds.items() if hold.active}
    gone = reading.server is None and server_ns is not None and kill_ns is not None
    if gone and abs((kill_ns or 0) - (server_ns or 0)) <= LIMITS.oom_ns:
        active[Word.OOM_KILLED] = "the system ended a program for want of memory, and the server is gone"
    worst = max(active, key=_ORDER.index) if active else Word.OK
    return Pressure(
        word=worst,
        why=active.get(worst, ""),
        flow=now,
        latest=reading,
        recent=(*recent, reading),
        holds=holds,
        decode_ns=decode_ns,
        server_ns=server_ns,
        kill_ns=kill_ns,
    )


def _killed(before: Reading | None, reading: Reading) -> bool:
    """The kernel killed a process since, here or in the server's container.

    macOS tells no more than that memory was critical when the server was seen last.
    """
    if before is None:
        return False
    if grown(before.oom_kills, reading.oom_kills) or grown(before.group_oom_kills, reading.group_oom_kills):
        return True
    level = before.pressure_level
    gone = before.server is not None and reading.server is None
    return gone and level is not None and level >= LIMITS.critical_level


def _holds(before: Mapping[Word, Hold], seen: Mapping[Word, str], at_ns: int) -> dict[Word, Hold]:
    known = [word for word in _ORDER if word in seen or word in before]
    return {word: _held(before.get(word), seen.get(word, ""), at_ns) for word in known}


def _held(hold: Hold | None, why: str, at_ns: int) -> Hold:
    """The hold of a word after one more reading; `why`: its evidence, "" when it isn't seen."""
    hold = hold or Hold(None, at_ns, False)
    if not why:
        return Hold(None, hold.last_ns, hold.active and at_ns - hold.last_ns < LIMITS.leave_ns, hold.why)
    since_ns = at_ns if hold.since_ns is None else hold.since_ns
    return Hold(since_ns, at_ns, hold.active or at_ns - since_ns >= LIMITS.enter_ns, why)


def _kept(recent: tuple[Reading, ...], at_ns: int) -> tuple[Reading, ...]:
    """The readings that this step or a later one compares with: from the newest that is old enough on."""
    for index in range(len(recent) - 1, -1, -1):
        if at_ns - recent[index].at_ns >= LIMITS.window_ns:
            return recent[index:]
    return recent
