"""Playing a recording again on a clock that the test holds."""

from __future__ import annotations

import pytest

from tui.capture.recording import Recording
from tui.capture.replay import Player
from tui.domain.wire import End, Meta, Note, Read, Sample

MS = 1_000_000
META = Meta({})
CONNECTING = Note(-2 * MS, "connecting")
SENT = Note(0, "sent")
FIRST = Read(10 * MS, b"a")
SAMPLE = Sample(9 * MS, {})
SECOND = Read(20 * MS, b"b")
END = End(30 * MS, "eof")
ALL = (META, CONNECTING, SENT, FIRST, SAMPLE, SECOND, END)


@pytest.fixture
def recording() -> Recording:
    return Recording(META, ALL, 0, True)


def test_each_record_is_due_at_its_time(recording):
    player = Player(recording, now_ns=100 * MS)
    assert player.position_ns(100 * MS) == -2 * MS
    assert player.at(100 * MS) == [META, CONNECTING]
    assert player.at(102 * MS) == [SENT]
    assert player.at(111 * MS) == []
    assert player.at(112 * MS) == [FIRST, SAMPLE], "what stands later in the file does not come earlier"
    assert player.at(1_000 * MS) == [SECOND, END]
    assert player.finished
    assert player.position_ns(1_000 * MS) == player.end_ns == 30 * MS


def test_a_connection_that_stood_before_is_not_waited_for():
    told = (META, Note(-5_000 * MS, "connecting"), Note(-4_999 * MS, "connected", {"warm": True}), SENT, END)
    player = Player(Recording(META, told, 0, True))
    assert player.at(0) == list(told[:4])


def test_pause_and_speed(recording):
    player = Player(recording, speed=2)
    player.at(0)
    player.pause(1 * MS)
    assert player.position_ns(50 * MS) == 0
    assert not player.playing
    player.play(50 * MS)
    assert player.position_ns(55 * MS) == 10 * MS
    player.set_speed(55 * MS, 0.5)
    assert player.position_ns(75 * MS) == 20 * MS
    assert player.speed == 0.5


def test_seek_tells_how_many_records_were_before(recording):
    player = Player(recording)
    player.at(1_000 * MS)
    assert player.seek(1_000 * MS, 12 * MS) == 5
    assert not player.finished
    assert player.at(1_008 * MS) == [SECOND]
    assert player.seek(2_000 * MS, -99 * MS) == 2
    player.pause(2_000 * MS)
    assert player.seek(2_001 * MS, 99 * MS) == len(ALL)


def test_a_stop_is_not_passed_and_hides_nothing_that_was_due(recording):
    player = Player(recording)
    player.stop_ns = 10 * MS
    assert player.at(1_000 * MS) == [META, CONNECTING, SENT, FIRST, SAMPLE]
    assert player.position_ns(1_000 * MS) == 10 * MS
    player.play(1_000 * MS)
    player.stop_ns = None
    assert player.at(1_010 * MS) == [SECOND], "it goes on from where it stood"
