"""What is claimed of an engine is what comes out of its captures: no more, and no less."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tests.engines.answering import drive
from tests.engines.seen import CAPTURES, MS, end_ns, records_of, run
from tui.domain.events import Event, Progress
from tui.domain.values import Provenance
from tui.domain.view import View
from tui.domain.wire import Meta, Note, Poll, Read, Record
from tui.engines.abilities.ability import COUNTS, NAMES, PHASES, Ability, Case
from tui.engines.abilities.table import COUNTERS, abilities, caution, remedy_of_wait, version_of
from tui.engines.asking import Answer, Ask
from tui.engines.base import Turn
from tui.engines.registry import adapter

SEEN_IN_BASE = ("connect",)  # captures carry no note of it


@dataclass(frozen=True)
class Proof:
    """A capture, and the case that it is an example of. unseen: what is claimed and needs another moment."""

    capture: str
    engine: str
    features: Mapping[str, bool] = field(default_factory=dict)
    version: str = ""
    polls: tuple[str, ...] = ()
    probe: bool = False
    unseen: frozenset[str] = frozenset()
    conditions: Mapping[str, object] = field(default_factory=dict)


def unseen(*names: str) -> frozenset[str]:
    return frozenset(names)


PROOFS = (
    Proof("vllm/default-short", "vllm"),
    Proof("vllm/flags-short", "vllm", {"per_request": True, "cache_report": True}),
    Proof("vllm/metrics-one-short", "vllm", {"metrics": True}, polls=("metrics",), unseen=unseen("progress")),
    Proof("vllm/log-stats-off", "vllm", {"metrics": False, "cache_report": True}),
    Proof("sglang-authored/01-chat-cache-report", "sglang", {"cache_report": True}),
    Proof("tensorrt-llm-authored/01-chat-short", "trtllm"),
    Proof("tensorrt-llm-authored/01-chat-short", "trtllm", {"per_request": True}, polls=("records",)),
    Proof("nim-authored/03-chat-plain", "nim"),
    Proof("nim-authored/01-chat-stats", "nim", {"per_request": True}),
    Proof("ollama-authored/01-warm-short", "ollama", version="0.33.0", unseen=unseen("load", "queue")),
    Proof("ollama-authored/02-cold-load", "ollama", version="0.33.0", unseen=unseen("queue"), polls=("ps",)),
    Proof(
        "ollama-authored/04b-cached-prompt-cached-count",
        "ollama",
        version="0.33.3",
        unseen=unseen("load", "queue"),
    ),
    Proof("ollama-authored/14-slot-queue-in-residual", "ollama", version="0.33.0", unseen=unseen("load")),
    Proof("lm-studio-authored/03-v1-long-prompt", "lmstudio", unseen=unseen("load", "queue")),
    Proof("lm-studio-authored/02-v1-cold-load", "lmstudio", unseen=unseen("queue")),
    Proof("lm-studio-authored/15-v1-wait-before-prefill", "lmstudio", unseen=unseen("load")),
    Proof("lm-studio-authored/20-openai-usage", "lmstudio", {"native_chat": False}),
    Proof("mlx-lm/10-chat-long-prefill", "mlx-lm"),
    Proof("llamacpp/17-chat-with-slots-polled", "llama.cpp", probe=True, unseen=unseen("load")),
    Proof("llamacpp/02-chat-long-progress", "llama.cpp", probe=True, unseen=unseen("load")),
)


def polled(proof: Proof) -> list[Poll]:
    """The side observations that the adapter makes, which these captures keep in files of their own."""
    at_ns = end_ns(proof.capture)
    folder = (CAPTURES / proof.capture).parent
    match proof.polls:
        case ("metrics",):
            pages = [Path(f"{CAPTURES / proof.capture}.metrics-{when}.txt") for when in ("before", "after")]
            return [
                Poll(at, "/metrics", 200, page.read_bytes())
                for at, page in zip((-5 * MS, at_ns), pages, strict=True)
            ]
        case ("records",):
            lines = (folder / "02-perf-metrics-one.jsonl").read_text().splitlines()
            return [Poll(at_ns, "/perf_metrics", 200, json.loads(lines[1])["b"].encode())]
        case ("ps",):
            return [Poll(-5 * MS, "/api/ps", 200, b'{"models":[]}')]
    if proof.engine == "ollama":  # in memory already
        meta = records_of(proof.capture)[0]
        assert isinstance(meta, Meta)
        request = meta.fields["request"]
        assert isinstance(request, dict)
        listed = {"models": [{"name": request["body"]["model"], "model": request["body"]["model"]}]}
        return [Poll(-5 * MS, "/api/ps", 200, json.dumps(listed).encode())]
    return []


def played(proof: Proof) -> tuple[View, list[Event]]:
    records: list[Record] = records_of(proof.capture, polled(proof), engine_version=proof.version)
    if proof.probe:
        records.insert(1, Note(0, "tokenize_probe", {"took_ns": MS, "base_ns": 0, "tokens": 9}))
    return run(records)


def claimed(proof: Proof) -> dict[str, Ability]:
    case = Case(proof.engine, version_of(proof.version), proof.features)
    return {ability.name: ability for ability in abilities(case)}


@pytest.mark.parametrize("proof", PROOFS, ids=lambda p: f"{p.capture} {sorted(p.features)}")
def test_each_phase_comes_out_as_claimed(proof: Proof) -> None:
    view, _ = played(proof)
    shown = {phase.name: phase.provenance for phase in view.phases}
    for name in PHASES:
        ability = claimed(proof)[name]
        if name in SEEN_IN_BASE or name in proof.unseen:
            continue
        if ability.provenance is Provenance.ABSENT:
            assert name not in shown, (name, shown)
        else:
            assert shown.get(name) is ability.provenance, (name, shown)


@pytest.mark.parametrize("proof", PROOFS, ids=lambda p: f"{p.capture} {sorted(p.features)}")
def test_each_count_comes_out_as_claimed(proof: Proof) -> None:
    view, events = played(proof)
    reports = [event for event in events if isinstance(event, Progress)]
    came = {
        "tokens": view.tokens is not None,
        "cached_tokens": view.cached_tokens is not None,
        "progress": bool(reports),
    }
    for name in COUNTS:
        ability = claimed(proof)[name]
        if name not in proof.unseen:
            assert came[name] is (ability.provenance is not Provenance.ABSENT), name
    if reports:
        estimated = claimed(proof)["progress"].provenance is Provenance.ESTIMATED
        assert {report.estimated for report in reports} == {estimated}


def test_a_model_that_was_put_away_is_an_estimated_load() -> None:
    view, _ = run(records_of("own/llamacpp-asleep"))
    shown = {phase.name: phase.provenance for phase in view.phases}
    told = {ability.name: ability for ability in abilities(Case("llama.cpp"))}
    assert shown["load"] is told["load"].provenance is Provenance.ESTIMATED


# Chunks as each of them sends them, after an empty role chunk; the durations are in the last one.
LAST: Mapping[str, Mapping[str, object]] = {
    "groq": {"x_groq": {"usage": {"queue_time": 0.001, "prompt_time": 0.01, "completion_time": 0.02}}},
    "cerebras": {"time_info": {"queue_time": 0.001, "prompt_time": 0.01, "completion_time": 0.02}},
    "fireworks": {
        "perf_metrics": {
            "prefill-queue-duration": "0.001",
            "tokenizer-duration": "0.001",
            "prefill-duration": "0.01",
            "generation-duration": "0.02",
        }
    },
    "mistralrs": {"usage": {"total_prompt_time_sec": 0.01, "total_completion_time_sec": 0.02}},
    "omlx": {
        "usage": {"model_load_duration": 0.001, "prompt_eval_duration": 0.01, "generation_duration": 0.02}
    },
    "openai": {},
    "openrouter": {},
    "deepseek": {},
    "ovms": {},
    "litellm": {},
    "mlx-vlm": {
        "timings": {
            "prompt_n": 9,
            "cache_n": 0,
            "predicted_n": 2,
            "prompt_ms": 30.0,
            "predicted_ms": 40.0,
            "predicted_per_second": 50.0,
            "peak_memory": 0.3,
            "draft_kind": None,
        }
    },
}
COUNTED = {"prompt_tokens": 9, "completion_tokens": 2, "prompt_tokens_details": {"cached_tokens": 0}}


@pytest.mark.parametrize("engine", LAST)
def test_what_a_last_chunk_tells_comes_out_as_claimed(engine: str) -> None:
    last: dict[str, object] = {"choices": [], **LAST[engine]}
    known = last.get("usage")
    last["usage"] = COUNTED | (known if isinstance(known, dict) else {})
    chunks: list[dict[str, object]] = [
        {"choices": [{"index": 0, "delta": {"content": word}, "finish_reason": reason}]}
        for word, reason in (("a", None), ("b", "stop"))
    ]
    records: list[Record] = [
        Meta({"engine": engine, "request": {"path": "/v1/chat/completions"}, "status": 200}),
        Note(0, "sent", {}),
        Note(MS, "head", {"status": 200, "headers": [["content-type", "text/event-stream"]]}),
        *(
            Read(at * MS, b"data: " + json.dumps(chunk).encode() + b"\n\n")
            for at, chunk in zip((60, 80, 81), [*chunks, last], strict=True)
        ),
        Read(82 * MS, b"data: [DONE]\n\n"),
    ]
    view, _ = run([*records, *records_of("vllm/default-short")[-1:]])
    shown = {phase.name: phase.provenance for phase in view.phases}
    for ability in abilities(Case(engine)):
        if ability.name in PHASES[1:]:
            wanted = None if ability.provenance is Provenance.ABSENT else ability.provenance
            assert shown.get(ability.name) is wanted, (ability.name, shown)


ENGINES = (
    "llama.cpp", "embedded", "vllm", "nim", "nim-vllm", "nim-sglang", "sglang", "trtllm", "ollama",
    "lmstudio", "mlx-lm", "koboldcpp", "tgi", "lmdeploy", "exo", "mistralrs", "omlx", "lemonade",
    "llamafiler", "ovms", "litellm", "mlx-vlm", "llama-cpp-python", "groq", "cerebras", "fireworks",
    "openrouter", "deepseek", "together", "openai", "nobody-knows",
)  # fmt: skip


@pytest.mark.parametrize("engine", ENGINES)
def test_every_engine_says_something_of_every_name(engine: str) -> None:
    told = abilities(Case(engine))
    assert [ability.name for ability in told] == list(NAMES)
    assert all(ability.source for ability in told)


@pytest.mark.parametrize("engine", ENGINES)
def test_who_counts_tokens_is_who_the_adapter_asks(engine: str) -> None:
    counter = adapter(engine).counter
    assert (counter is not None) is (engine in COUNTERS)
    if counter is not None:
        asked: list[str] = []

        def answered(ask: Ask) -> Answer:
            if ask.method == "POST":
                asked.append(f"{ask.method} {ask.path}")
            return Answer(200, {}, b"{}")

        drive(counter("m", [[Turn("user", "u")]]), answered)
        assert asked[0] in COUNTERS[engine]


@pytest.mark.parametrize(
    ("engine", "features", "remedy"),
    [
        ("vllm", {}, "--enable-per-request-metrics --enable-prompt-tokens-details"),
        ("vllm", {"metrics": True}, "--enable-per-request-metrics"),
        ("nim-vllm", {}, "NIM_PASSTHROUGH_ARGS="),
        ("nim", {}, "NIM_PER_REQ_METRICS_ENABLE=1"),
        ("sglang", {}, "--enable-metrics --enable-cache-report"),
        ("trtllm", {}, "return_perf_metrics: true and perf_metrics_max_requests"),
        ("lmstudio", {"native_chat": False}, "LM Studio 0.4.0"),
    ],
)
def test_what_would_make_the_prefill_measurable_is_named(
    engine: str, features: Mapping[str, bool], remedy: str
) -> None:
    told = {ability.name: ability for ability in abilities(Case(engine, features=features))}
    assert remedy in told["prefill"].remedy


def test_a_flag_that_came_later_is_told_with_its_version() -> None:
    old, new, unknown = (
        {a.name: a.remedy for a in abilities(Case("vllm", version_of(words)))}["queue"]
        for words in ("0.19.1", "0.32.0", "")
    )
    assert old.startswith("take vLLM 0.25 or newer")
    assert "0.25" not in new and unknown.endswith("(0.25 or newer)")
    told = {a.name: a for a in abilities(Case("ollama", version_of("0.32.15")))}
    assert told["cached_tokens"].remedy == "take Ollama 0.33.3 or newer"


@pytest.mark.parametrize(
    ("conditions", "told"),
    [
        ({"engine": "vllm", "engine_version": "0.32.0"}, "start vLLM with --enable-per-request-metrics"),
        ({"engine": "nim"}, "start NIM with -e NIM_PER_REQ_METRICS_ENABLE=1"),
        ({"engine": "sglang"}, "start SGLang with --enable-metrics"),
        ({"engine": "llama.cpp"}, ""),
        ({"engine": "mlx-lm"}, ""),
        # what is on already, and told of others too, is no remedy
        ({"engine": "vllm", "timings_kept": True}, "start vLLM with --enable-per-request"),
        ({"engine": "sglang", "timings_kept": True}, ""),
        ({"engine": "sglang", "timings_kept": False}, "start SGLang with --enable-metrics"),
        ({"engine": "trtllm", "timings_kept": True}, ""),
        ({"engine": "trtllm", "timings_kept": False}, "return_perf_metrics"),
        ({"engine": "lmdeploy"}, ""),
        ({"engine": 7}, ""),
        ({}, ""),
    ],
)
def test_a_hatched_wait_names_its_remedy_where_there_is_one(
    conditions: Mapping[str, object], told: str
) -> None:
    remedy = remedy_of_wait(conditions)
    assert remedy.startswith(told) and bool(remedy) is bool(told)


def test_reading_the_records_of_tensorrt_llm_is_warned_of() -> None:
    assert re.search("takes the records from other readers", caution("trtllm"))
    assert caution("vllm") == ""
