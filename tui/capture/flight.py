"""One request on the wire: its run, its records so far, and the clock that "sent" started."""

from __future__ import annotations

from collections.abc import Iterable

from tui.capture.live import Live
from tui.capture.orders import CancelOrder
from tui.capture.target import Run
from tui.domain.view import View
from tui.domain.wire import End, Record
from tui.engines.decoder import USAGE_WAIT_NS

LINGER_DONE_NS = 1_000_000_000  # after the end mark the server has this long to close


class Flight:
    """`run_id` is the id of its stream in the child. `given_up` once it was cancelled by us."""

    def __init__(self, run: Run, run_id: int) -> None:
        self.run = run
        self.run_id = run_id
        self.zero_ns: int | None = None
        self.given_up = False
        self._live = Live()
        self._dropped = False

    @property
    def running(self) -> bool:
        """The request is not over and still wanted."""
        return not (self.given_up or self._live.state.over or self._live.ended)

    @property
    def ended(self) -> bool:
        """Nothing more will come; the recording is whole."""
        return self._live.ended

    @property
    def reached(self) -> str:
        """How far it came, in one word that changes at the edges between phases."""
        state = self._live.state
        if state.terminal:
            return "end"
        return "decode" if state.first_ns is not None else "head" if state.head_ns is not None else ""

    def feed(self, records: Iterable[Record]) -> None:
        self._live.feed(records)

    def lose(self, why: str, clock_ns: int) -> None:
        """Nothing more will come, because whoever read it is gone."""
        self.feed((End(0 if self.zero_ns is None else clock_ns - self.zero_ns, "error", why),))

    def view(self, clock_ns: int) -> View:
        """The View at `clock_ns` on the monotonic clock."""
        counting = self.zero_ns is not None and not self._live.state.over
        return self._live.view(clock_ns - self.zero_ns if counting and self.zero_ns is not None else None)

    def raw(self) -> list[str]:
        return self._live.raw()

    def overtime(self, clock_ns: int) -> CancelOrder | None:
        """An order to close, once, when the server keeps the connection open after its last word.

        That is its end mark, a failure that it told, or its finish reason.
        """
        state = self._live.state
        if self._dropped or self._live.ended or self.zero_ns is None:
            return None
        said, limit = state.done_ns, LINGER_DONE_NS
        if said is None and state.failure is not None:
            said = state.failure.at_ns
        if said is None:
            said, limit = state.finish_ns, USAGE_WAIT_NS
        if said is None or clock_ns - self.zero_ns - said <= limit:
            return None
        self._dropped = True
        return CancelOrder(self.run_id, "hang")
