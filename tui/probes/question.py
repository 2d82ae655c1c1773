"""One value of a card that is asked for repeatedly; remembers what is not there and keeps its pace."""

from __future__ import annotations

import errno
from collections.abc import Callable, Iterable
from typing import Any, Generic, TypeVar

from tui.probes.kept import why
from tui.probes.pace import MS, SECOND, SLOW, Pace

T = TypeVar("T")

# Such an error holds for good: the file is not there, not for us, or the driver can't tell.
FOR_GOOD = frozenset({errno.ENOENT, errno.EACCES, errno.EOPNOTSUPP, errno.ENOSYS, errno.ENOTDIR, errno.ENXIO})


class Question(Generic[T]):
    """`absent` is why there will never be a value; `answer` is the last one with the time it was read."""

    def __init__(self, ask: Callable[[], T | None], every_ns: int = 0, edge: bool = False) -> None:
        """`ask` raises OSError or ValueError when there is no value. `edge`: a counter, wanted at edges."""
        self._ask, self._every_ns = ask, every_ns
        self.pace = Pace(every_ns, edge)
        self.answer: tuple[T, int] | None = None
        self.absent = ""

    @property
    def value(self) -> T | None:
        """The last value."""
        return self.answer[0] if self.answer else None

    def refresh(self, clock: Callable[[], int], edge: bool = False) -> None:
        """Ask when it is time, or at an edge. A failure that may pass leaves the last value standing."""
        start_ns = clock()
        if self.absent or not self.pace.due(start_ns, edge):
            return
        try:
            value = self._ask()
        except OSError as error:
            self._failed(error)
        except (ValueError, LookupError):  # an empty file, or one that reads otherwise than it should
            self.pace.failed()
        else:
            self.pace.answered()
            if value is None:
                self.absent = "not told here"
            else:
                self.answer = (value, (start_ns + clock()) // 2)
        self.pace.plan(start_ns, clock(), self._every_ns)

    def _failed(self, error: OSError) -> None:
        if error.errno in FOR_GOOD:
            self.answer, self.absent = None, why(error)
        else:
            self.pace.failed()


def slow_note(questions: Iterable[Question[Any]]) -> str:
    """A remark when the slowest of them takes so long that it is asked less often, "" when none does."""
    slowest = max((question.pace.mean_ns for question in questions), default=0)
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
