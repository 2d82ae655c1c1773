"""Phases of one request: what one is, and the facts that say where each begins and ends."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from tui.domain.events import Dialect, Edge, Wait
from tui.domain.values import Provenance


@dataclass(frozen=True, slots=True)
class Phase:
    """One stretch of the request: [start_ns, end_ns) since it was sent, and who says so."""

    name: str
    start_ns: int
    end_ns: int
    provenance: Provenance
    source: str
    running: bool = False

    @property
    def duration_ns(self) -> int:
        return self.end_ns - self.start_ns


@dataclass(frozen=True, slots=True)
class Facts:
    """What is known about the course of one request, ns since sent; None = not told or not yet."""

    dialect: Dialect
    now_ns: int
    over: bool = False
    cut: bool = False  # it ended without a terminal signal
    connecting_ns: int | None = None
    connected_ns: int | None = None
    warm: bool = False
    sent: bool = False
    sent_all_ns: int | None = None
    prefill_from_ns: int | None = None  # when the engine began to read the prompt, as it told
    prefill_by: str = "from the engine's first report to the first token"  # who told it
    first_ns: int | None = None  # first token, as seen at the socket
    last_ns: int | None = None  # last token, as seen at the socket
    anchor_ns: int | None = None  # arrival of the event that carried predicted_ns
    end_ns: int | None = None  # end of the body, or when the run was stopped
    head_ns: int | None = None
    load_from: Edge | None = None
    load_to: Edge | None = None
    load_ns: int | None = None
    queue_ns: int | None = None
    tokenize_ns_told: int | None = None  # by the engine for this request
    prompt_ns: int | None = None
    predicted_ns: int | None = None
    told_by: str = ""  # where the engine's durations were read, when not in the stream
    derived: Mapping[str, str] = field(default_factory=dict)  # phases whose length is computed, and how
    waits: tuple[Wait, ...] = ()  # how the wait is split, where lengths alone do not say it
    tokenize_ns: int | None = None  # from the probe
    prompt_tokens: int | None = None
    slots_busy: bool = False
    busy_to_ns: int | None = None  # so long they were seen busy; None = up to now


def within(at_ns: int, floor: int, end: int) -> int:
    """The moment, moved into [floor, end]."""
    return max(floor, min(at_ns, end))


def told(facts: Facts, phase: str, what: str) -> tuple[Provenance, str]:
    """(how sure, who says so) of a length that the engine told."""
    if phase in facts.derived:
        return Provenance.DERIVED, facts.derived[phase]
    return Provenance.MEASURED, f"the engine's {what}" + (f", {facts.told_by}" if facts.told_by else "")
