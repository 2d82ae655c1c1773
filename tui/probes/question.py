"""One value of a card that is asked for repeatedly; remembers what is not there and what is slow."""

from __future__ import annotations

import errno
from collections.abc import Callable, Iterable
from typing import Any, Generic, TypeVar

from tui.probes.kept import why

T = TypeVar("T")

MS = 1_000_000
SECOND = 1000 * MS
# Such an error holds for good: the file is not there, not for us, or the driver can't tell.
FOR_GOOD = frozenset({errno.ENOENT, errno.EACCES, errno.EOPNOTSUPP, errno.ENOSYS, errno.ENOTDIR, errno.ENXIO})
# A mean duration above the first puts at least the second between two questions.
SLOW = ((500 * MS, 30 * SECOND), (50 * MS, 5 * SECOND), (5 * MS, SECOND))
LONGEST_BACKOFF = 30 * SECOND


class Question(Generic[T]):
    """`absent` is why there will never be a value; `answer` is the last one with the time it was read."""

    def __init__(self, ask: Callable[[], T | None], every_ns: int = 0, edge: bool = False) -> None:
        """`ask` raises OSError or ValueError when there is no value. `edge`: a counter, wanted at edges."""
        self._ask, self._every_ns, self._edge = ask, every_ns, edge
        self._next_ns = 0
        self._backoff_ns = 0
        self.mean_ns = 0.0
        self.answer: tuple[T, int] | None = None
        self.absent = ""

    @property
    def value(self) -> T | None:
        """The last value."""
        return self.answer[0] if self.answer else None

    def refresh(self, clock: Callable[[], int], edge: bool = False) -> None:
        """Ask when it is time, or at an edge. A failure that may pass leaves the last value standing."""
        start_ns = clock()
        wanted = start_ns >= self._next_ns or (edge and self._edge and not self._backoff_ns)
        if self.absent or not wanted:
            return
        try:
            value = self._ask()
        except OSError as error:
            self._failed(error)
        except (ValueError, LookupError):  # an empty file, or one that reads otherwise than it should
            self._later()
        else:
            self._backoff_ns = 0
            if value is None:
                self.absent = "not told here"
            else:
                self.answer = (value, (start_ns + clock()) // 2)
        self._plan(clock(), clock() - start_ns)

    def _failed(self, error: OSError) -> None:
        if error.errno in FOR_GOOD:
            self.answer, self.absent = None, why(error)
        else:
            self._later()

    def _later(self) -> None:
        self._backoff_ns = min(max(2 * self._backoff_ns, SECOND), LONGEST_BACKOFF)

    def _plan(self, now_ns: int, took_ns: int) -> None:
        self.mean_ns = took_ns if not self.mean_ns else 0.8 * self.mean_ns + 0.2 * took_ns
        slow_ns = next((pause for limit, pause in SLOW if self.mean_ns > limit), 0)
        self._next_ns = now_ns + max(self._every_ns, slow_ns, self._backoff_ns)


def slow_note(questions: Iterable[Question[Any]]) -> str:
    """A remark when the slowest of them takes so long that it is asked less often, "" when none does."""
    slowest = max((question.mean_ns for question in questions), default=0)
    return f"driver is slow: {slowest / MS:.0f} ms per call" if slowest > SLOW[-1][0] else ""


class Slope:
    """The growth of a counter per second, over at least `window_ns`."""

    def __init__(self, window_ns: int = SECOND // 2) -> None:
        self._window_ns = window_ns
        self._base: tuple[float, int] | None = None
        self.per_s: float | None = None

    def add(self, answer: tuple[float, int] | None) -> float | None:
        """The slope after one more value of the counter; None until there is one, and after a reset."""
        if answer is None:
            return self.per_s
        if self._base is None or answer[0] < self._base[0]:
            self._base, self.per_s = answer, None
        elif answer[1] - self._base[1] >= self._window_ns:
            span_ns = answer[1] - self._base[1]
            asleep = span_ns > 5 * SECOND + self._window_ns  # the machine or the source stood still
            self.per_s = None if asleep else (answer[0] - self._base[0]) * SECOND / span_ns
            self._base = answer
        return self.per_s
