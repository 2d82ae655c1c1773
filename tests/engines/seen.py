"""Records of captures with pages of counters put among them, and what one run of them shows."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

from tui.capture.recording import read
from tui.domain.events import Event
from tui.domain.look import look
from tui.domain.reduce import reduce
from tui.domain.state import State
from tui.domain.view import View
from tui.domain.wire import End, Meta, Poll, Record
from tui.engines.registry import decoder_for

CAPTURES = Path(__file__).parents[1] / "data" / "captures"
MS = 1_000_000


def records_of(name: str, polls: Iterable[Poll] = (), **conditions: object) -> list[Record]:
    """The records of a capture, with polls in their order; those at the end come just before the End."""
    meta, *rest = read(CAPTURES / f"{name}.jsonl").records
    assert isinstance(meta, Meta)
    *course, end = rest
    assert isinstance(end, End)
    known = [poll for poll in polls if poll.at_ns <= end.at_ns]
    fields = dict(meta.fields) | {"conditions": conditions}
    among = sorted([*course, *known], key=lambda record: getattr(record, "at_ns", 0))
    return [Meta(fields), *among, end]


def end_ns(name: str) -> int:
    """When a capture ends."""
    end = read(CAPTURES / f"{name}.jsonl").records[-1]
    assert isinstance(end, End)
    return end.at_ns


def run(records: list[Record]) -> tuple[View, list[Event]]:
    """What is shown in the end, and all events."""
    first = records[0]
    assert isinstance(first, Meta)
    decoder = decoder_for(first.fields)
    state, events = State(), list[Event]()
    for record in records:
        for event in decoder.decode(record):
            events.append(event)
            state = reduce(state, event)
    return look(state), events


def lengths(view: View) -> dict[str, float]:
    """Milliseconds of each phase."""
    return {phase.name: phase.duration_ns / MS for phase in view.phases}


def how(view: View) -> dict[str, str]:
    """Who says so, of each phase."""
    return {phase.name: phase.provenance.value for phase in view.phases}


def rows_of(name: str) -> list[dict[str, float]]:
    """The rows of a file of polled series."""
    lines = (CAPTURES / f"{name}.poll.jsonl").read_text().splitlines()
    return [row for row in map(json.loads, lines) if "t" in row]
