"""Finding out what answers at an address, and which engines listen on this machine."""

from __future__ import annotations

from collections.abc import Callable

from tui.capture.dialogue import Dialogue
from tui.capture.frames import Reply
from tui.capture.orders import FetchOrder
from tui.capture.target import Target
from tui.engines.detect import Found, Nothing, detect
from tui.engines.urls import BadUrl, local_bases, normalised


class Aim:
    """One look at one address. Afterwards either `found` or `problem` (one line) stands."""

    def __init__(self, target: Target, ask: Callable[[FetchOrder], None], next_id: Callable[[], int]) -> None:
        self.target = target
        self.found: Found | None = None
        self.problem = ""
        self._talk: Dialogue[Found | Nothing] | None = None
        try:
            base = normalised(target.url)
        except BadUrl as error:
            self.problem = str(error)
            return
        self._talk = Dialogue(detect(base, target.model), base, target, ask)
        self._talk.begin(next_id)
        self._look()

    @property
    def done(self) -> bool:
        return self._talk is None

    def hear(self, reply: Reply) -> bool:
        if self._talk is None or not self._talk.hear(reply):
            return False
        self._look()
        return True

    def _look(self) -> None:
        if self._talk is not None and self._talk.done:
            match self._talk.result:
                case Found() as found:
                    self.found = found
                case Nothing(reason=reason):
                    self.problem = reason
                case None:
                    pass
            self._talk = None


class Discovery:
    """All usual local ports at once; `found` is complete when `done`."""

    def __init__(self, ask: Callable[[FetchOrder], None], next_id: Callable[[], int]) -> None:
        self._aims = [Aim(Target(base.root), ask, next_id) for base in local_bases()]

    @property
    def done(self) -> bool:
        return all(aim.done for aim in self._aims)

    @property
    def found(self) -> tuple[Found, ...]:
        return tuple(aim.found for aim in self._aims if aim.found is not None)

    def hear(self, reply: Reply) -> bool:
        return any(aim.hear(reply) for aim in self._aims)
