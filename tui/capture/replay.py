"""Plays a recording again, record by record on a clock that is handed in."""

from __future__ import annotations

from itertools import accumulate

from tui.capture.recording import Recording
from tui.domain.wire import Meta, Note, Record


class Player:
    """A virtual clock over a recording; real time (`now_ns`, monotonic) is always handed in.

    It starts playing at `now_ns`, at the moment the request began to connect (or was sent, when the
    connection stood before).
    """

    def __init__(self, recording: Recording, speed: float = 1.0, now_ns: int = 0) -> None:
        self._records = recording.records
        # A sample may stand a little after a read that came later: nothing is due before its forerunner.
        self._due_ns = list(accumulate(map(_at_ns, self._records), max))
        self._next = 0
        self._anchor_ns = now_ns
        self._anchor_position_ns = _start_ns(self._records)
        self.speed = speed
        self.playing = True

    @property
    def end_ns(self) -> int:
        """The position of the last record."""
        return self._due_ns[-1]

    @property
    def finished(self) -> bool:
        """Every record was handed out."""
        return self._next == len(self._records)

    def position_ns(self, now_ns: int) -> int:
        """Where the playing is, in nanoseconds after "sent"; stops at the end."""
        if not self.playing:
            return self._anchor_position_ns
        elapsed_ns = int((now_ns - self._anchor_ns) * self.speed)
        return min(self._anchor_position_ns + elapsed_ns, self.end_ns)

    def at(self, now_ns: int) -> list[Record]:
        """The records that became due since the last call, in order."""
        position_ns = self.position_ns(now_ns)
        first = self._next
        while self._next < len(self._records) and self._due_ns[self._next] <= position_ns:
            self._next += 1
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

    def seek(self, now_ns: int, position_ns: int) -> list[Record]:
        """Jump; returns every record from the beginning up to there, to be reduced from a fresh state."""
        self._anchor_ns = now_ns
        self._anchor_position_ns = max(_start_ns(self._records), min(position_ns, self.end_ns))
        self._next = 0
        return self.at(now_ns)

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
