"""Whatever the bytes, there is a run: cut anywhere the same, ended anywhere a part, damaged a sound one."""

from __future__ import annotations

import random
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.fuzz.made import APART, HOWS, SPEAKERS, run_from, speaker
from tests.fuzz.mangled import mangled
from tests.fuzz.sound import run_of
from tests.wire.runs import CAPTURES, FILES, body_of, recording
from tui.capture.recording import NotARecording, parse
from tui.domain.wire import End, Read, Record

CASES = sorted((CAPTURES.parent / "cases").glob("*.jsonl"))
SMALL = [path for path in (*FILES, *CASES) if path.stat().st_size < 20_000]
# the same examples each time; the fuzzer (see harness) looks for new ones
always = settings(derandomize=True, deadline=None, max_examples=40, database=None)
seeds = st.integers(0, (1 << 32) - 1)
files = st.sampled_from(SMALL)


def at_once(records: tuple[Record, ...], edges: list[int]) -> dict[str, Any]:
    """The run of the same bytes cut at `edges`, all within one moment; without what tells of arrival."""
    data = body_of(records)
    at_ns = next((r.at_ns for r in records if isinstance(r, Read)), 0)
    places = [0, *sorted(edge % (len(data) + 1) for edge in edges), len(data)]
    reads = [Read(at_ns, data[a:b]) for a, b in pairwise(places)]
    before = [r for r in records if not isinstance(r, Read | End) and getattr(r, "at_ns", 0) <= at_ns]
    run = run_of([*before, *reads, records[-1]])
    run["warnings"] = [code for code in run["warnings"] if code != "buffered_delivery"]
    return {
        key: value
        for key, value in run.items()
        if key not in ("clock", "gap_ms", "stalls", "decode_reliable")
    }


@always
@given(files, st.lists(st.integers(0, 1 << 20), max_size=12))
def test_any_cut_gives_the_same_run(path: Path, edges: list[int]) -> None:
    records = recording(path).records
    assert at_once(records, edges) == at_once(records, [])


@always
@given(files, st.integers(0, 1 << 20), st.sampled_from(HOWS))
def test_a_reply_that_ends_anywhere_is_a_run_with_a_reason(path: Path, place: int, how: str) -> None:
    records = recording(path).records
    left = place % (len(body_of(records)) + 1)
    kept: list[Record] = []
    for record in records[:-1]:
        data = record.data[:left] if isinstance(record, Read) else b""
        kept.append(Read(record.at_ns, data) if isinstance(record, Read) else record)
        left -= len(data)
        if left <= 0 and isinstance(record, Read):
            break
    last_ns = max((getattr(record, "at_ns", 0) for record in kept), default=0)
    run = run_of([*kept, End(max(0, last_ns), how)])
    assert run["complete"] or run["error"] or run["warnings"] or how in ("hang", "cancelled")


@settings(always, max_examples=150)
@given(files, seeds)
def test_a_mangled_reply_is_still_a_sound_run(path: Path, seed: int) -> None:
    chance = random.Random(seed)
    records = recording(path).records
    body = mangled(body_of(records), chance)
    cut = chance.choice((1, 7, 100, 5000)) if len(body) < 5000 else 5000
    reads = [Read(1_000_000 + n, body[at : at + cut]) for n, at in enumerate(range(0, len(body), cut))]
    run_of([records[0], *reads, End(9_000_000_000, chance.choice(HOWS))])


@settings(always, max_examples=120)
@given(files, seeds)
def test_a_mangled_recording_is_damaged_lines_and_a_sound_run(path: Path, seed: int) -> None:
    data = mangled(path.read_bytes(), random.Random(seed))
    try:
        recorded = parse(data.splitlines(keepends=True))
    except NotARecording:
        return
    run_of(recorded.records, timed=False)


def pages(name: str) -> tuple[bytes, bytes]:
    """The counters before and after a request to vLLM."""
    before, after = (
        (CAPTURES / "vllm" / f"{name}.metrics-{when}.txt").read_bytes() for when in ("before", "after")
    )
    kept = [b"\n".join(line for line in page.split(b"\n") if line[:1] != b"#") for page in (before, after)]
    return kept[0], kept[1]


@cache
def beside() -> list[bytes]:
    """Inputs of `made` in which something is asked beside the stream."""
    chat = APART.join(
        r.data
        for r in recording(CAPTURES / "vllm" / "metrics-one-short.jsonl").records
        if isinstance(r, Read)
    )
    before, after = pages("metrics-one-short")
    asked: dict[str, tuple[bytes, ...]] = {
        "vllm": (b"</metrics/?a\n" + before, b"?/metrics/?b\n" + before, chat, b">/metrics/?c\n" + after),
        "ollama": (
            b'</api/ps\n{"models":[]}',
            b'?/api/ps\n{"models":[{"name":"m:latest","context_length":4096,"size":10,"size_vram":5}]}',
            b'{"message":{"content":"hi"},"done":false}\n',
            b'{"done":true,"done_reason":"stop","total_duration":9000000,"load_duration":1000,'
            b'"prompt_eval_count":5,"prompt_eval_duration":2000000,"eval_count":4,"eval_duration":3000000}\n',
        ),
        "trtllm": (
            chat,
            b'>/perf_metrics\n[{"request_id":1,"perf_metrics":{"timing_metrics":{"arrival_time":1.5,'
            b'"first_scheduled_time":1.6,"first_token_time":1.7,"last_token_time":1.71}}}]',
        ),
        "llama.cpp": (b'</props\n{"is_sleeping":true}', b'?/slots\n[{"is_processing":true}]', chat),
        "exo": (
            b': prefill_progress {"processed_tokens":5,"total_tokens":10}\n\n'
            b': generation_stats {"prompt_tokens":10,"prompt_tps":100.5,"prefix_cache_hit":"none"}\n\n',
            chat,
        ),
        "lemonade": (chat, b'>/v1/stats\n{"input_tokens":20,"output_tokens":5,"cache_tokens":2}'),
        "koboldcpp": (b'</api/extra/perf\n{"total_gens":1}', chat, b'>/api/extra/perf\n{"total_gens":2}'),
    }
    path = {"ollama": "/api/chat"}
    return [
        bytes([speaker(name, path.get(name, "")), 0, 0]) + APART.join(told) for name, told in asked.items()
    ]


@settings(always, max_examples=150)
@given(st.integers(0, 6), seeds)
def test_mangled_answers_beside_the_stream_are_harmless(which: int, seed: int) -> None:
    data = beside()[which]
    run_of(run_from(data[:3] + mangled(data[3:], random.Random(seed))))


@settings(always, max_examples=120)
@given(st.integers(0, len(SPEAKERS) - 1), st.binary(max_size=2), st.lists(st.binary(max_size=60), max_size=8))
def test_bytes_of_any_kind_are_a_sound_run(who: int, head: bytes, reads: list[bytes]) -> None:
    run_of(run_from(bytes([who]) + head.ljust(2, b"\0") + APART.join(reads)))


@pytest.mark.parametrize("who", range(len(SPEAKERS)), ids=lambda n: "".join(SPEAKERS[n]))
def test_every_engine_outlives_odd_json(who: int) -> None:
    for seed in range(12):
        chance = random.Random(f"{who} {seed}")
        data = chance.choice(beside())
        run_of(run_from(bytes([who]) + data[1:3] + mangled(data[3:], chance)))
