"""Memory pressure in one word, from a series of readings of the machine.

Pressure is stall and traffic, not "percent used": a model larger than RAM leaves the available memory healthy
while it is read from disk again and again.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum

from tui.domain.flow import SECOND_NS, Flow, flow
from tui.domain.machine import Reading

MIB = 2**20
GIB = 2**30


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


@dataclass(frozen=True, slots=True)
class Limits:
    """All thresholds of the words. They are choices of this program; no standard exists."""

    swap_in_bytes_s: float = 1 * MIB
    paging_bytes_s: float = 20 * MIB
    stalled_some_pct: float = 20.0
    stalled_full_pct: float = 5.0
    tight_some_pct: float = 5.0
    tight_available_bytes: float = 1 * GIB
    tight_available_share: float = 0.05
    enter_ns: int = SECOND_NS // 20  # two samples in a row; a marked reading just behind another is no second
    leave_ns: int = 2 * SECOND_NS  # of quiet
    window_ns: int = SECOND_NS // 2  # counters are compared over at least this long
    oom_ns: int = 3 * SECOND_NS  # between a kill by the kernel and the last sight of the server


LIMITS = Limits()


def signs(reading: Reading, now: Flow | None, decode_ns: int | None) -> frozenset[Word]:
    """The words whose conditions hold in this reading, without any patience.

    `decode_ns` is since when tokens are written, None while none are. Flows that began before it belong to
    the load of the model. A server whose own reads can't be seen is judged by the reads of the machine.
    """
    words = {Word.TIGHT} if _short(reading) else set[Word]()
    if now is None:
        return frozenset(words)
    if _over(now.swap_in_bytes_s, LIMITS.swap_in_bytes_s):
        words.add(Word.COMPRESSING if reading.swap_compressed else Word.SWAPPING)
    if _over(now.stall_some_pct, LIMITS.stalled_some_pct) or _over(
        now.stall_full_pct, LIMITS.stalled_full_pct
    ):
        words.add(Word.STALLED)
    if _over(now.stall_some_pct, LIMITS.tight_some_pct):
        words.add(Word.TIGHT)
    hidden = reading.server is not None and reading.server.read_bytes is None
    reads = now.disk_read_bytes_s if hidden else now.server_read_bytes_s
    if decode_ns is None:
        words |= {Word.LOADING} if _over(reads, LIMITS.paging_bytes_s) else set()
    elif now.at_ns - now.span_ns >= decode_ns:
        again = _over(now.refault_bytes_s, LIMITS.paging_bytes_s)
        words |= {Word.PAGING} if again or _over(reads, LIMITS.paging_bytes_s) else set()
    return frozenset(words)


def _over(value: float | None, limit: float) -> bool:
    return value is not None and value >= limit


def _short(reading: Reading) -> bool:
    for total, available in (
        (reading.ram_total_bytes, reading.ram_available_bytes),
        (reading.limit_bytes, reading.limit_available_bytes),
    ):
        if total is not None and available is not None:
            floor = max(LIMITS.tight_available_bytes, LIMITS.tight_available_share * total)
            if available < floor:
                return True
    return False


@dataclass(frozen=True, slots=True)
class Hold:
    """How long one word's signs are seen: since when without a break (None: not now), and last."""

    since_ns: int | None
    last_ns: int
    active: bool


@dataclass(frozen=True, slots=True)
class Pressure:
    """The word and the flow to show, and what the next step needs to know. `Pressure()` is the start."""

    word: Word = Word.OK
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
    base = _base(before.recent, at_ns)
    now = flow(base, reading) if base else None
    decode_ns = (at_ns if before.decode_ns is None else before.decode_ns) if decoding else None
    seen = signs(reading, now, decode_ns)
    holds = {word: _held(before.holds.get(word), word in seen, at_ns) for word in seen | before.holds.keys()}
    server_ns = before.server_ns if reading.server is None else at_ns
    kill_ns = at_ns if _killed(before.latest, reading) else before.kill_ns
    active = [word for word, hold in holds.items() if hold.active]
    if reading.server is None and server_ns is not None and kill_ns is not None:
        active += [Word.OOM_KILLED] if abs(kill_ns - server_ns) <= LIMITS.oom_ns else []
    order = list(Word)
    return Pressure(
        word=max(active, key=order.index, default=Word.OK),
        flow=now,
        latest=reading,
        recent=(*_kept(before.recent, at_ns), reading),
        holds=holds,
        decode_ns=decode_ns,
        server_ns=server_ns,
        kill_ns=kill_ns,
    )


def _killed(before: Reading | None, reading: Reading) -> bool:
    old = before.oom_kills if before else None
    return old is not None and reading.oom_kills is not None and reading.oom_kills > old


def _held(hold: Hold | None, seen: bool, at_ns: int) -> Hold:
    hold = hold or Hold(None, at_ns, False)
    if not seen:
        return Hold(None, hold.last_ns, hold.active and at_ns - hold.last_ns < LIMITS.leave_ns)
    since_ns = at_ns if hold.since_ns is None else hold.since_ns
    return Hold(since_ns, at_ns, hold.active or at_ns - since_ns >= LIMITS.enter_ns)


def _base(recent: tuple[Reading, ...], at_ns: int) -> Reading | None:
    """The newest reading old enough to compare counters with."""
    return next((r for r in reversed(recent) if at_ns - r.at_ns >= LIMITS.window_ns), None)


def _kept(recent: tuple[Reading, ...], at_ns: int) -> tuple[Reading, ...]:
    """The readings that a later step may still compare with."""
    base = _base(recent, at_ns)
    return tuple(r for r in recent if base is None or r.at_ns >= base.at_ns)
