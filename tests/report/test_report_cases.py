"""Every nasty stream gives its right answer: all values a headless run can tell, times within 0.5 %."""

from __future__ import annotations

import io
import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from tests.wire.expected import exactly, fulfils
from tui.report.again import tell

DATA = Path(__file__).parents[1] / "data"
CASES = sorted((DATA / "cases").glob("*.jsonl"))
CAPTURES = sorted((DATA / "captures/llamacpp").glob("*.jsonl"))


def replayed(file: Path) -> tuple[int, dict[str, Any]]:
    out, err = io.StringIO(), io.StringIO()
    status = tell(file, True, out, err)
    return status, json.loads(out.getvalue())


@pytest.mark.parametrize("file", CASES, ids=lambda file: file.stem)
def test_case(file: Path) -> None:
    expect = json.loads(file.read_text(encoding="ascii").split("\n", 1)[0])["meta"]["expect"]
    status, got = replayed(file)
    assert fulfils(got, expect, exactly) == []
    assert status == (0 if got["complete"] else 1)


@pytest.mark.parametrize("file", CAPTURES, ids=lambda file: file.stem)
def test_capture_tiles(file: Path) -> None:
    """Phases of real streams touch each other, and sum to the client's total."""
    _, got = replayed(file)
    timed = [p for p in got["phases"] if p["name"] != "connect"]
    assert all(abs(a["end_s"] - b["start_s"]) < 1e-9 for a, b in pairwise(timed))
    assert abs(sum(p["end_s"] - p["start_s"] for p in timed) - got["total_s"]) < 0.005


@pytest.mark.parametrize(("name", "least_s"), [("04b-queue-second", 2.4), ("04e-queue-second-plain", 1.4)])
def test_waiting_behind_a_busy_slot_is_queue(name: str, least_s: float) -> None:
    _, got = replayed(DATA / f"captures/llamacpp/{name}.jsonl")
    assert got["queue_s"] > least_s
    assert got["prefill_s"] < 0.1


def test_not_a_recording_is_one_line(tmp_path: Path) -> None:
    file = tmp_path / "x"
    for content in (b"", b"hello\n", b"\x00\xff\xfe" * 100):
        file.write_bytes(content)
        out, err = io.StringIO(), io.StringIO()
        assert tell(file, True, out, err) == 2
        assert out.getvalue() == ""
        assert err.getvalue().count("\n") == 1
