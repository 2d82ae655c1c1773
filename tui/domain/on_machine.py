"""What the machine's readings tell about one stretch of an answer: what stood in the way, and what it did."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence

from tui.domain.facts import Fact, Quantity, Role, Words
from tui.domain.flow import GAP_NS, SECOND_NS, grown
from tui.domain.machine import Reading
from tui.domain.machine_at import machine_at
from tui.domain.moments import Moment
from tui.domain.spans import Span
from tui.domain.values import Provenance
from tui.domain.view import View

_READINGS = "readings of the machine"
_DISK_FLOOR = 8_000_000  # bytes that a server reads in passing
_DISK_S = 50_000_000  # bytes/s from which reading is what it does
_SWAP_FLOOR = 1_000_000
_STALLED = 0.2  # of the time
_RAN = 0.25  # of the time: a server that answers keeps at least one core busy
_WAITS_PCT = 50.0  # a GPU below it was not what the answer waited for
_QUIET = frozenset({"info"})


def on_machine(view: View, span: Span, marks: Sequence[Moment], slow: bool) -> Iterator[Fact]:
    """Facts from the readings around the span; nothing when the server works on another machine."""
    readings = view.samples
    if not readings or readings[-1].remote:
        return
    yield from _marked(span, marks)
    around = _around(readings, span)
    if around is not None:
        yield from _counted(*around)
        yield from _idle(*around, slow=slow)
    middle = machine_at(readings, span.middle_ns)
    if middle.gpu_pct is not None:
        idle = slow and middle.gpu_pct < _WAITS_PCT
        words: Words = ("the GPU was at ", Quantity(middle.gpu_pct, "%"), ": it waited too" if idle else "")
        yield Fact(words, "its driver, an average over up to a second", Provenance.MEASURED)
    if middle.cpu_pct is not None:
        words = ("the CPU was at ", Quantity(middle.cpu_pct, "%"), " halfway through" if slow else "")
        yield Fact(words, f"{_READINGS}, between two of them", Provenance.MEASURED)


def _marked(span: Span, marks: Sequence[Moment]) -> Iterator[Fact]:
    """Paging, throttling and their like, where they overlap the span."""
    for mark in marks:
        if mark.start_ns <= span.end_ns and mark.end_ns >= span.start_ns:
            what = {"memory": "memory", "gpu": "the GPU", "heat": "the machine"}.get(mark.source, "a GPU")
            why = f" ({mark.why})" if mark.why else ""
            role = Role.SEEN if mark.level in _QUIET else Role.CAUSE
            yield Fact((f"{what}: {mark.word}{why}",), _READINGS, Provenance.MEASURED, role)


def _around(readings: Sequence[Reading], span: Span) -> tuple[Reading, Reading] | None:
    """The last reading before the span and the first one after it; None when they are too far apart."""
    before = bisect_right(readings, span.start_ns, key=lambda reading: reading.at_ns) - 1
    after = bisect_left(readings, span.end_ns, key=lambda reading: reading.at_ns)
    if before < 0 or after >= len(readings):
        return None
    one, other = readings[before], readings[after]
    apart_ns = other.at_ns - one.at_ns
    return (one, other) if 0 < apart_ns <= span.duration_ns + GAP_NS else None


def _counted(before: Reading, after: Reading) -> Iterator[Fact]:
    """What counters grew by from just before the span until just after it."""
    seconds = (after.at_ns - before.at_ns) / SECOND_NS
    within: Words = (" within ", Quantity(after.at_ns - before.at_ns, "ns"))
    old, new = before.server, after.server
    same = old is not None and new is not None and old.pid == new.pid
    own = grown(old.read_bytes, new.read_bytes) if old and new and same else None
    read = grown(before.disk_read_bytes, after.disk_read_bytes) if own is None else own
    if read is not None and read >= _DISK_FLOOR:
        role = Role.CAUSE if read >= _DISK_S * seconds else Role.SEEN
        who = "of the server" if own is not None else "of the whole machine"
        words: Words = (Quantity(read, "B"), " were read from disk", *within)
        yield Fact(words, f"counters {who}", Provenance.MEASURED, role)
    yield from _memory(before, after, seconds, within)


def _idle(before: Reading, after: Reading, slow: bool) -> Iterator[Fact]:
    """A server without a GPU that hardly ran: whatever held it up, it was not at work."""
    old, new = before.server, after.server
    if not slow or before.gpus or old is None or new is None or old.pid != new.pid:
        return
    ran = grown(old.cpu_s, new.cpu_s)
    span_ns = after.at_ns - before.at_ns
    if ran is not None and ran * SECOND_NS < _RAN * span_ns:
        words: Words = (
            "the server ran for only ",
            Quantity(ran * SECOND_NS, "ns"),
            " of ",
            Quantity(span_ns, "ns"),
            ": it stood still or waited for something",
        )
        yield Fact(words, "CPU time of its process", Provenance.MEASURED, Role.PLACE)


def _memory(before: Reading, after: Reading, seconds: float, within: Words) -> Iterator[Fact]:
    swapped = grown(before.swap_in_bytes, after.swap_in_bytes)
    if swapped is not None and swapped >= _SWAP_FLOOR:
        words: Words = (Quantity(swapped, "B"), " came back from swap", *within)
        yield Fact(words, "counters of the whole machine", Provenance.MEASURED, Role.CAUSE)
    stalled_us = grown(before.stall_some_us, after.stall_some_us)
    if stalled_us is not None and stalled_us >= _STALLED * seconds * 1e6:
        words = ("programs stood still for memory during ", Quantity(stalled_us * 1000, "ns"), *within)
        yield Fact(words, "the kernel's pressure counters", Provenance.MEASURED, Role.CAUSE)
