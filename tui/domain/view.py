"""The View: everything a screen or a report may show about one request, frozen."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum

from tui.domain.arrivals import Arrivals, Stall
from tui.domain.events import Failed, SlotsSeen
from tui.domain.hitches import Hitches
from tui.domain.machine import Reading
from tui.domain.phases import Phase
from tui.domain.prefill import Forecast, Report
from tui.domain.rivals import Rival
from tui.domain.text import NO_TEXT, Snapshot
from tui.domain.values import Value, absent

_NO_TIME = absent("s", "nothing was sent yet")
_NO_RATE = absent("tok/s", "nothing was sent yet")


class Stage(Enum):
    """What the request does right now."""

    EMPTY = "empty"
    CONNECTING = "connecting"
    WAITING = "waiting"
    PREFILL = "prefill"
    DECODING = "decoding"
    STALLED = "stalled"
    FINISHED = "finished"
    CANCELLED = "cancelled"
    FAILED = "failed"

    @property
    def running(self) -> bool:
        return self in (Stage.CONNECTING, Stage.WAITING, Stage.PREFILL, Stage.DECODING, Stage.STALLED)


@dataclass(frozen=True, slots=True)
class GapStats:
    """Gaps between reads with text, ns: exact percentiles of all `n` gaps. `usual`: median of the latest."""

    n: int = 0
    p50_ns: float | None = None
    p95_ns: int | None = None
    max_ns: int | None = None
    usual_ns: int | None = None


@dataclass(frozen=True, slots=True)
class Clock:
    """Where the stamps come from (kernel, recv, replay), the instrument's own delay, the merged share.

    late: this machine read so late that it shows in the gaps, None when that can't be told; why: evidence.
    """

    source: str = "replay"
    p50_ns: int | None = None
    p99_ns: int | None = None
    max_ns: int | None = None
    merged_share: float | None = None
    late: bool | None = None
    why: str = ""


@dataclass(frozen=True, slots=True)
class Track:
    """Arrivals as they were at one moment: the first `reads` entries of growing columns."""

    columns: Arrivals
    reads: int

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Track) and self.columns is other.columns and self.reads == other.reads

    __hash__ = None  # type: ignore[assignment]


@dataclass(frozen=True, slots=True)
class Tool:
    name: str
    arguments: str


@dataclass(frozen=True, slots=True)
class View:
    """One request at one moment. Times in ns since sent; counts in tokens unless named otherwise."""

    stage: Stage = Stage.EMPTY
    now_ns: int = 0
    total_ns: int | None = None  # end of the body, once over
    conditions: Mapping[str, object] = field(default_factory=dict)
    phases: tuple[Phase, ...] = ()
    told_ns: Mapping[str, int] = field(default_factory=dict)  # durations by the engine's own word, by phase
    since_sent: Value = _NO_TIME
    ttft: Value = _NO_TIME
    first_answer: Value = _NO_TIME
    last_token: Value = _NO_TIME
    prefill: Value = _NO_RATE  # the engine's, over the whole prompt
    prefill_now: Value = _NO_RATE  # between the latest two reports
    decode: Value = _NO_RATE  # whole answer, our clock
    decode_now: Value = _NO_RATE  # last second
    decode_run: Value = _NO_RATE  # since the first token
    decode_engine: Value = _NO_RATE
    prompt_tokens: int | None = None
    cached_tokens: int | None = None
    processed_tokens: int | None = None  # prompt tokens really computed, by the engine's final word
    tokens: int | None = None
    accepted_tokens: int | None = None  # of them, guessed ahead and taken without a pass of their own
    reasoning_tokens: int | None = None
    chunks: int = 0
    reports: tuple[Report, ...] = ()
    prefill_start_ns: int | None = None
    read_now: int = 0  # prompt tokens read by now, reused ones included, interpolated after the last report
    forecast: Forecast | None = None
    track: Track = field(default_factory=lambda: Track(Arrivals(), 0))
    gaps: GapStats = GapStats()
    stalls: tuple[Stall, ...] = ()
    open_stall: Stall | None = None
    answer: Snapshot = NO_TEXT
    reasoning: Snapshot = NO_TEXT
    tools: tuple[Tool, ...] = ()
    finish_reason: str | None = None
    complete: bool = False
    failure: Failed | None = None
    warnings: Mapping[str, str] = field(default_factory=dict)
    clock: Clock = Clock()
    samples: Sequence[Reading] = ()
    slots_busy: bool = False
    slots: Sequence[SlotsSeen] = ()  # how busy the engine said it was, by time
    hitches: Hitches = field(default_factory=Hitches)
    rivals: tuple[Rival, ...] = ()  # background requests, by number

    @property
    def running(self) -> bool:
        return self.stage.running

    def phase(self, name: str) -> Phase | None:
        """The phase of that name, if it happened."""
        return next((p for p in self.phases if p.name == name), None)
