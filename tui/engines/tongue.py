"""What a decoder asks of an engine: the meaning of its messages."""

from __future__ import annotations

from abc import ABC, abstractmethod

from tui.domain.events import Dialect, Event
from tui.domain.wire import Poll
from tui.engines.shapes import Object


class Tongue(ABC):
    """What one engine's messages mean. Holds the state of one run; no sockets, no clock.

    json_lines: a body that begins with `{` is a stream of records, not one whole reply.
    errors_end: nothing that counts comes after an error told in the stream.
    """

    dialect: Dialect
    json_lines = False
    errors_end = True

    @abstractmethod
    def message(self, at_ns: int, body: Object, event: str) -> list[Event]:
        """The events of one message of the stream; `event` is the event-stream's name for it."""

    def begin(self, fields: Object) -> list[Event]:
        """The run's first line: what was asked, and of whom."""
        return []

    def head(self, at_ns: int, headers: Object) -> list[Event]:
        """The response head of a reply with status 200; names in lower case."""
        return []

    def comment(self, at_ns: int, words: str) -> list[Event]:
        """A comment line of the event stream, without its colon; mostly a sign of life."""
        return []

    def whole(self, at_ns: int, body: Object) -> list[Event]:
        """The events of a reply that was not streamed; none when it is no chat answer."""
        return []

    def poll(self, poll: Poll) -> list[Event]:
        """The events of a side observation that was answered with 200, before, during or after the stream.

        After the end of the stream only `Timings` and `Learned` still count.
        """
        return []
