"""What an event costs from bytes to meaning, against what plain programs do with it."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Sequence
from importlib.util import find_spec

from tests.bench.lab import Lab
from tests.bench.table import Row
from tui.capture.live import Live
from tui.domain.wire import Meta, Note, Read
from tui.engines.body import Body
from tui.engines.shapes import parsed
from tui.selftest.script import DIALECTS, Script, reply

TITLE = "parse: one event per read"
_EVENTS = 4000
_MS = 1_000_000


def rows(lab: Lab) -> Iterator[Row]:
    """Ours goes on to the state of the request; the others, and our first steps, stop at a dictionary."""
    for dialect in DIALECTS:
        data = [it.data for it in reply(Script("one", 500, _EVENTS), dialect, 128)]
        events = dialect != "ollama" and find_spec("httpx_sse") is not None
        whole: list[float] = []
        steps: list[float] = []
        lines: list[float] = []
        sse: list[float] = []
        for _ in range(lab.rounds):
            whole.append(_per_event(_live(dialect), data))
            steps.append(_per_event(_first_steps(dialect), data))
            lines.append(_per_event(_lines(), data))
            if events:
                sse.append(_per_event(_events(), data))
        yield Row(f"{dialect}: to the state of the request", whole, "µs", most=100)
        yield Row(f"{dialect}: of it split and decoded", steps, "µs")
        yield Row(f"{dialect}: httpx lines and json.loads", lines, "µs")
        yield Row(f"{dialect}: state / httpx lines", _ratios(whole, lines))
        if events:
            yield Row(f"{dialect}: httpx-sse and json.loads", sse, "µs")
            yield Row(f"{dialect}: split and decoded / httpx-sse", _ratios(steps, sse), most=1)


def _ratios(these: Sequence[float], those: Sequence[float]) -> list[float]:
    return [a / b for a, b in zip(these, those, strict=True)]


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


def _first_steps(dialect: str) -> Callable[[bytes], object]:
    body = Body("", json_lines=dialect == "ollama", keep=False)

    def take(piece: bytes) -> None:
        for message in body.feed(piece):
            if message.data != b"[DONE]":
                parsed(message.data.decode())

    return take


def _events() -> Callable[[bytes], object]:
    from httpx_sse._decoders import (  # type: ignore[import-not-found,unused-ignore]  # its `iter_sse`
        SSEDecoder,
        SSELineDecoder,
    )

    lines, events = SSELineDecoder(), SSEDecoder()

    def take(piece: bytes) -> None:
        for line in lines.decode(piece.decode()):
            event = events.decode(line)
            if event is not None and event.data != "[DONE]":
                json.loads(event.data)

    return take


def _lines() -> Callable[[bytes], object]:
    from httpx._decoders import LineDecoder  # what `iter_lines` uses

    lines = LineDecoder()

    def take(piece: bytes) -> None:
        for line in lines.decode(piece.decode()):
            data = line.removeprefix("data: ")
            if data and data != "[DONE]":
                json.loads(data)

    return take
