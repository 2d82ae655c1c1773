"""What the machine's readings say about the request on the screen, worked out anew only now and then."""

from __future__ import annotations

from tui.domain.insight import Insight, insight
from tui.domain.view import View

_EVERY_NS = 500_000_000
_AFTER = 4  # times _EVERY_NS: what is read later than this after the end belongs to no phase


class Insights:
    """The insight into the newest request: twice a second while it runs, and a few times after it, as the
    readings behind its end come in."""

    def __init__(self) -> None:
        self._run: object = None
        self._key: object = None
        self._told: Insight | None = None

    def follow(self, run: int, view: View) -> Insight | None:
        """The insight into `view`, request number `run`; None while nothing was read during one."""
        if not view.samples or not view.phases:
            self._run = self._key = self._told = None
            return None
        key = run, view.stage, view.complete, _beat(view)
        if key != self._key:
            self._told = insight(view, self._told if run == self._run else None)
            self._run, self._key = run, key
        return self._told


def _beat(view: View) -> int:
    last = view.samples[-1]
    if not view.running:
        return min(_AFTER, max(0, last.at_ns - (view.total_ns or view.now_ns)) // _EVERY_NS)
    return view.now_ns // _EVERY_NS
