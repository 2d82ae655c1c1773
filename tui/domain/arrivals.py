"""When tokens arrived: one entry per read that carried generated text, in growing columns.

A read is what one `recv` returned: everything in it arrived together, so gaps are between reads. A message
is not a token; token counts come from the engine or stay unknown.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left, insort
from collections import deque
from dataclasses import dataclass

from tui.domain.order import Ranked

STALL_FLOOR_NS = 250_000_000
STALL_FACTOR = 5
_MOST = 1 << 32  # no stream has so many tokens; such a count is a fault of the engine
_WINDOW = 63  # gaps that the running median looks back on
_BLOCK = 32  # gaps of which the largest is kept, so that a long stretch need not be looked through


@dataclass(frozen=True, slots=True)
class Stall:
    """A hole in the stream: from the read at `start_ns` to the late one at `end_ns`, which brought
    token `at_token`.

    While it lasts `end_ns` is now and `at_token` the number of the token that is waited for. `at_token` is a
    token number where the engine counts, else the number of the message (`counted` False).
    """

    start_ns: int
    end_ns: int
    at_token: int
    counted: bool

    @property
    def gap_ns(self) -> int:
        return self.end_ns - self.start_ns


class Arrivals:
    """Append-only columns; index i is the i-th read with generated text.

    at: arrival in ns · gap: since the read before (0 for the first) · messages: running number of
    messages with text · tokens: the engine's running count, 0 where it told none.
    """

    __slots__ = (
        "_peaks",
        "_recent",
        "_sorted",
        "at",
        "gap",
        "gaps",
        "messages",
        "stalls",
        "tokens",
    )

    def __init__(self) -> None:
        self.at = array("q")
        self.gap = array("q")
        self.messages = array("I")
        self.tokens = array("I")
        self._peaks = array("q")
        self.gaps = Ranked()
        self.stalls: list[Stall] = []
        self._recent: deque[int] = deque()
        self._sorted: list[int] = []  # the same in order

    def __len__(self) -> int:
        return len(self.at)

    def start(self, at_ns: int) -> None:
        """A new read brought generated text; its stamp never goes back behind the one before."""
        gap = messages = tokens = 0
        if self.at:
            gap = max(at_ns - self.at[-1], 0)
            at_ns = self.at[-1] + gap
            messages, tokens = self.messages[-1], self.tokens[-1]
            self._gap(gap, at_ns)
        self.at.append(at_ns)
        self.gap.append(gap)
        if len(self.gap) % _BLOCK == 1:
            self._peaks.append(gap)
        elif gap > self._peaks[-1]:
            self._peaks[-1] = gap
        self.messages.append(messages)
        self.tokens.append(tokens)

    def message(self, count: int | None) -> None:
        """The newest read held one more message; `count` is the engine's running token count."""
        self.messages[-1] += 1
        if count is not None and self.tokens[-1] < count < _MOST:
            self.tokens[-1] = count

    def _gap(self, gap: int, at_ns: int) -> None:
        if gap > STALL_FLOOR_NS and gap > self.stall_limit_ns():
            number, counted = self.next_number()
            self.stalls.append(Stall(self.at[-1], at_ns, number, counted))
        self.gaps.add(gap)
        recent, ranked = self._recent, self._sorted
        if len(recent) == _WINDOW:
            del ranked[bisect_left(ranked, recent.popleft())]
        recent.append(gap)
        insort(ranked, gap)

    def stall_limit_ns(self) -> float:
        """A gap longer than this is a stall: max(250 ms, 5 times the running median)."""
        middle = self._sorted[len(self._sorted) // 2] if self._sorted else 0
        return max(STALL_FLOOR_NS, STALL_FACTOR * middle)

    def usual_gap_ns(self) -> int | None:
        """The running median of the latest gaps, None before the first gap."""
        return self._sorted[len(self._sorted) // 2] if self._sorted else None

    def next_number(self) -> tuple[int, bool]:
        """(number of the token or message that comes next, whether the engine counts tokens)."""
        if self.tokens and self.tokens[-1]:
            return self.tokens[-1] + 1, True
        return (self.messages[-1] if self.messages else 0) + 1, False

    def open_stall(self, now_ns: int) -> Stall | None:
        """The stall that lasts right now, if the silence since the last read is one."""
        if not self.at or now_ns - self.at[-1] <= self.stall_limit_ns() or len(self.at) < 2:
            return None
        number, counted = self.next_number()
        return Stall(self.at[-1], now_ns, number, counted)

    def largest_gap(self, start: int, stop: int) -> int:
        """The largest gap that ends at a read in [start, stop), ns; 0 for the first read of all."""
        first, last = -(-start // _BLOCK), stop // _BLOCK  # whole blocks
        if last <= first:
            return max(self.gap[start:stop], default=0)
        before, behind = self.gap[start : first * _BLOCK], self.gap[last * _BLOCK : stop]
        return max((*before, *behind, *self._peaks[first:last]), default=0)
