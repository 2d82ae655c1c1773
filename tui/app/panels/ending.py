"""What stands at the end of the lane when a request did not simply end: a sign, and a word or two."""

from __future__ import annotations

from tui.domain.events import ErrorKind, Failed
from tui.domain.view import Stage, View
from tui.plot.cells import clean
from tui.plot.marks import Ending

_FEW_WORDS = 20  # characters of a reason that may stand there
_ENDED = {
    ErrorKind.CONNECTION_FAILED: ("no connection", "no one"),
    ErrorKind.TIMED_OUT: ("time limit", "limit"),
    ErrorKind.RATE_LIMITED: ("rate limited", "limited"),
    ErrorKind.SERVER_BUSY: ("engine busy", "busy"),
}


def ending(view: View) -> Ending | None:
    """None while it runs and where it simply ended."""
    if view.stage is Stage.CANCELLED:
        return Ending(False, ("stopped",))
    if view.failure is not None and not view.running:
        return Ending(True, _ENDED.get(view.failure.kind, _lost(view.failure)))
    return None


def _lost(failure: Failed) -> tuple[str, ...]:
    """A connection may be lost because the engine closed it, or because we gave up and say why."""
    if failure.kind is ErrorKind.CONNECTION_LOST:
        if failure.message.startswith("the engine closed"):
            return "connection closed", "closed"
        if len(failure.message) <= _FEW_WORDS:
            return clean(failure.message), "failed"
    return ("failed",)
