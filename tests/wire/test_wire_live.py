"""Captures served over a real socket and read by the real reader: the same records, the same run."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from tests.wire.client import Wire
from tests.wire.runs import CAPTURES, FILES, TOLD, name_of, recording, told_by
from tests.wire.server import Server
from tests.wire.stream import Coding, Ending, Stream, stream_of
from tui.capture.in_thread import InThread
from tui.domain.wire import End, Meta, Note, Read, Record

CASES = sorted((CAPTURES.parent / "cases").glob("*.jsonl"))
ONE_READ_BYTES = 60_000  # the reader takes no more at once
CHATS = [path for path in FILES if name_of(path) in TOLD]


@pytest.fixture(scope="module")
def wire() -> Iterator[Wire]:
    channel = InThread()
    yield Wire(channel)
    channel.close()


def only(kind: type[Record], records: list[Record]) -> list[Record]:
    return [record for record in records if isinstance(record, kind)]


def head_of(records: list[Record]) -> Note:
    (head,) = [record for record in records if isinstance(record, Note) and record.name == "head"]
    return head


def heard(wire: Wire, stream: Stream, coding: Coding | None = None) -> list[Record]:
    """What the reader makes of the stream; one that never ends is given up after its last read."""
    served = replace(stream, coding=coding or stream.coding)
    with Server(served) as server:
        stop_after = len(stream.pieces) if stream.end == "hang" else None
        return wire.request(server, stream.path, stop_after)


def retimed(live: list[Record], file: tuple[Record, ...]) -> list[Record]:
    """The live reads with the file's times, all else as in the file."""
    data = iter(record for record in live if isinstance(record, Read))
    return [
        replace(record, data=next(data).data) if isinstance(record, Read) and record.data else record
        for record in file
        if not isinstance(record, Meta)
    ]


@pytest.mark.parametrize("path", [*CHATS, *CASES], ids=name_of)
def test_a_stream_arrives_read_by_read_as_it_was_captured(wire: Wire, path: Path) -> None:
    stream = stream_of(path)
    live = heard(wire, stream)
    file = recording(path).records
    if all(len(piece.data) < ONE_READ_BYTES for piece in stream.pieces):
        assert [r.data for r in live if isinstance(r, Read)] == [piece.data for piece in stream.pieces]
        again = [file[0], *retimed(live, file)]
        assert told_by(again) == told_by(file)
    head = head_of(live)
    assert head.fields["status"] == stream.status
    told = head.fields["headers"]
    assert isinstance(told, list)
    sent = [(name.lower(), value) for name, value in stream.headers]
    assert [
        (n.lower(), v) for n, v in told if n.lower() not in ("transfer-encoding", "content-length")
    ] == sent
    (end,) = only(End, live)
    assert isinstance(end, End)
    assert end.how == {"eof": "eof", "reset": "reset", "cut": "reset", "hang": "cancelled"}[stream.end]


@pytest.mark.parametrize("coding", ["chunked", "close", "length"])
@pytest.mark.parametrize(
    "name", ["vllm/default-short-nousage", "mlx-lm/03-chat-no-usage", "ollama-authored/01-warm-short"]
)
def test_the_coding_of_the_transfer_changes_nothing(wire: Wire, coding: Coding, name: str) -> None:
    stream = stream_of(CAPTURES / f"{name}.jsonl")
    live = heard(wire, stream, coding)
    assert [r.data for r in live if isinstance(r, Read)] == [piece.data for piece in stream.pieces]
    assert isinstance(live[-1], End) and live[-1].how == "eof"


@pytest.mark.parametrize("coding", ["chunked", "close", "length"])
@pytest.mark.parametrize("end", ["reset", "cut"])
def test_a_broken_connection_is_no_end(wire: Wire, coding: Coding, end: Ending) -> None:
    stream = stream_of(CAPTURES / "vllm" / "finish-stop-eos.jsonl")
    half = replace(stream, pieces=stream.pieces[:3], end=end)
    live = heard(wire, half, coding)
    assert [r.data for r in live if isinstance(r, Read)] == [piece.data for piece in half.pieces]
    # closing is all that HTTP/1.0 has as an end
    assert isinstance(live[-1], End) and live[-1].how == (
        "eof" if (coding, end) == ("close", "cut") else "reset"
    )
