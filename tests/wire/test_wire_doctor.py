"""Doctor asks served engines: each is named, with what can be measured there and the flag that is missing."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest

from tests.wire.scenes import scene
from tests.wire.server import Server
from tui.capture.in_thread import InThread
from tui.capture.target import Target
from tui.domain.machine import Reading, raw_from
from tui.engines.urls import normalised
from tui.probes.sampler import Sampler
from tui.report.doctor.findings import Findings, engine_of
from tui.report.doctor.lines import lines
from tui.report.doctor.objects import findings_object
from tui.report.doctor.probed import groups
from tui.report.doctor.program import BuiltIn, program
from tui.report.doctor.search import Search, Seen
from tui.report.doctor.terminal import Terminal

TERMINAL = Terminal("xterm-256color", 256, False, True, "utf-8", (80, 24), "tmux", True, True)


class Readings(Sampler):
    """A sampler without a process: each mark gives one reading, with the facts of the host."""

    def __init__(self) -> None:
        super().__init__(())
        self.watched: tuple[str, int] | None = None
        self._marks = 1

    def watch(self, host: str, port: int) -> None:
        self.watched = (host, port)

    def rate(self, hz: float) -> None:
        pass

    def mark(self) -> None:
        self._marks += 1

    def drain(self) -> list[tuple[int, dict[str, object]]]:
        marks, self._marks = self._marks, 0
        reading = Reading(0, ram_total_bytes=2**34, ram_available_bytes=2**33, host={"cpu": "a CPU, 8 cores"})
        return [(time.monotonic_ns(), raw_from(reading)) for _ in range(marks)]


def seen(server: Server, engine: str = "", target: bool = True) -> Seen:
    channel, sampler = InThread(), Readings()
    try:
        at = Target(server.url) if target else None
        found = Search(channel, sampler, at, (normalised(server.url),), engine).run()
    finally:
        channel.close()
    if found.engines:
        assert sampler.watched == ("127.0.0.1", int(server.url.rpartition(":")[2]))
    return found


def findings(told: Seen) -> Findings:
    inside = BuiltIn("", "SmolLM2", program().path, False)
    return Findings(
        program(),
        tuple(map(engine_of, told.engines)),
        told.slow,
        inside,
        groups(told.reading),
        told.reading.host if told.reading else {},
        TERMINAL,
        (),
        told.problem,
    )


def text(told: Seen) -> str:
    written = list(lines(findings(told)))
    assert all(len(line) <= 80 for line in written if "/" not in line), written
    assert "\x1b" not in "".join(written)
    return "\n".join(written)


def told_of(server: Server) -> dict[str, Any]:
    (engine,) = json.loads(json.dumps(findings_object(findings(seen(server))), allow_nan=False))["engines"]
    return dict(engine)


@pytest.mark.parametrize(
    ("engine", "missing"),
    [
        ("vllm", "--enable-per-request-metrics --enable-prompt-tokens-details"),
        ("sglang", "--enable-metrics --enable-cache-report"),
        ("trtllm", "return_perf_metrics: true and perf_metrics_max_requests: 256"),
        ("nim", "NIM_PER_REQ_METRICS_ENABLE=1"),
        ("ollama", "Ollama 0.33.3 or newer"),
        ("mlx-lm", "--prefill-step-size"),
        ("llama.cpp", ""),
        ("koboldcpp", ""),
        ("lemonade", ""),
        ("exo", ""),
    ],
)
def test_each_engine_is_named_with_the_flag_that_is_missing(engine: str, missing: str) -> None:
    with scene(engine) as server:
        told = told_of(server)
        assert told["name"] == engine and told["model"] and told["here"]
        remedies = [str(one["remedy"]) for one in (*told["phases"], *told["counts"])]
        assert any(missing in remedy for remedy in remedies)
        assert {seen.path for seen in server.seen if seen.method != "GET"} <= {"/api/show"}


def test_it_is_written_as_lines_that_fit() -> None:
    with scene("trtllm") as server:
        told = text(seen(server))
    assert f"  trtllm 1.3.0 at {server.url}" in told
    assert "    queue          – only waited for  queue and prefill are one wait\n" in told
    assert "    tokenize       ○ observed         sent to response head\n" in told
    assert "    → queue, prefill: return_perf_metrics: true and perf_metrics_max_requests:\n" in told
    assert "    careful        each request reads /perf_metrics, which takes the records\n" in told
    assert "    prompt tokens  estimated by its characters, corrected by each run\n" in told


def test_counters_that_are_served_make_vllm_measurable() -> None:
    with scene("vllm") as server:
        told = text(seen(server))
    assert "    queue          ● measured         growth of its counters, while it is alone\n" in told
    assert "    prompt tokens  POST /tokenize\n" in told


@pytest.mark.parametrize("engine", ["vllm", "lmstudio"])
def test_what_is_found_without_being_named_is_told_as_much(engine: str) -> None:
    with scene(engine) as server:
        found, named = seen(server, target=False), seen(server)
    assert [it.engine for it in found.engines] == [engine] == [it.engine for it in named.engines]
    assert found.engines[0].version == named.engines[0].version
    assert found.engines[0].models == named.engines[0].models


def test_only_the_engine_that_was_asked_for_counts() -> None:
    with scene("vllm") as server:
        told = seen(server, engine="ollama")
    assert told.engines == ()
    assert told.problem == "it is vllm that answers there, not ollama; leave --engine away"


def test_where_nobody_answers_the_reason_is_told() -> None:
    channel = InThread()
    try:
        told = Search(channel, Readings(), Target("http://127.0.0.1:9"), ()).run()
    finally:
        channel.close()
    assert told.engines == ()
    assert told.problem == (
        "Nothing answers at http://127.0.0.1:9 (connection refused). Is the server running?"
    )
    assert told.reading is not None


class Hung(Readings):
    """A sampler whose driver never answers."""

    def drain(self) -> list[tuple[int, dict[str, object]]]:
        return []


def test_a_machine_that_gives_no_answer_is_not_waited_for() -> None:
    now = [0]

    def clock() -> int:
        now[0] += 100_000_000
        return now[0]

    channel = InThread()
    try:
        told = Search(channel, Hung(), None, (), clock=clock).run()
    finally:
        channel.close()
    assert told.reading is None
    assert {group.told for group in groups(told.reading)} == {"no answer"}
