"""One request on its way: its records go through the engine's decoder into the reducer, live or replayed."""

from __future__ import annotations

import copy
from collections import deque
from collections.abc import Iterable

from tui.domain.events import Tick
from tui.domain.look import look
from tui.domain.reduce import reduce
from tui.domain.state import State
from tui.domain.view import View
from tui.domain.wire import End, Meta, Read, Record
from tui.engines.decoder import Decoder
from tui.engines.registry import decoder_for

_RAW_READS = 400
_RAW_CHARS = 2000


class Live:
    """`feed` it records in order, `view` it at any time. `ended` once its last record came."""

    def __init__(self) -> None:
        self.state = State()
        self.ended = False
        self._decoder: Decoder | None = None
        self._raw: deque[bytes] = deque(maxlen=_RAW_READS)

    def feed(self, records: Iterable[Record]) -> None:
        """Reduce the records; the first one must be the Meta, which says whose dialect follows."""
        for record in records:
            if isinstance(record, Meta):
                self._decoder = decoder_for(record.fields)
            elif isinstance(record, Read):
                self._raw.append(record.data[:_RAW_CHARS])
            elif isinstance(record, End):
                self.ended = True
            if self._decoder is not None:
                for event in self._decoder.decode(record):
                    reduce(self.state, event)

    def view(self, now_ns: int | None = None) -> View:
        """The View at `now_ns` since sent (None: at the newest record)."""
        if now_ns is not None:
            reduce(self.state, Tick(now_ns))
        return look(self.state, now_ns)

    def copy(self) -> Live:
        """One that goes on for itself. Readings are frozen, and most of all there is: both share them."""
        shared = {id(reading): reading for reading in self.state.samples}
        return copy.deepcopy(self, shared)

    def raw(self) -> list[str]:
        """The newest reads as text, oldest first; for the page with the raw detail."""
        return [data.decode("utf-8", "replace") for data in self._raw]
