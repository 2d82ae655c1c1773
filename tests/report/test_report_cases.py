"""Every nasty stream gives its right answer: all values a headless run can tell, times within 0.5 %."""

from __future__ import annotations

import io
import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from tui.report.again import tell

DATA = Path(__file__).parents[1] / "data"
CASES = sorted((DATA / "cases").glob("*.jsonl"))
CAPTURES = sorted((DATA / "captures/llamacpp").glob("*.jsonl"))
ELSEWHERE = {
    "screen", "follow", "requests_sent", "finish_within_s", "stall_notice_by_s", "state", "why", "any_of",
    "error", "message_must_not_contain", "warnings", "warnings_absent", "answer_len", "answer_sha256",
    "decode_reliable", "prefill_reliable",
}  # fmt: skip


def replayed(file: Path) -> tuple[int, dict[str, Any]]:
    out, err = io.StringIO(), io.StringIO()
    status = tell(file, True, out, err)
    return status, json.loads(out.getvalue())


def wrong(got: dict[str, Any], expect: dict[str, Any]) -> list[str]:
    """The keys of `expect` that `got` does not fulfil."""
    bad = [key for key, want in expect.items() if key not in ELSEWHERE and not near(got[key], want)]
    for key, rate in (("decode_reliable", "decode_tok_s"), ("prefill_reliable", "prefill_tok_s")):
        if key in expect and got[key] != expect[key] and not (expect[key] is False and got[rate] is None):
            bad.append(key)
    if "answer_len" in expect and len(got["answer_text"]) != expect["answer_len"]:
        bad.append("answer_len")
    want = expect.get("error", got["error"])
    if (want is None) != (got["error"] is None) or (want and not same_error(got["error"], want, expect)):
        bad.append("error")
    told = set(got["warnings"])
    asked = set(expect.get("warnings", []))
    if (
        (expect.get("warnings") == [] and told)
        or asked - told
        or told & set(expect.get("warnings_absent", []))
    ):
        bad.append("warnings")
    return bad


def near(got: object, want: object) -> bool:
    if isinstance(want, float) and isinstance(got, (int, float)):
        return abs(got - want) <= max(0.002, 0.005 * abs(want))
    return got == want


def same_error(got: dict[str, Any], want: dict[str, Any], expect: dict[str, Any]) -> bool:
    part = str(want.get("message_contains", "")).lower()
    banned = [text.lower() for text in expect.get("message_must_not_contain", [])]
    message = got["message"].lower()
    equal = all(got[key] == want[key] for key in ("kind", "status", "retry_after_s") if key in want)
    return equal and part in message and not any(text in message for text in banned)


@pytest.mark.parametrize("file", CASES, ids=lambda file: file.stem)
def test_case(file: Path) -> None:
    expect = json.loads(file.read_text(encoding="ascii").split("\n", 1)[0])["meta"]["expect"]
    status, got = replayed(file)
    assert wrong(got, expect) == []
    if "any_of" in expect:
        assert any(wrong(got, option) == [] for option in expect["any_of"])
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
