"""The recordings that come along: real, whole, small, without secrets, and inside the package."""

from __future__ import annotations

import getpass
import gzip
import json
import re
import socket
import tomllib
from pathlib import Path

import pytest

from tui import locations
from tui.capture.demo import LIST, DemoSession, Reel, reels
from tui.capture.live import Live
from tui.domain.view import View
from tui.domain.wire import Sample

ROOT = Path(__file__).parents[2]
LARGEST, TOGETHER = 60_000, 250_000
NAMES = [reel.file.name for reel in reels()]


def by_name(name: str) -> Reel:
    return next(reel for reel in reels() if reel.file.name == name)


def seen(name: str) -> View:
    live = Live()
    live.feed(by_name(f"{name}.jsonl.gz").load().records)
    return live.view()


def test_they_are_small_and_all_that_lies_there_is_listed() -> None:
    files = [file for file in locations.demo_dir().iterdir() if file.name != LIST]
    assert {file.name for file in files} == set(NAMES)
    sizes = [file.stat().st_size for file in files]
    assert max(sizes) < LARGEST and sum(sizes) < TOGETHER


def test_they_lie_where_the_wheel_takes_them_from() -> None:
    built = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["hatch"]["build"]
    wheel = built["targets"]["wheel"]
    assert locations.demo_dir() == ROOT / "tui" / "demo"
    assert "tui" in wheel["only-include"]
    assert not {"exclude", "artifacts"} & (set(wheel) | set(built))
    ignored = (ROOT / ".gitignore").read_text(encoding="utf-8").split()
    assert not {"*.gz", "*.jsonl.gz", "demo/", "*.toml"} & set(ignored), "what git ignores the wheel lacks"


@pytest.mark.parametrize("name", NAMES)
def test_each_is_a_whole_recording_of_a_real_request_with_the_machine_s_readings(name: str) -> None:
    recording = by_name(name).load()
    live = Live()
    live.feed(recording.records)
    view = live.view()
    assert recording.ended and not recording.damaged_lines
    assert view.complete and view.failure is None and not view.warnings
    assert recording.meta.fields["format"] == "toklane/1"
    assert view.clock.source == "kernel"
    assert sum(isinstance(record, Sample) for record in recording.records) > 10
    assert view.prefill_start_ns is not None and view.reports


@pytest.mark.parametrize("name", NAMES)
def test_none_tells_of_the_machine_it_was_made_on_more_than_its_readings(name: str) -> None:
    text = gzip.decompress(by_name(name).file.read_bytes()).decode()
    assert not re.search(r"authorization|api[-_]key|bearer", text, re.IGNORECASE)
    assert not re.search(r'"/(?:home|root|tmp|opt|work|Users|var)/', text)
    own = {socket.gethostname(), getpass.getuser()} - {"localhost", "root"}
    assert not [word for word in own if len(word) > 3 and word in text]
    assert set(re.findall(r"https?://([^/:\"]+)", text)) <= {"127.0.0.1"}
    for line in text.splitlines():
        assert json.loads(line)


def test_each_shows_what_its_caption_says() -> None:
    short, long, cached = seen("short"), seen("long"), seen("cached")
    assert (short.prompt_tokens or 0) < 200 and len(long.reports) > 25
    reading = short.phase("prefill")
    assert reading is not None and 4e8 < reading.duration_ns < 6e8
    assert "half a second" in by_name("short.jsonl.gz").caption
    assert round((long.prompt_tokens or 0) / (short.prompt_tokens or 1)) == 16
    assert "16 times as long" in by_name("long.jsonl.gz").caption
    assert long.ttft.number is not None and long.total_ns is not None
    assert long.ttft.number > 0.8 * long.total_ns / 1e9
    assert (cached.cached_tokens or 0) > 0.9 * (cached.prompt_tokens or 1)
    assert cached.ttft.number is not None and cached.ttft.number < 0.2 * long.ttft.number
    queue = seen("queued").phase("queue")
    assert queue is not None and queue.duration_ns > 2e9
    assert [stall.gap_ns > 3e8 for stall in seen("stalled").stalls] == [True]


@pytest.mark.parametrize("name", ["queued", "stalled"])
def test_what_was_done_on_purpose_is_said(name: str) -> None:
    session = DemoSession([by_name(f"{name}.jsonl.gz")])
    assert session.run is not None and "on purpose" in session.run.note


def test_captions_are_one_short_sentence() -> None:
    for reel in reels():
        assert reel.caption.endswith(".") and len(reel.caption) <= 75
        assert 0 < len(reel.title) <= 24


def test_a_list_that_is_damaged_or_gone_raises_what_the_screen_expects(tmp_path: Path) -> None:
    with pytest.raises(OSError, match=LIST):
        reels(tmp_path)
    (tmp_path / LIST).write_text("[[recording", encoding="utf-8")
    with pytest.raises(ValueError):
        reels(tmp_path)
