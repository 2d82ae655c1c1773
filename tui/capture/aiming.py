"""Finding out what answers at an address, and which engines listen on this machine."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from urllib.parse import urlsplit

from tui.capture.dialogue import Dialogue
from tui.capture.frames import Reply
from tui.capture.orders import FetchOrder
from tui.capture.patience import Patience
from tui.capture.target import Target
from tui.engines.detect import Found, Nothing, detect
from tui.engines.urls import BadUrl, Base, normalised

LOOK_NS = 220_000_000  # all usual ports together; who waits looks a little later
GRACE_NS = 250_000_000  # the reader gives up first, where it can
START_NS = 3_000_000_000  # it may still be starting


class Aim:
    """One look at one address. Afterwards either `found` or `problem` (one line) stands.

    heard: the reader has answered before. chosen: the person named the address. slow: something is there
    that did not answer in time.
    """

    def __init__(
        self,
        target: Target,
        ask: Callable[[FetchOrder], None],
        next_id: Callable[[], int],
        now_ns: int,
        heard: bool = True,
        chosen: bool = True,
    ) -> None:
        self.target = target
        self.found: Found | None = None
        self.problem = ""
        self.slow = False
        self._talk: Dialogue[Found | Nothing] | None = None
        try:
            base = normalised(target.url)
        except BadUrl as error:
            self.problem = str(error)
            return
        self._talk = Dialogue(detect(base, target.model, chosen), base, target, ask)
        self._talk.begin(next_id)
        self._wait(now_ns, 0 if heard else START_NS)
        self._look()

    @property
    def done(self) -> bool:
        return self._talk is None

    def hear(self, reply: Reply, now_ns: int) -> bool:
        if self._talk is None:
            return False
        before = self._talk.rounds
        if not self._talk.hear(reply):
            return False
        if self._talk.rounds != before:
            self._wait(now_ns)
        self._look()
        return True

    def tick(self, now_ns: int) -> bool:
        """What is asked for too long is waited for no more; True when that ended something."""
        if self._talk is None or not self._patience.spent(now_ns):
            return False
        self._talk.expire()
        self._wait(now_ns)
        self._look()
        return True

    def conclude(self) -> None:
        """Judge by what was heard so far. What could be anything then counts as not heard at all."""
        if self._talk is not None:
            self._talk.conclude()
            self._look()
            self.slow = self.found is None or self.found.engine == "openai"
            self.found = None if self.slow else self.found

    def _wait(self, now_ns: int, more_ns: int = 0) -> None:
        longest_s = self._talk.longest_s if self._talk is not None else 0
        self._patience = Patience(round(longest_s * 1e9) + GRACE_NS + more_ns, now_ns)

    def _look(self) -> None:
        if self._talk is not None and self._talk.done:
            match self._talk.result:
                case Found() as found:
                    self.found = found
                case Nothing(reason=reason, slow=slow):
                    self.problem, self.slow = reason, slow
                case None:
                    pass
            self._talk = None


class Discovery:
    """Several addresses at once, none of them for longer than all; complete when `done`."""

    def __init__(
        self,
        bases: Sequence[Base],
        ask: Callable[[FetchOrder], None],
        next_id: Callable[[], int],
        now_ns: int,
        heard: bool = True,
    ) -> None:
        """`heard`: the reader has answered before. Else the time runs from its first answer on."""
        self._aims = [Aim(Target(base.root), ask, next_id, now_ns, heard, chosen=False) for base in bases]
        self._patience = Patience(LOOK_NS + (0 if heard else START_NS), now_ns)

    @property
    def done(self) -> bool:
        return all(aim.done for aim in self._aims)

    @property
    def found(self) -> tuple[Found, ...]:
        return tuple(aim.found for aim in self._aims if aim.found is not None)

    @property
    def slow(self) -> tuple[str, ...]:
        """Addresses where something is that did not answer in time."""
        return tuple(urlsplit(aim.target.url).netloc for aim in self._aims if aim.slow)

    def hear(self, reply: Reply, now_ns: int) -> bool:
        if not any(aim.hear(reply, now_ns) for aim in self._aims):
            return False
        self._patience.shorten(LOOK_NS)
        return True

    def tick(self, now_ns: int) -> bool:
        """True when the time was over and the rest was given up."""
        if self.done or not self._patience.spent(now_ns):
            return False
        for aim in self._aims:
            aim.conclude()
        return True
