"""How long it takes to get to any moment of a long recording."""

from __future__ import annotations

import json
import random
import time
from collections.abc import Iterator
from pathlib import Path

from tests.bench.lab import Lab
from tests.bench.table import Row
from tui.capture.recording import Recording
from tui.capture.replay_session import ReplaySession
from tui.domain.wire import End, Meta, Note, Read, Record

TITLE = "seeking in a recording of 20,000 tokens"
_TOKENS = 20_000
_SEEKS = 40
_MS = 1_000_000
_HEADERS = [["Content-Type", "text/event-stream"]]


def rows(lab: Lab) -> Iterator[Row]:
    """From the jump to the View of the new moment."""
    records = tuple(_records())
    meta = records[0]
    assert isinstance(meta, Meta)
    began = time.perf_counter()
    player = ReplaySession(Recording(meta, records, 0, True), Path("long.jsonl"))
    yield Row("open it", [time.perf_counter() - began], "s")
    places = random.Random(1)
    took = []
    for _ in range(_SEEKS * lab.rounds):
        began = time.perf_counter()
        player.seek(places.uniform(0, player.end_ns / 1e9))
        player.view()
        took.append((time.perf_counter() - began) * 1e3)
    yield Row("a jump, median", [sorted(took)[len(took) // 2]], "ms", most=50)
    yield Row("a jump, the longest", [max(took)], "ms")


def _records() -> Iterator[Record]:
    yield Meta({"engine": "llama.cpp", "status": 200, "response_headers": _HEADERS})
    yield Note(0, "sent")
    yield Note(_MS, "head", {"status": 200, "headers": _HEADERS})
    for n in range(1, _TOKENS + 1):
        told = {"cache_n": 0, "prompt_n": 100, "prompt_ms": 90.0, "predicted_n": n, "predicted_ms": 4.0 * n}
        chunk = {"choices": [{"index": 0, "delta": {"content": f" {n}"}}], "timings": told}
        yield Read(100 * _MS + 4 * n * _MS, f"data: {json.dumps(chunk)}\n\n".encode())
    end_ns = 101 * _MS + 4 * _TOKENS * _MS
    yield Read(end_ns, b'data: {"choices":[{"delta":{},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n')
    yield End(end_ns + _MS, "eof")
