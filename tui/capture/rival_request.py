"""One background request: what it brings is counted and dropped, its steps are told to the run beside it."""

from __future__ import annotations

from collections.abc import Callable

from tui.capture.cancel import Cancel
from tui.capture.frames import Item, Mark
from tui.domain.events import Done, Generated
from tui.domain.rivals import Step
from tui.domain.wire import End, Read, Record
from tui.engines.decoder import Decoder
from tui.engines.registry import decoder_for

# Once a rival writes, its reads are collected: each one would cost the run's own reader a turn.
PACE_S = 0.1


class RivalRequest:
    """Counts what one background request brings, and tells the run its steps."""

    def __init__(
        self, number: int, note: Callable[..., None], cancel: Cancel, sent: Callable[[], None]
    ) -> None:
        self.chunks = 0
        self._number = number
        self._note = note
        self._cancel = cancel
        self._sent = sent
        self._zero_ns = 0
        self._last_ns = 0
        self._decoder: Decoder | None = None

    def take(self, frame: Item | Mark) -> None:
        """What the reader hands on."""
        match frame:
            case Mark(name="sent", mono_ns=mono_ns):
                self._zero_ns = mono_ns
                self._tell("sent", 0)
                self._sent()
            case Item(record=record):
                self._record(record)

    def _record(self, record: Record) -> None:
        if self._decoder is None:
            self._decoder = decoder_for(getattr(record, "fields", {}))  # the first record is the Meta
        events = self._decoder.decode(record)
        texts = sum(isinstance(event, Generated) for event in events)
        if texts and isinstance(record, Read):
            if not self.chunks:
                self._tell("first", record.at_ns)
            self.chunks += texts
            self._last_ns = record.at_ns
        if isinstance(record, End):
            if self.chunks:
                self._tell("last", self._last_ns, chunks=self.chunks)
            self._tell("ended", record.at_ns, how=record.how)
        elif any(isinstance(event, Done) for event in events):
            self._cancel.set("hang")  # a server that keeps the connection open has nothing more to say
        elif texts:
            self._cancel.wait(PACE_S)

    def _tell(self, step: Step, at_ns: int, **more: object) -> None:
        self._note("rival", self._zero_ns + at_ns, rival=self._number, step=step, **more)
