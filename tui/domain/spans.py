"""Stretches of an answer: from message to message, with the time they took and what came in them.

A read is what arrived at once. All messages of one read share its moment and its gap.
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass

from tui.domain.arrivals import Arrivals
from tui.domain.view import View


@dataclass(frozen=True, slots=True)
class Span:
    """Messages `first` to `last` (from 1), brought by the reads `begin` to `end` (indices, both inclusive).

    start_ns: the read before, from which the wait for the first of them counts (the send, for the first read
    of all). end_ns: the last read; now, while `open`: then no message has come yet and `last` is `first` - 1.
    tokens: by the engine's count, None where it told none. token: the last one's number.
    """

    first: int
    last: int
    begin: int
    end: int
    start_ns: int
    end_ns: int
    tokens: int | None = None
    token: int | None = None
    open: bool = False

    @property
    def duration_ns(self) -> int:
        return self.end_ns - self.start_ns

    @property
    def middle_ns(self) -> int:
        """The moment that tells about the machine: at its end the wait is over already."""
        return (self.start_ns + self.end_ns) // 2

    @property
    def messages(self) -> int:
        return self.last - self.first + 1

    @property
    def is_first(self) -> bool:
        """It begins with the first text of all, so its time is the time to the first token."""
        return self.begin == 0


def read_of(view: View, message: int) -> int | None:
    """The read (index) that brought message number `message`, None when none did yet."""
    columns, reads = view.track.columns, view.track.reads
    read = bisect_left(columns.messages, message, 0, reads)
    return read if message > 0 and read < reads else None


def messages_of(columns: Arrivals, read: int) -> range:
    """The numbers of the messages that a read brought."""
    return range((columns.messages[read - 1] if read else 0) + 1, columns.messages[read] + 1)


def span_of(view: View, first: int, last: int) -> Span | None:
    """The span from message `first` to `last`, in either order; None where one did not come."""
    first, last = sorted((first, last))
    begin, end = read_of(view, first), read_of(view, last)
    if begin is None or end is None:
        return None
    columns = view.track.columns
    before, told = (columns.tokens[begin - 1] if begin else 0), columns.tokens[end]
    return Span(
        first,
        last,
        begin,
        end,
        columns.at[begin - 1] if begin else 0,
        columns.at[end],
        told - before if told and (before or not begin) else None,
        told or None,
    )


def span_at(view: View, at_ns: int) -> Span | None:
    """What was waited for at a moment: the read that ended the silence, or the silence that still lasts.

    None before the first text and after the last one.
    """
    columns, reads = view.track.columns, view.track.reads
    read = bisect_left(columns.at, at_ns, 0, reads)
    if not reads or (read == 0 and at_ns < columns.at[0]):
        return None
    if read < reads:
        brought = messages_of(columns, read)
        return span_of(view, brought.start, brought.stop - 1)
    if view.open_stall is None:
        return None
    number = columns.messages[reads - 1] + 1
    told = columns.tokens[reads - 1] or None
    stall = view.open_stall
    return Span(number, number - 1, reads, reads, stall.start_ns, stall.end_ns, 0, told, open=True)


def message_at(view: View, at_ns: int) -> int | None:
    """The last message that had come by a moment, None before the first one."""
    columns, reads = view.track.columns, view.track.reads
    read = bisect_left(columns.at, at_ns + 1, 0, reads) - 1
    return columns.messages[read] if read >= 0 else None


def longest_wait(view: View, span: Span) -> int:
    """The read of the span (index) that was waited for longest."""
    gaps = view.track.columns.gap
    return max(range(span.begin, span.end + 1), key=lambda read: gaps[read])
