"""The file of earlier runs: whole after a crash, shared by programs, bounded and private."""

from __future__ import annotations

import json
import os
import stat
import sys
import tracemalloc
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from tui.capture import experience
from tui.capture.experience import Experience, Key, key_of
from tui.domain.calibration import Calibration
from tui.domain.expect import MOST_RUNS, Known
from tui.engines.found import Found
from tui.engines.urls import Base

KEY = Key("openai", "http://127.0.0.1:8080", "m", "cold")
RUN = Known(512, 1.9, 515, expected_s=1.8, at="then")
CURVE = Calibration(0.2, 0.001, 0.0, 0.02, 8, 128, 2048, "then")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "state" / "experience.jsonl"


def test_what_one_program_learns_the_next_one_knows(path: Path) -> None:
    Experience(path).learn(KEY, RUN)
    Experience(path).keep(KEY, CURVE)
    assert Experience(path).runs(KEY) == [RUN]
    assert Experience(path).calibration(KEY) == CURVE


def test_a_program_sees_what_another_one_adds_meanwhile(path: Path) -> None:
    one, other = Experience(path), Experience(path)
    assert one.runs(KEY) == []
    other.learn(KEY, RUN)
    assert one.runs(KEY) == [RUN]
    one.learn(KEY, replace(RUN, asked=128))
    assert [run.asked for run in other.runs(KEY)] == [512, 128]


def test_another_file_in_the_place_is_read_from_its_beginning(path: Path) -> None:
    store = Experience(path)
    store.learn(KEY, RUN)
    assert store.runs(KEY) == [RUN]
    draft = path.with_name("draft")
    for asked in (1, 2, 3):
        Experience(draft).learn(KEY, replace(RUN, asked=asked))
    draft.replace(path)
    assert [run.asked for run in store.runs(KEY)] == [1, 2, 3]
    path.unlink()
    assert store.runs(KEY) == []


def test_a_line_counts_once_it_is_whole(path: Path) -> None:
    Experience(path).learn(KEY, RUN)
    line = path.read_bytes()
    path.write_bytes(line[:40])
    store = Experience(path)
    assert store.runs(KEY) == []
    with path.open("ab") as file:
        file.write(line[40:])
    assert store.runs(KEY) == [RUN]


def test_no_more_is_kept_than_can_be_asked_for(path: Path) -> None:
    store = Experience(path)
    for n in range(3 * MOST_RUNS):
        store.learn(KEY, replace(RUN, asked=n + 1))
    assert [run.asked for run in store.runs(KEY)] == list(range(2 * MOST_RUNS + 1, 3 * MOST_RUNS + 1))
    tracemalloc.start()
    try:
        store.learn(KEY, RUN)
        store.runs(KEY)
        before = tracemalloc.get_traced_memory()[0]
        for n in range(10 * MOST_RUNS):
            store.learn(KEY, replace(RUN, asked=n + 1))
            store.runs(KEY)
        assert tracemalloc.get_traced_memory()[0] - before < 50_000  # all lines take several times that
    finally:
        tracemalloc.stop()


def test_engines_addresses_models_and_cache_modes_are_never_mixed(path: Path) -> None:
    store = Experience(path)
    store.learn(KEY, RUN)
    store.keep(KEY, CURVE)
    for other in (
        replace(KEY, engine="vllm"),
        replace(KEY, root="http://x"),
        replace(KEY, model="n"),
    ):
        assert store.runs(other) == [] and store.calibration(other) is None
    assert store.runs(replace(KEY, cache="same")) == []
    assert store.calibration(replace(KEY, cache="same")) == CURVE, "an endpoint has one"


def test_the_newest_calibration_counts(path: Path) -> None:
    store = Experience(path)
    store.keep(KEY, CURVE)
    store.keep(KEY, replace(CURVE, b_s=0.002))
    found = store.calibration(KEY)
    assert found is not None and found.b_s == 0.002


def test_a_damaged_line_is_passed_over_and_swallows_no_other(path: Path) -> None:
    store = Experience(path)
    store.learn(KEY, RUN)
    with path.open("ab") as file:
        file.write(
            b'[1]\n\xff\xfe\n{"key":' + b"[" * 5000 + b'\n{"key":{"engine":"openai"},"run":3}\n{"key":{"eng'
        )
    store.learn(KEY, replace(RUN, asked=128))
    assert [run.asked for run in Experience(path).runs(KEY)] == [512, 128]


def test_numbers_that_are_none_are_not_believed(path: Path) -> None:
    path.parent.mkdir()
    key = {"engine": KEY.engine, "root": KEY.root, "model": KEY.model, "cache": KEY.cache}
    told = [
        {},
        {"asked": 512, "ttft_s": -1},
        {"asked": "512", "ttft_s": 1},
        {"asked": 512, "ttft_s": True},
        3,
    ]
    path.write_text("".join(json.dumps({"key": key, "run": run}) + "\n" for run in told))
    assert Experience(path).runs(KEY) == []


def test_programs_that_write_at_once_lose_nothing(path: Path) -> None:
    stores = [Experience(path) for _ in range(4)]

    def work(number: int) -> None:
        for n in range(50):
            stores[number].learn(replace(KEY, model=str(number)), replace(RUN, asked=n + 1))

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(work, range(4)))
    # a line that was half there when another one looked is followed by an empty one: nothing is lost
    lines = [json.loads(line) for line in path.read_bytes().splitlines() if line]
    assert len(lines) == 200
    for number in range(4):
        asked = [line["run"]["asked"] for line in lines if line["key"]["model"] == str(number)]
        assert asked == list(range(1, 51))


def test_it_stays_small_and_keeps_the_newest_runs_and_every_calibration(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(experience, "MOST_BYTES", 6000)
    monkeypatch.setattr(experience, "_KEPT_BYTES", 3000)
    store = Experience(path)
    store.keep(KEY, CURVE)
    for n in range(200):
        store.learn(KEY, replace(RUN, asked=n + 1))
    assert path.stat().st_size < 7000
    assert Experience(path).calibration(KEY) == CURVE
    assert Experience(path).runs(KEY)[-1].asked == 200
    assert len(Experience(path).runs(KEY)) <= MOST_RUNS
    assert [file.name for file in path.parent.iterdir()] == [path.name], "no draft is left"


@pytest.mark.skipif(sys.platform == "win32", reason="modes")
def test_nobody_else_may_read_it(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(experience, "MOST_BYTES", 300)
    store = Experience(path)
    store.learn(KEY, RUN)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    store.learn(KEY, RUN)
    store.learn(KEY, RUN)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600, "nor after it was shortened"


def test_where_it_cannot_be_written_nothing_fails(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    store = Experience(tmp_path / "file" / "experience.jsonl")
    store.learn(KEY, RUN)
    assert store.runs(KEY) == [] and "nothing is learned" in store.problem


def test_it_can_be_cleared(path: Path) -> None:
    store = Experience(path)
    assert not store.clear()
    store.learn(KEY, RUN)
    assert store.clear() and not os.path.exists(path) and store.runs(KEY) == []


def test_the_key_holds_no_secret_and_knows_the_built_in_engine_at_any_port() -> None:
    found = Found("openai", Base("http://me:secret@host:1/x"), "m")
    assert key_of(found, False, "cold") == Key("openai", "http://host:1/x", "m", "cold")
    ports = {key_of(replace(found, base=Base(f"http://127.0.0.1:{n}")), True, "cold") for n in (1, 2)}
    assert len(ports) == 1
