"""Plays a recording again, record by record on a clock that is handed in."""

from __future__ import annotations

from bisect import bisect_right
from itertools import accumulate

from tui.capture.recording import Recording
from tui.domain.wire import Meta, Note, Record


class Player:
    """A virtual clock over a recording; real time (`now_ns`, monotonic) is always handed in.

    It starts playing at `now_ns`, at the moment the request began to connect (or was sent, when the
    connection stood before). `stop_ns`: a position that it does not pass, None for none.
    """

    def __init__(self, recording: Recording, speed: float = 1.0, now_ns: int = 0) -> None:
        self._records = recording.records
        # A sample may stand a little after a read that came later: nothing is due before its forerunner.
        self.due_ns = list(accumulate(map(_at_ns, self._records), max))
        self._next = 0
        self.start_ns = _start_ns(self._records)
        self._anchor_ns = now_ns
        self._anchor_position_ns = self.start_ns
        self.stop_ns: int | None = None
        self.speed = speed
        self.playing = True

    @property
    def end_ns(self) -> int:
        """The position of the last record."""
        return self.due_ns[-1]

    @property
    def finished(self) -> bool:
        """Every record was handed out."""
        return self._next == len(self._records)

    def position_ns(self, now_ns: int) -> int:
        """Where the playing is, in nanoseconds after "sent"; stops at the end, and at `stop_ns`."""
        if not self.playing:
            return self._anchor_position_ns
        position_ns = self._anchor_position_ns + int((now_ns - self._anchor_ns) * self.speed)
        last_ns = self.end_ns if self.stop_ns is None else min(self.stop_ns, self.end_ns)
        return min(position_ns, max(last_ns, self._anchor_position_ns))

    def start(self, now_ns: int) -> None:
        """It begins now, whatever was done since it was made."""
        self._anchor_ns = now_ns

    def at(self, now_ns: int) -> list[Record]:
        """The records that became due since the last call, in order."""
        first, self._next = self._next, max(self._next, self._due(self.position_ns(now_ns)))
        return list(self._records[first : self._next])

    def play(self, now_ns: int) -> None:
        """Go on."""
        self._set_anchor(now_ns)
        self.playing = True

    def pause(self, now_ns: int) -> None:
        """Stand still."""
        self._set_anchor(now_ns)
        self.playing = False

    def set_speed(self, now_ns: int, speed: float) -> None:
        """From now on this many times as fast as it happened."""
        self._set_anchor(now_ns)
        self.speed = speed

    def seek(self, now_ns: int, position_ns: int) -> int:
        """Jump; returns how many records, from the first one on, were due by then."""
        self._anchor_ns = now_ns
        self._anchor_position_ns = max(self.start_ns, min(position_ns, self.end_ns))
        self._next = self._due(self._anchor_position_ns)
        return self._next

    def _due(self, position_ns: int) -> int:
        return bisect_right(self.due_ns, position_ns)

    def _set_anchor(self, now_ns: int) -> None:
        self._anchor_position_ns = self.position_ns(now_ns)
        self._anchor_ns = now_ns


def _at_ns(record: Record) -> int:
    return -(1 << 62) if isinstance(record, Meta) else record.at_ns


def _start_ns(records: tuple[Record, ...]) -> int:
    notes = {record.name: record for record in records if isinstance(record, Note)}
    connecting, connected = notes.get("connecting"), notes.get("connected")
    if connecting is None or (connected is not None and connected.fields.get("warm")):
        return 0
    return min(0, connecting.at_ns)
