"""All that is known about one request while it runs; grows by `reduce` alone."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from tui.domain.arrivals import Arrivals
from tui.domain.events import Dialect, Edge, Failed, SlotsSeen, Timings
from tui.domain.hitches import Hitches
from tui.domain.machine import Reading
from tui.domain.order import Ranked
from tui.domain.prefill import Report
from tui.domain.rivals import Rival
from tui.domain.text import Text
from tui.domain.values import finite

UNKNOWN = Dialect("unknown")


@dataclass(slots=True)
class ToolCall:
    """A tool call, joined from its pieces."""

    name: str = ""
    arguments: str = ""


@dataclass(slots=True)
class Instrument:
    """How well the stream was stamped: reads, those with a kernel stamp, merged ones, our own delay."""

    reads: int = 0
    kernel: int = 0
    timed: int = 0  # reads that tell when recv returned
    merged: int = 0  # reads that brought several text messages
    delay_ns: Ranked = field(default_factory=Ranked)
    late_ns: int | None = None  # of the newest read, when it is told


@dataclass(slots=True)
class State:
    """One request. Times in ns since sent; None = not yet or not told."""

    dialect: Dialect = UNKNOWN
    conditions: dict[str, object] = field(default_factory=dict)
    now_ns: int = 0
    connecting_ns: int | None = None
    connected_ns: int | None = None
    warm: bool = False
    sending: bool = False  # its first byte went out; a capture may tell no more before the reply
    sent: bool = False
    sent_all_ns: int | None = None
    head_ns: int | None = None
    status: int | None = None
    body_ns: int | None = None  # first read of the body
    reports: list[Report] = field(default_factory=list)
    edges: dict[tuple[str, bool], Edge] = field(default_factory=dict)  # by (phase, begins)
    first_ns: int | None = None  # first generated text
    sign_ns: int | None = None  # first sign of a first token
    answer_ns: int | None = None
    last_ns: int | None = None
    first_count: int = 0  # the running count that came with the first text, 0 for none; last_count likewise
    last_count: int = 0
    counted_chunks: int = 0  # text messages that had come when the engine last told a count
    chunks: int = 0
    lumped: int = 0  # text messages in reads that held five or more of them
    arrivals: Arrivals = field(default_factory=Arrivals)
    hitches: Hitches = field(default_factory=Hitches)
    read_open: bool = False  # the newest read has no text yet
    instrument: Instrument = field(default_factory=Instrument)
    answer: Text = field(default_factory=Text)
    reasoning: Text = field(default_factory=Text)
    tools: dict[int, ToolCall] = field(default_factory=dict)
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    cached_tokens: int | None = None
    reasoning_tokens: int | None = None
    timings: Timings | None = None
    anchor_ns: int | None = None
    tokenize_ns: int | None = None
    busy_ns: int | None = None  # latest moment at which all slots were seen working for others
    free_ns: int | None = None  # first moment after it at which one was seen free
    slots: list[SlotsSeen] = field(default_factory=list)
    finish_reason: str | None = None
    finish_ns: int | None = None
    done_ns: int | None = None
    failure: Failed | None = None
    warnings: dict[str, str] = field(default_factory=dict)
    end_ns: int | None = None
    ended: str = ""
    samples: list[Reading] = field(default_factory=list)
    rivals: dict[int, Rival] = field(default_factory=dict)  # background requests, by their number

    @property
    def terminal(self) -> bool:
        """A terminal signal was seen: a finish reason or the end mark."""
        return self.finish_reason is not None or self.done_ns is not None

    @property
    def over(self) -> bool:
        return self.end_ns is not None

    @property
    def under_way(self) -> bool:
        """It is being sent, or was; once it is over, only what is known to have gone out counts."""
        return self.sent or (self.sending and not self.over)


def learned(conditions: Mapping[str, object], key: str) -> int | None:
    """A whole number from the conditions, else None; one that nothing can measure is none."""
    value = conditions.get(key)
    return value if isinstance(value, int) and finite(value) is not None else None
