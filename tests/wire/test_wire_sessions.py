"""Whole sittings with every engine, served from its captures: find it, ask, watch, end, give up."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.wire.client import sitting, until
from tests.wire.runs import CAPTURES, TOLD, told_by
from tests.wire.scenes import scene
from tests.wire.server import Server
from tests.wire.stream import stream_of
from tui.capture.recording import read
from tui.capture.session import Session
from tui.domain.knobs import Knobs
from tui.domain.view import Stage
from tui.report.numbers import run_object

KNOBS = Knobs(prompt_tokens=64, answer_limit=16)
# A capture for each path that an adapter may choose.
CAST = {
    "vllm": ("flags-short", "flags-completions"),
    "mlx-lm": ("03d-finish-stop", "04-v1-completions"),
    "ollama": ("01-warm-short", "19a-openai-usage", "16-generate-context"),
    "lmstudio": ("01-v1-warm-short", "20-openai-usage", "30-v0-stream-with-stats"),
    "nim": ("01-chat-stats",),
    "sglang": ("01-chat-cache-report", "02-generate-metrics"),
    "trtllm": ("01-chat-short",),
}
COUNTS = ("tokens", "prompt_tokens", "cached_tokens", "reasoning_tokens", "finish_reason", "chunks")

every_engine = pytest.mark.parametrize("engine", CAST)


def finished(session: Session) -> dict[str, Any]:
    session.send(KNOBS)
    until(session, lambda: not session.running and session.ended)
    assert session.notice == ""
    return run_object(session.view())


def asked_for(server: Server, engine: str) -> str:
    """The name in the table of the capture that was served."""
    (posted,) = server.posted
    folder = next(name for name in TOLD if name.startswith(FOLDERS[engine])).partition("/")[0]
    names = [f"{folder}/{name}" for name in CAST[engine]]
    return next(name for name in names if stream_of(CAPTURES / f"{name}.jsonl").path == posted.path)


FOLDERS = {"lmstudio": "lm-studio", "trtllm": "tensorrt-llm"} | {
    name: name for name in ("vllm", "mlx-lm", "ollama", "nim", "sglang")
}


@every_engine
def test_an_engine_is_found_without_touching_it(engine: str) -> None:
    with scene(engine, *CAST[engine]) as server, sitting(server) as session:
        assert session.found is not None
        assert session.found.engine == engine
        assert session.found.model
        posts = {seen.path for seen in server.seen if seen.method != "GET"}
        assert posts <= {"/api/show"}  # only looks up what a model is
        if engine == "sglang":
            assert server.asked("/health") == []  # it runs a token for that


@pytest.mark.parametrize("emulator", ["koboldcpp", "lemonade", "exo", "sglang"])
def test_who_speaks_ollamas_api_is_not_taken_for_ollama(emulator: str) -> None:
    with scene(emulator) as server, sitting(server) as session:
        assert session.found is not None and session.found.engine != "ollama"


@every_engine
def test_a_whole_sitting_tells_what_the_capture_tells(engine: str, tmp_path: Path) -> None:
    with scene(engine, *CAST[engine]) as server, sitting(server, tmp_path) as session:
        run = finished(session)
        name = asked_for(server, engine)
        assert session.run is not None and session.run.recording is not None
        file = told_by(read(CAPTURES / f"{name}.jsonl").records)
        assert run["complete"] and run["error"] is None
        assert {key: run[key] for key in COUNTS} == {key: file[key] for key in COUNTS}
        assert run["answer_text"] == file["answer_text"] and run["reasoning_text"] == file["reasoning_text"]
        again = told_by(read(session.run.recording).records)
        assert again == run


@every_engine
@pytest.mark.parametrize(
    "piece", [0, 1, 2], ids=["before the head", "before the first piece", "in the middle"]
)
def test_cancel_closes_the_socket(engine: str, piece: int) -> None:
    with scene(engine, *CAST[engine]) as server, sitting(server) as session:
        server.hold(piece=piece)
        session.send(KNOBS)
        until(session, lambda: server.held)
        session.cancel()
        server.wait_closed()
        until(session, lambda: session.view().stage is Stage.CANCELLED)
        assert not session.view().complete
        assert session.view().failure is None


def deltas(name: str) -> dict[str, float]:
    """How much each of vLLM's series grew around one request."""
    pages = [(CAPTURES / "vllm" / f"{name}.metrics-{when}.txt").read_text() for when in ("before", "after")]
    before, after = (
        dict(line.rsplit(" ", 1) for line in page.splitlines() if line.startswith("vllm:")) for page in pages
    )
    return {key.partition("{")[0]: float(value) - float(before[key]) for key, value in after.items()}


def test_vllms_counters_split_the_wait_of_a_request_that_was_alone() -> None:
    with scene("vllm", "metrics-one-short", speed=1) as server, sitting(server) as session:
        run = finished(session)
    grown = deltas("metrics-one-short")
    assert run["queue_s"] == pytest.approx(grown["vllm:request_queue_time_seconds_sum"], abs=0.001)
    assert run["prefill_s"] == pytest.approx(grown["vllm:request_prefill_time_seconds_sum"], abs=0.001)


def test_counters_that_others_moved_too_split_nothing() -> None:
    with scene("vllm", "metrics-two-at-once", speed=4) as server, sitting(server) as session:
        run = finished(session)
    told = {phase["name"] for phase in run["phases"] if phase["provenance"] == "measured"}
    assert not told & {"queue", "prefill"}
    assert run["prefill_tok_s"] is None


def test_tensorrt_llms_own_times_are_read_once() -> None:
    with scene("trtllm", "01-chat-short", speed=1) as server, sitting(server) as session:
        run = finished(session)
    assert run["queue_s"] == pytest.approx(0.0004, abs=1e-5)
    assert run["prefill_s"] == pytest.approx(0.0251, abs=1e-5)
