"""Every case, with its own timing, over a real socket and through the capture child; all at the same time."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from tests.wire.expected import Near, exactly, fulfils
from tests.wire.playing import PATIENCE_S
from tests.wire.runs import CAPTURES
from tests.wire.server import Server
from tests.wire.stream import Stream, stream_of
from tui.capture.channel import Child
from tui.capture.frames import Frame, Item, Mark
from tui.capture.live import Live
from tui.capture.orders import CancelOrder, StreamOrder
from tui.domain.view import Stage, View
from tui.domain.wire import Meta, Read, Record
from tui.report.numbers import run_object

pytestmark = pytest.mark.alone  # their timing is compared

CASES = sorted((CAPTURES.parent / "cases").glob("*.jsonl"))
SLOW_SPEED = 20.0  # times as fast, for those that last over a minute
_MEASURED = {"ttft_s", "first_answer_s", "last_token_s", "unattributed_s"}
_JITTER_S = 0.01  # at each end of a window
_STATES = {"finished": Stage.FINISHED, "waiting": Stage.WAITING, "stalled": Stage.STALLED}


@dataclass
class Played:
    """A case that is asked for, and what came of it so far; times are those of the case."""

    meta: dict[str, Any]
    stream: Stream
    server: Server
    speed: float
    live: Live = field(default_factory=Live)
    sent_s: float = 0.0
    reads: int = 0
    over: bool = False
    hung: View | None = None  # as it was when nothing more came

    def take(self, record: Record) -> None:
        """One record, with its time as it is in the case."""
        self.live.feed((_slower(record, self.speed),))
        self.reads += isinstance(record, Read)
        self.over = self.live.ended

    @property
    def late_s(self) -> float:
        """How much of all times is not the reader's but this machine's, which plays sixty servers."""
        return self.server.late_s(self.sent_s) * self.speed


def _slower(record: Record, factor: float) -> Record:
    if factor == 1 or isinstance(record, Meta):
        return record
    scaled = replace(record, at_ns=round(record.at_ns * factor))
    if isinstance(scaled, Read):
        return replace(scaled, floor_ns=None, recv_ns=None)
    return scaled


def _order(number: int, played: Played) -> StreamOrder:
    request = played.meta["request"]
    body = json.dumps(request["body"])
    meta = {"engine": played.meta["engine"], "request": request}
    return StreamOrder(number, played.server.url + request["path"], body=body, meta=meta)


def _take(child: Child, played: dict[int, Played], frame: Frame) -> None:
    match frame:
        case Mark(run_id=number, name="sent", mono_ns=mono_ns):
            played[number].sent_s = mono_ns / 1e9
        case Item(run_id=number, record=record):
            one = played[number]
            one.take(record)
            if one.stream.end == "hang" and one.hung is None and one.reads == len(one.stream.pieces):
                one.hung = one.live.view()
                child.send(CancelOrder(number, "hang"))


@pytest.fixture(scope="module")
def played() -> Iterator[dict[str, Played]]:
    """All cases by their names, each played to its end."""
    with ExitStack() as stack:
        child = Child.start()
        stack.callback(child.close)
        running: dict[int, Played] = {}
        for number, path in enumerate(CASES, 1):
            meta = json.loads(path.read_text(encoding="ascii").split("\n", 1)[0])["meta"]
            speed = SLOW_SPEED if meta.get("slow") else 1.0
            stream = stream_of(path)
            server = stack.enter_context(Server(stream, speed=speed))
            running[number] = Played(meta, stream, server, speed)
            child.send(_order(number, running[number]))
        limit_s = time.monotonic() + PATIENCE_S
        while not all(one.over for one in running.values()):
            late = [one.meta["case"] for one in running.values() if not one.over]
            assert child.wait(max(0.0, limit_s - time.monotonic())), late
            for frame in child.drain():
                _take(child, running, frame)
        yield {one.meta["case"]: one for one in running.values()}


def _near(one: Played) -> Near:
    """As a real clock can have it: times within 0.05 s or 2 %, rates within 3 % or the jitter of a window."""
    tokens = one.live.view().tokens

    def near(key: str, got: object, want: object) -> bool:
        if not isinstance(want, float) or not isinstance(got, (int, float)):
            return exactly(key, got, want)
        if key in _MEASURED:
            return abs(got - want) <= max(0.05, 0.02 * want) + one.late_s
        if key == "decode_tok_s" and tokens and want:
            window_s = (tokens - 1) / want
            return abs(got - want) <= want * max(0.03, 2 * (_JITTER_S + one.late_s) / window_s)
        return exactly(key, got, want) or abs(got - want) <= max(0.05, 0.02 * want) + one.late_s

    return near


@pytest.mark.parametrize("name", [path.stem for path in CASES])
def test_a_case_is_the_same_live(played: dict[str, Played], name: str) -> None:
    one = played[name]
    view = one.hung or one.live.view()
    assert fulfils(run_object(view), one.meta["expect"], _near(one)) == []


@pytest.mark.parametrize("name", [path.stem for path in CASES])
def test_a_case_is_asked_for_once_and_as_it_was_told(played: dict[str, Played], name: str) -> None:
    """Nothing is repeated by itself, no redirect is followed with another method."""
    one = played[name]
    (seen,) = one.server.seen
    request = one.meta["request"]
    assert (seen.method, seen.target) == ("POST", request["path"])
    assert json.loads(seen.body) == request["body"]
    assert one.meta["expect"].get("requests_sent", 1) == 1


@pytest.mark.parametrize(
    "name", [path.stem for path in CASES if stream_of(path).end == "hang"], ids=lambda name: name
)
def test_what_hangs_is_what_it_must_be(played: dict[str, Played], name: str) -> None:
    """Its state stands with the last byte that comes; it needs no end of the connection."""
    one = played[name]
    assert one.hung is not None
    assert one.hung.stage is _STATES[one.meta["expect"]["state"]]


def test_the_cases_that_last_long_are_among_them(played: dict[str, Played]) -> None:
    slow = {name for name, one in played.items() if one.speed > 1}
    assert slow == {"llamacpp_pings_during_prefill", "long_silent_prefill"}
    for name in slow:
        since_s = played[name].live.view().ttft.number
        assert since_s is not None and since_s > 60
