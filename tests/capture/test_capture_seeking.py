"""Any moment of a recording is reached at once, and is what playing up to it would have shown."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tui.capture import checkpoints
from tui.capture.checkpoints import Checkpoints, Reached
from tui.capture.demo import reels
from tui.capture.landmarks import after, before
from tui.capture.live import Live
from tui.capture.recording import Recording, read
from tui.capture.replay_session import ReplaySession
from tui.domain.arrivals import Arrivals
from tui.domain.hitches import Hitches
from tui.domain.pieces import Pieces
from tui.domain.view import Stage, View
from tui.domain.wire import End, Meta, Note, Read, Record

DATA = Path(__file__).parents[1] / "data"
CAPTURES = sorted(DATA.glob("captures/*/*.jsonl"))[::7] + sorted(DATA.glob("cases/*.jsonl"))[::9]
MS = 1_000_000
TOKENS = 20_000


def columns(arrivals: Arrivals) -> list[list[int]]:
    return [list(column) for column in (arrivals.at, arrivals.gap, arrivals.messages, arrivals.tokens)]


def slots(grown: Pieces | Hitches) -> list[list[int]]:
    return [list(getattr(grown, name)) for name in grown.__slots__]


def told(view: View) -> dict[str, object]:
    """Everything in a View, by value: two of the same moment need not share what grows."""
    values = {name: getattr(view, name) for name in View.__dataclass_fields__}
    values["answer"], values["reasoning"] = str(view.answer), str(view.reasoning)
    values["pieces"] = [slots(text.pieces) for text in (view.answer, view.reasoning)]
    values["hitches"] = slots(view.hitches)
    values["track"] = (columns(view.track.columns), view.track.reads)
    return values


@cache
def opened(file: Path) -> tuple[Recording, Checkpoints]:
    recording = read(file)
    return recording, Checkpoints(recording.records)


@pytest.fixture(autouse=True)
def often(monkeypatch: pytest.MonkeyPatch) -> None:
    """Copies so near that small files have some, and so few that they are thinned out."""
    opened.cache_clear()
    monkeypatch.setattr(checkpoints, "EVERY", 3)
    monkeypatch.setattr(checkpoints, "MOST", 5)


@pytest.mark.parametrize("file", CAPTURES, ids=lambda file: f"{file.parent.name}/{file.stem}")
def test_a_seek_gives_what_reducing_from_the_beginning_gives(file: Path) -> None:
    @settings(max_examples=12, deadline=None, database=None)
    @given(st.data())
    def hold(data: st.DataObject) -> None:
        recording, points = opened(file)
        count = data.draw(st.integers(0, len(recording.records)))
        scratch = Live()
        scratch.feed(recording.records[:count])
        reached = points.at(count)
        assert told(reached.live.view()) == told(scratch.view())
        assert reached.live.raw() == scratch.raw()
        for record in recording.records[count:]:
            reached.take(record)  # and it goes on as the other does, without changing what is kept
        scratch.feed(recording.records[count:])
        assert told(reached.live.view()) == told(scratch.view())
        assert reached.pressure == points.whole.pressure

    hold()


def long_answer(tokens: int) -> list[Record]:
    """A stream of that many tokens, with a stall in the middle."""
    records: list[Record] = [
        Meta(
            {"engine": "openai", "status": 200, "response_headers": [["Content-Type", "text/event-stream"]]}
        ),
        Note(-MS, "connecting"),
        Note(0, "connected", {"warm": False}),
        Note(0, "sent"),
        Note(MS, "head", {"status": 200, "headers": [["Content-Type", "text/event-stream"]]}),
    ]
    at_ns = 100 * MS
    for n in range(tokens):
        at_ns += 2_000 * MS if n == tokens // 2 else 5 * MS
        records.append(Read(at_ns, b'data: {"choices":[{"index":0,"delta":{"content":"a "}}]}\n\n'))
    records.append(
        Read(at_ns, b'data: {"choices":[{"delta":{},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n')
    )
    return [*records, End(at_ns + MS, "eof")]


def test_a_seek_in_twenty_thousand_tokens_reduces_some_hundred_records_at_most(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.undo()
    records = long_answer(TOKENS)
    points = Checkpoints(records)
    taken: list[Record] = []
    monkeypatch.setattr(Reached, "take", lambda reached, record: taken.append(record))
    for count in (len(records), 3, TOKENS - 1, TOKENS // 2, TOKENS // 3, 0):
        taken.clear()
        points.at(count)
        assert len(taken) <= points.apart
    assert points.apart <= 320
    assert len(points._kept) <= checkpoints.MOST


def test_a_copy_shares_nothing_that_grows() -> None:
    records = long_answer(20)
    whole = Reached()
    for record in records[:15]:
        whole.take(record)
    kept = whole.copy()
    seen = told(kept.live.view())
    for record in records[15:]:
        whole.take(record)
    assert told(kept.live.view()) == seen
    assert told(whole.live.view()) != seen


class Clock:
    now_ns = 0

    def __call__(self) -> int:
        return self.now_ns


def session(records: list[Record], clock: Clock, **how: bool) -> ReplaySession:
    meta = records[0]
    assert isinstance(meta, Meta)
    return ReplaySession(Recording(meta, tuple(records), 0, True), Path("long.jsonl"), clock=clock, **how)


def test_steps_go_from_token_to_token_and_stand_still() -> None:
    clock = Clock()
    player = session(long_answer(10), clock)
    reads = []
    for _ in range(3):
        assert player.step(+1)
        reads.append(player.view().track.reads)
    assert reads == [1, 2, 3]
    assert not player.playing
    assert player.step(-1)
    assert player.view().track.reads == 2
    clock.now_ns += 1000 * MS
    assert player.view().track.reads == 2
    player.jump(player.end_ns)
    assert not player.step(+1)
    player.jump(player.start_ns)
    assert not player.step(-1)


def test_leaps_stop_at_each_phase_and_show_a_stall_whole() -> None:
    player = session(long_answer(10), Clock())
    player.pause()
    stages = []
    while player.leap(+1):
        stages.append(player.view().stage)
    assert stages == [Stage.WAITING, Stage.DECODING, Stage.STALLED, Stage.FINISHED]
    assert player.leap(-1)
    stall = player.view().open_stall
    assert stall is not None and stall.gap_ns == 2_000 * MS - 1
    assert player.leap(-1) and player.leap(-1) and player.leap(-1)
    assert player.view().stage is Stage.CONNECTING
    assert not player.leap(-1)


def test_back_from_a_moment_behind_an_edge_means_the_edge_before_while_it_plays() -> None:
    clock = Clock()
    player = session(long_answer(500), clock)
    player.jump(105 * MS)  # the first token
    clock.now_ns += 300 * MS
    player.drain()
    assert player.leap(-1)
    assert player.view().stage is Stage.CONNECTING, "both edges lie half a second back"
    player.jump(105 * MS)
    clock.now_ns += 700 * MS
    player.drain()
    assert player.leap(-1)
    assert player.position_ns == 105 * MS


def test_a_frozen_replay_stands_at_each_change_of_phase_until_it_is_told_to_go_on() -> None:
    clock = Clock()
    player = session(long_answer(10), clock, freeze=True)
    stages = []
    for _ in range(8):
        clock.now_ns += 60_000 * MS
        player.drain()
        stages.append((player.view().stage, player.held))
        player.play() if player.held else None
    assert stages[:4] == [
        (Stage.WAITING, True),
        (Stage.DECODING, True),
        (Stage.STALLED, True),
        (Stage.FINISHED, True),
    ]
    assert stages[-1] == (Stage.FINISHED, False)
    player.hold(False)
    player.begin()
    clock.now_ns += 60_000 * MS
    player.drain()
    assert (player.view().stage, player.held) == (Stage.FINISHED, False)


def test_a_loop_shows_its_end_for_a_moment_and_begins_again() -> None:
    clock = Clock()
    player = session(long_answer(10), clock)
    player.loop = True
    clock.now_ns += 60_000 * MS
    player.drain()
    assert not player.running
    assert not player.drain()
    clock.now_ns += 2_000 * MS
    assert player.drain()
    assert player.running and player.position_ns == player.start_ns
    player.loop = False
    clock.now_ns += 60_000 * MS
    player.drain()
    clock.now_ns += 60_000 * MS
    player.drain()
    assert not player.running


def test_speeds_go_from_a_quarter_to_sixteen_times_and_any_other_finds_its_neighbours() -> None:
    clock = Clock()
    player = session(long_answer(10), clock)
    assert [player.pace(+1) for _ in range(5)] == [2, 4, 8, 16, 16]
    assert [player.pace(-1) for _ in range(7)] == [8, 4, 2, 1, 0.5, 0.25, 0.25]
    meta = Meta({})
    other = ReplaySession(Recording(meta, tuple(long_answer(3)), 0, True), Path("x"), 100.0, clock)
    assert other.pace(+1) == 100 and other.pace(-1) == 16


def test_moments_before_and_after() -> None:
    assert [after((1, 5, 9), n) for n in (0, 1, 8, 9)] == [1, 5, 9, None]
    assert [before((1, 5, 9), n) for n in (1, 2, 9, 10)] == [None, 1, 5, 9]


def test_every_recording_that_comes_along_can_be_sought_in() -> None:
    for reel in reels():
        recording = reel.load()
        points = Checkpoints(recording.records)
        middle = len(recording.records) // 2
        scratch = Live()
        scratch.feed(recording.records[:middle])
        assert told(points.at(middle).live.view()) == told(scratch.view())
