"""What a decoder asks of an engine: the meaning of its messages."""

from __future__ import annotations

from typing import Protocol

from tui.domain.events import Dialect, Event
from tui.domain.wire import Poll
from tui.engines.shapes import Object


class Tongue(Protocol):
    """What one engine's messages mean. Holds the state of one run; no sockets, no clock."""

    dialect: Dialect
    json_lines: bool  # a body that begins with `{` is a stream of records, not one whole reply

    def message(self, at_ns: int, body: Object, event: str) -> list[Event]:
        """The events of one message of the stream; `event` is the event-stream's name for it."""
        ...

    def whole(self, at_ns: int, body: Object) -> list[Event]:
        """The events of a reply that was not streamed; none when it is no chat answer."""
        ...

    def poll(self, poll: Poll) -> list[Event]:
        """The events of a side observation that was answered with 200."""
        ...
