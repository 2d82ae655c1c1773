"""What was really sent and when, and how far a reader's stamps are from it."""

from __future__ import annotations

import json
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from itertools import pairwise

from tui.capture.recording import Recording
from tui.domain.wire import Note, Read


@dataclass(frozen=True, slots=True)
class Truth:
    """One reply as the server sent it; entry i of every list is message i. Times are CLOCK_MONOTONIC.

    arrived_ns: the request was read. sent_ns: just before the send. ends: bytes of the body up to its end.
    tokens: new tokens in it. done_ns: when the send had returned; empty when nobody looked.
    """

    model: str
    arrived_ns: int
    sent_ns: Sequence[int]
    ends: Sequence[int]
    tokens: Sequence[int]
    done_ns: Sequence[int] = ()

    def line(self) -> str:
        """As one line of JSON."""
        return json.dumps(asdict(self), separators=(",", ":")) + "\n"

    @property
    def texts(self) -> list[int]:
        """The numbers of the messages that hold tokens."""
        return [i for i, new in enumerate(self.tokens) if new]

    @property
    def ttft_ns(self) -> int:
        """Request arrived until the first token was sent, by the server's clock."""
        return self.sent_ns[self.texts[0]] - self.arrived_ns

    @property
    def rate_tps(self) -> float:
        """Tokens after those of the first message, over the time from the first to the last one."""
        texts = self.texts
        new = sum(self.tokens) - self.tokens[texts[0]]
        return new * 1e9 / (self.sent_ns[texts[-1]] - self.sent_ns[texts[0]])


def from_line(line: str) -> Truth:
    """The truth of one line."""
    return Truth(**json.loads(line))


@dataclass(frozen=True, slots=True)
class Seen:
    """One read of a reader: the body's bytes up to and with it, its stamp, when `recv` had returned."""

    end: int
    at_ns: int
    recv_ns: int


def seen(recording: Recording) -> list[Seen]:
    """The reads of a recording on CLOCK_MONOTONIC. ValueError when it does not tell its zero."""
    zero_ns: object = None
    reads: list[Seen] = []
    end = 0
    for record in recording.records:
        if isinstance(record, Note) and record.name == "sent":
            zero_ns = record.fields.get("monotonic_ns")
        elif isinstance(record, Read) and isinstance(zero_ns, int):
            end += len(record.data)
            recv_ns = record.at_ns if record.recv_ns is None else record.recv_ns
            reads.append(Seen(end, zero_ns + record.at_ns, zero_ns + recv_ns))
    if not isinstance(zero_ns, int):
        raise ValueError("the recording does not tell when it was sent on the monotonic clock")
    return reads


@dataclass(frozen=True, slots=True)
class Pair:
    """A message with tokens: when it was sent, the read that completed it, when its send had returned."""

    sent_ns: int
    read: Seen
    done_ns: int | None = None


def pairs(truth: Truth, reads: Sequence[Seen]) -> list[Pair]:
    """Every message with tokens and its read. ValueError when the reader missed bytes of one."""
    ends = [read.end for read in reads]
    found: list[Pair] = []
    for i in truth.texts:
        at = bisect_left(ends, truth.ends[i])
        if at == len(reads):
            raise ValueError(
                f"the reader saw {ends[-1] if ends else 0} bytes, message {i} ends at {truth.ends[i]}"
            )
        done_ns = truth.done_ns[i] if truth.done_ns else None
        found.append(Pair(truth.sent_ns[i], reads[at], done_ns))
    return found


def stamp_errors(matched: Iterable[Pair]) -> list[int]:
    """Stamp minus send, ns, absolute."""
    return [abs(pair.read.at_ns - pair.sent_ns) for pair in matched]


def recv_errors(matched: Iterable[Pair]) -> list[int]:
    """Return of `recv` minus send, ns, absolute: what a reader without kernel stamps would have."""
    return [abs(pair.read.recv_ns - pair.sent_ns) for pair in matched]


def impossible(matched: Iterable[Pair], slack_ns: int = 1_000) -> int:
    """Stamps that lie before the send or after `recv` had returned."""
    return sum(not p.sent_ns - slack_ns <= p.read.at_ns <= p.read.recv_ns for p in matched)


def gap_errors(matched: Sequence[Pair]) -> list[float]:
    """|measured gap - true gap| / true gap, for every two neighbours."""
    errors: list[float] = []
    for before, after in pairwise(matched):
        true_ns = after.sent_ns - before.sent_ns
        errors.append(abs(after.read.at_ns - before.read.at_ns - true_ns) / true_ns)
    return errors


def lag_growth(matched: Sequence[Pair]) -> float:
    """Median stamp error of the last fifth / that of the first fifth."""
    fifth = max(1, len(matched) // 5)
    first, last = stamp_errors(matched[:fifth]), stamp_errors(matched[-fifth:])
    return percentile(last, 50) / percentile(first, 50)


def percentile(values: Iterable[float], percent: float) -> float:
    """The smallest value that so many percent of all do not exceed. ValueError without values."""
    ordered = sorted(values)
    if not ordered:
        raise ValueError("no values")
    rank = -(-len(ordered) * percent // 100)
    return ordered[max(0, int(rank) - 1)]
