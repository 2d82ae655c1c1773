"""What a replay server says beside the stream: from captures, or changing with the moment."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.wire.stream import stream_of


@dataclass(frozen=True, slots=True)
class Answer:
    """One whole reply. `old`: as HTTP/1.0 gives it, without a length, then the connection closes."""

    body: bytes = b""
    status: int = 200
    headers: tuple[tuple[str, str], ...] = (("Content-Type", "application/json"),)
    old: bool = False


@dataclass(frozen=True, slots=True)
class Moment:
    """When something is asked, and what.

    position_s: place in the newest stream on the capture's clock, -inf before the first one, inf when it is
    over. streams: how many were begun. reads: how often this was asked before. target: path and query.
    """

    position_s: float
    streams: int
    reads: int
    method: str
    target: str
    body: bytes


Answerer = Callable[[Moment], Answer]


@dataclass(frozen=True, slots=True)
class Side:
    """What is answered at one path (without query; a slash at its end does not count)."""

    path: str
    answer: Answerer
    method: str = "GET"


def told(value: object, status: int = 200) -> Answer:
    """An answer in JSON."""
    return Answer(json.dumps(value).encode(), status)


def captured(path: Path) -> Answer:
    """The answer that a capture of one request holds."""
    stream = stream_of(path)
    return Answer(
        b"".join(piece.data for piece in stream.pieces),
        stream.status,
        stream.headers,
        stream.coding == "close",
    )


def side(path: Path, at: str = "") -> Side:
    """What a capture holds, at the path that was asked there, or at `at`."""
    stream = stream_of(path)
    return Side(at or stream.path, always(captured(path)), stream.method)


def always(answer: Answer) -> Answerer:
    """The same each time."""
    return lambda _: answer


def in_turn(*answers: Answer) -> Answerer:
    """One after the other; the last one again and again."""
    return lambda moment: answers[min(moment.reads, len(answers) - 1)]


def around(before: Answer, after: Answer) -> Answerer:
    """`before` until the newest stream is over, then `after`."""
    return lambda moment: after if moment.position_s == float("inf") else before


def timeline(rows: Sequence[tuple[float, Answer]]) -> Answerer:
    """What was seen last at that place of the stream; the first row also before it. Rows in order of time."""

    def answer(moment: Moment) -> Answer:
        seen = [told for at_s, told in rows if at_s <= moment.position_s]
        return seen[-1] if seen else rows[0][1]

    return answer


class EmptiedOnRead:
    """`empty`, except once after each stream's end: then `full`. TensorRT-LLM's /perf_metrics does so."""

    def __init__(self, full: Answer, empty: Answer) -> None:
        self._full, self._empty = full, empty
        self._read = 0

    def __call__(self, moment: Moment) -> Answer:
        if moment.position_s < float("inf") or self._read == moment.streams:
            return self._empty
        self._read = moment.streams
        return self._full


def unknown_200(moment: Moment) -> Answer:
    """LM Studio answers what it does not know with 200."""
    path = moment.target.partition("?")[0]
    return told({"error": f"Unexpected endpoint or method. ({moment.method} {path})"})
