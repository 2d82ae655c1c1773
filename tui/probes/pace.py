"""How often a value is asked for: less often where the answer takes long, later and later where it fails."""

from __future__ import annotations

MS = 1_000_000
SECOND = 1000 * MS
# A mean duration above the first puts at least the second between two questions.
SLOW = ((500 * MS, 30 * SECOND), (50 * MS, 5 * SECOND), (5 * MS, SECOND))
LONGEST_BACKOFF = 30 * SECOND


class Pace:
    """`mean_ns`: how long an answer takes. `interval_ns`: between two questions, as fast as the source is."""

    def __init__(self, every_ns: int, edge: bool) -> None:
        """`edge`: a counter, wanted at the edges of phases too."""
        self._edge = edge
        self._next_ns = 0
        self._backoff_ns = 0
        self.interval_ns = every_ns
        self.mean_ns = 0.0

    def due(self, now_ns: int, edge: bool) -> bool:
        """It is time, or an edge; a source that fails is left alone at edges."""
        return now_ns >= self._next_ns or (edge and self._edge and not self._backoff_ns)

    def answered(self) -> None:
        self._backoff_ns = 0

    def failed(self) -> None:
        """It gave no answer this time: wait longer than before."""
        self._backoff_ns = min(max(2 * self._backoff_ns, SECOND), LONGEST_BACKOFF)

    def plan(self, start_ns: int, now_ns: int, every_ns: int) -> None:
        """When the next question comes, after one that lasted from `start_ns` to `now_ns`."""
        took_ns = now_ns - start_ns
        self.mean_ns = took_ns if not self.mean_ns else 0.8 * self.mean_ns + 0.2 * took_ns
        slow_ns = next((pause for limit, pause in SLOW if self.mean_ns > limit), 0)
        self.interval_ns = max(every_ns, slow_ns)
        self._next_ns = now_ns + max(self.interval_ns, self._backoff_ns)
