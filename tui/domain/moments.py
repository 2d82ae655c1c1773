"""Where on the time axis the machine stood in the way: swap-in, paging, heat, power cap, a lost GPU."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from tui.domain.gpu_use import working
from tui.domain.machine import Reading
from tui.domain.memory_words import LIMITS, Word
from tui.domain.phases import Phase
from tui.domain.pressure import Pressure, step
from tui.domain.throttle import MERGE_NS, REASONS, Throttle, throttle

SHOWN = (Word.COMPRESSING, Word.STALLED, Word.PAGING, Word.SWAPPING, Word.OOM_KILLED)
_LOST = "GPU lost"
_HOT = "hot"
_RANKS = [reason for _, reason in REASONS]


@dataclass(frozen=True, slots=True)
class Moment:
    """One stretch of one trouble, in the clock of the readings.

    `source`: "memory", "gpu" (runs below its clock), "lost", or "heat" of the whole machine. `why`: evidence.
    """

    start_ns: int
    end_ns: int
    word: str
    level: str
    source: str
    why: str = ""


@dataclass(frozen=True, slots=True)
class Moments:
    """`marks` by start, of the first `seen` readings, and what is needed to go on."""

    marks: tuple[Moment, ...] = ()
    seen: int = 0
    pressure: Pressure = field(default_factory=Pressure)
    first: Reading | None = None


def moments(readings: Sequence[Reading], decode: Phase | None, before: Moments | None = None) -> Moments:
    """All moments of `readings`; `decode` is when tokens were written.

    With `before`, what an earlier call made of the readings until then, only later ones are looked at.
    """
    before = before or Moments()
    if not _goes_on(before, readings):
        before = Moments()
    first = before.first or (readings[0] if readings else None)
    pressure = before.pressure
    latest = {(mark.source, mark.word): mark for mark in before.marks}
    done = [mark for mark in before.marks if latest[mark.source, mark.word] is not mark]
    for reading in readings[_new(before, readings) :]:
        writing = decode is not None and decode.start_ns <= reading.at_ns <= decode.end_ns
        pressure = step(pressure, reading, writing)
        for now in (*_memory(pressure, reading.at_ns), *_gpus(reading)):
            known = latest.get((now.source, now.word))
            if known is not None and now.start_ns - known.end_ns < MERGE_NS:
                now = _joined(known, now)  # noqa: PLW2901
            elif known is not None:
                done.append(known)
            latest[now.source, now.word] = now
    marks = sorted([*done, *latest.values()], key=lambda mark: mark.start_ns)
    return Moments(tuple(marks), len(readings), pressure, first)


def _goes_on(before: Moments, readings: Sequence[Reading]) -> bool:
    """Whether `readings` begin as those seen and reach as far: a long series is thinned out in between."""
    last = before.pressure.latest
    return (
        last is not None
        and bool(readings)
        and readings[0] is before.first
        and (readings[-1].at_ns >= last.at_ns)
    )


def _new(before: Moments, readings: Sequence[Reading]) -> int:
    """The place of the first reading that was not seen."""
    last, seen = before.pressure.latest, before.seen
    if last is None:
        return 0
    if seen <= len(readings) and readings[seen - 1] is last:
        return seen
    return bisect_right(readings, last.at_ns, key=lambda reading: reading.at_ns)


def _joined(known: Moment, now: Moment) -> Moment:
    """One stretch of two; its evidence is of the time when the rates had filled their window."""
    settled = known.end_ns - known.start_ns >= LIMITS.window_ns
    return replace(
        now,
        start_ns=min(known.start_ns, now.start_ns),
        end_ns=max(known.end_ns, now.end_ns),
        why=known.why if settled else now.why,
    )


def _memory(pressure: Pressure, at_ns: int) -> list[Moment]:
    found = [
        Moment(hold.since_ns, hold.last_ns, word.value, word.level, "memory", hold.why)
        for word, hold in pressure.holds.items()
        if word in SHOWN and hold.active and hold.since_ns is not None
    ]
    if pressure.word is Word.OOM_KILLED:
        start_ns = at_ns if pressure.kill_ns is None else pressure.kill_ns
        found.append(
            Moment(start_ns, at_ns, pressure.word.value, pressure.word.level, "memory", pressure.why)
        )
    return found


def _gpus(reading: Reading) -> list[Moment]:
    """The worst reason of all working GPUs, each lost GPU, and heat where the machine tells no more."""
    at_ns = reading.at_ns
    found = [
        Moment(at_ns, at_ns, _LOST, "crit", "lost", gpu.name)
        for gpu in reading.gpus
        if gpu.reason.startswith(_LOST)
    ]
    worst = _worst([gpu.throttle_mask for gpu in working(reading) if not gpu.reason])
    if worst is not None:
        found.append(Moment(at_ns, at_ns, worst.word, worst.level, "gpu"))
    if reading.thermal_level:
        level = "warn" if reading.thermal_level > 1 else "info"
        found.append(Moment(at_ns, at_ns, _HOT, level, "heat", f"thermal level {reading.thermal_level}"))
    return found


def _worst(masks: Sequence[int | None]) -> Throttle | None:
    found = [one for mask in masks if mask and (one := throttle(mask)) is not None]
    return min(found, key=_RANKS.index) if found else None
