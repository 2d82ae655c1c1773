"""What an event costs from bytes to meaning, against what a plain program does with it."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Sequence

from tests.bench.lab import Lab
from tests.bench.table import Row
from tui.capture.live import Live
from tui.domain.wire import Meta, Note, Read
from tui.selftest.script import DIALECTS, Script, reply

TITLE = "parse: one event per read"
_EVENTS = 4000
_MS = 1_000_000


def rows(lab: Lab) -> Iterator[Row]:
    """Ours goes on to the state of the request; httpx and json.loads stop at a dictionary."""
    for dialect in DIALECTS:
        data = [it.data for it in reply(Script("one", 500, _EVENTS), dialect, 128)]
        ours: list[float] = []
        plain: list[float] = []
        for _ in range(lab.rounds):
            ours.append(_per_event(_live(dialect), data))
            plain.append(_per_event(_plain(), data))
        yield Row(f"{dialect}: to the state of the request", ours, "µs", most=100)
        yield Row(f"{dialect}: httpx lines and json.loads", plain, "µs")
        yield Row(f"{dialect}: ours / plain", [a / b for a, b in zip(ours, plain, strict=True)])


def _per_event(take: Callable[[bytes], object], data: Sequence[bytes]) -> float:
    """Microseconds of processor time."""
    began = time.process_time()
    for piece in data:
        take(piece)
    return (time.process_time() - began) * 1e6 / len(data)


def _live(dialect: str) -> Callable[[bytes], object]:
    live, at_ns = Live(), 0
    live.feed([Meta({"engine": dialect}), Note(0, "sent"), Note(1, "head", {"status": 200, "headers": []})])

    def take(piece: bytes) -> None:
        nonlocal at_ns
        at_ns += 2 * _MS
        live.feed([Read(at_ns, piece, at_ns - _MS, at_ns + 50_000, kernel=True)])

    return take


def _plain() -> Callable[[bytes], object]:
    from httpx._decoders import LineDecoder  # what `iter_lines` uses

    lines = LineDecoder()

    def take(piece: bytes) -> None:
        for line in lines.decode(piece.decode()):
            data = line.removeprefix("data: ")
            if data and data != "[DONE]":
                json.loads(data)

    return take
