"""How long answers are waited for, by the clock of the one who waits."""

from __future__ import annotations

_STEP_NS = 110_000_000


class Patience:
    """A time that runs out while somebody looks.

    A pause of our own, such as a start or a screen that is drawn, costs one step of 110 ms at most: what came
    meanwhile is to be heard first.
    """

    def __init__(self, limit_ns: int, now_ns: int) -> None:
        self._left_ns = limit_ns
        self._last_ns = now_ns

    def spent(self, now_ns: int) -> bool:
        """It is `now_ns`; True once the time has run out."""
        self._left_ns -= min(_STEP_NS, max(0, now_ns - self._last_ns))
        self._last_ns = now_ns
        return self._left_ns <= 0

    def shorten(self, limit_ns: int) -> None:
        """No more than this is left."""
        self._left_ns = min(self._left_ns, limit_ns)
