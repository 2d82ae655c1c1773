"""The bench against its ruler: the reader sees what was sent, keys and goals are told right."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.bench.keys import shown
from tests.bench.sitting import record
from tests.bench.table import Row, closing, line
from tui.capture.recording import read
from tui.selftest.script import PREFILL_NS, Script
from tui.selftest.serving import Server
from tui.selftest.terminal import Piece
from tui.selftest.truth import impossible, pairs, seen

MS = 1_000_000


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with Server() as server:
        yield server


def test_the_reader_sees_what_the_server_sent(server: Server, tmp_path: Path):
    script = Script("one", 2000, 200)
    truth = record(server, script, tmp_path / "run.jsonl")
    assert truth.model == script.name
    assert sum(truth.tokens) == 200
    assert truth.ttft_ns >= PREFILL_NS
    matched = pairs(truth, seen(read(tmp_path / "run.jsonl")))
    assert len(matched) == 200
    assert impossible(matched, slack_ns=100_000) == 0, "two clocks were matched, so allow them 0.1 ms"


def test_a_missed_goal_is_said():
    rows = [Row("a", [1, 9, 2], "ms", most=1.5), Row("b", [20], least=20), Row("c", [5])]
    assert [row.verdict for row in rows] == ["MISSED", "ok", ""]
    assert "<= 1.5 ms" in line(rows[0]) and "2 ms" in line(rows[0]) and "MISSED" in line(rows[0])
    assert closing(rows).strip() == "1 of 2 goals hold, 1 MISSED"


def test_a_key_is_shown_when_the_dial_changes_and_not_before():
    pieces = [
        Piece(1 * MS, b"\x1b[34;1H prompt \xe2\x86\x90  128  256"),
        Piece(12 * MS, b"\x1b[20;1Hmore of the answer"),
        Piece(25 * MS, b"\x1b[34;12H\x1b[7m128\x1b[0m"),
        Piece(47 * MS, b"\x1b[34;12H128\x1b[34;17H\x1b[7m256\x1b[0m"),
    ]
    assert list(shown(pieces, [10 * MS, 40 * MS])) == [15, 7]
    with pytest.raises(ValueError, match="1 of 1"):
        list(shown(pieces, [50 * MS]))
