"""What the machine's readings say about the request on the screen, worked out anew only now and then."""

from __future__ import annotations

from tui.domain.insight import Insight, insight
from tui.domain.view import View

_EVERY_NS = 500_000_000


class Insights:
    """The insight into the newest request: twice a second while it runs, and when more was read after it."""

    def __init__(self) -> None:
        self._run: object = None
        self._key: object = None
        self._told: Insight | None = None

    def follow(self, run: int, view: View) -> Insight | None:
        """The insight into `view`, request number `run`; None while nothing was read during one."""
        if not view.samples or not view.phases:
            self._run = self._key = self._told = None
            return None
        at_ns = view.now_ns if view.running else view.samples[-1].at_ns
        key = run, view.stage, view.complete, at_ns // _EVERY_NS
        if key != self._key:
            self._told = insight(view, self._told if run == self._run else None)
            self._run, self._key = run, key
        return self._told
