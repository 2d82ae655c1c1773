"""Lets a question-and-answer generator of the engines room run over the channel, without ever waiting."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Generic, TypeVar

from tui.capture.frames import Reply
from tui.capture.orders import FetchOrder
from tui.capture.target import Target
from tui.engines.asking import Answer, Ask, Asking
from tui.engines.urls import Base

T = TypeVar("T")

_LATE = Answer(0, error="no whole answer in time", error_kind="timeout")


class Dialogue(Generic[T]):
    """One conversation with an engine. `done` becomes True once `result` stands; `hear` feeds it replies.

    rounds: how often it asked. longest_s: what the latest questions may take.
    """

    def __init__(
        self, asking: Asking[T], base: Base, target: Target, ask: Callable[[FetchOrder], None]
    ) -> None:
        self._asking = asking
        self._base = base
        self._target = target
        self._ask = ask
        self._open: dict[int, int] = {}
        self._answers: list[Answer] = []
        self._silent = False
        self.rounds = 0
        self.longest_s = 0.0
        self.done = False
        self.result: T | None = None

    def begin(self, next_id: Callable[[], int]) -> None:
        """Ask the first questions; ids of the fetches come from `next_id`."""
        self._next_id = next_id
        self._go_on(None)

    @property
    def waits(self) -> bool:
        """Questions are out."""
        return bool(self._open)

    def stop(self) -> None:
        """Ask nothing more; the answers to what was asked are still taken."""
        self._asking.close()

    def expire(self) -> None:
        """What is not answered yet counts as not answered in time; the conversation goes on without it."""
        if not self.done:
            self._open.clear()
            self._go_on(self._answers)

    def conclude(self) -> None:
        """The same, and nothing more is asked: afterwards it is done."""
        self._silent = True
        while not self.done:
            self.expire()

    def hear(self, reply: Reply) -> bool:
        """Take a reply that belongs here; False when it does not."""
        at = self._open.pop(reply.id, None)
        if at is None:
            return False
        headers = {name.lower(): value for name, value in reply.headers}
        self._answers[at] = Answer(
            reply.status, headers, reply.body, reply.took_ns, reply.error, reply.error_kind
        )
        if not self._open:
            self._go_on(self._answers)
        return True

    def _go_on(self, answers: list[Answer] | None) -> None:
        try:
            asks = next(self._asking) if answers is None else self._asking.send(answers)
            while not asks:
                asks = self._asking.send([])
        except StopIteration as stop:
            self.done, self.result = True, stop.value
            return
        self._answers = [_LATE] * len(asks)
        self.rounds += 1
        self.longest_s = max(ask.timeout_s for ask in asks)
        if self._silent:
            return
        for at, ask in enumerate(asks):
            order = self._order(ask)
            self._open[order.id] = at
            self._ask(order)

    def _order(self, ask: Ask) -> FetchOrder:
        headers = dict(self._base.headers) | self._target.headers()
        body = None
        if ask.body is not None:
            headers["Content-Type"] = "application/json"
            body = json.dumps(ask.body)
        return FetchOrder(
            self._next_id(),
            self._base.url(ask.path),
            ask.method,
            headers,
            body,
            ask.timeout_s,
            self._target.ca_file,
            self._target.insecure,
        )
