"""Over a real socket every engine is named right, emulators included, at its address and by discovery."""

from __future__ import annotations

import time
from collections.abc import Iterator
from itertools import count

import pytest

from tests.wire.scenes import scene
from tui.capture.aiming import Aim, Discovery
from tui.capture.frames import Reply
from tui.capture.in_thread import InThread
from tui.capture.target import Target
from tui.engines.detect import Found
from tui.engines.urls import normalised

PATIENCE_S = 20.0
NAMES = ("vllm", "mlx-lm", "ollama", "lmstudio", "nim", "sglang", "trtllm", "llama.cpp")
EMULATORS = ("koboldcpp", "lemonade", "exo")
NEVER = {"/metrics", "/perf_metrics", "/health", "/v1/license"}


@pytest.fixture
def channel() -> Iterator[InThread]:
    channel = InThread()
    yield channel
    channel.close()


def settled(channel: InThread, look: Aim | Discovery) -> None:
    """Hear replies until the look is done; the clock stands still, so nobody is late."""
    give_up_s = time.monotonic() + PATIENCE_S
    while not look.done:
        assert channel.wait(give_up_s - time.monotonic()), "no answer"
        for frame in channel.drain():
            assert not isinstance(frame, Reply) or look.hear(frame, 0)


@pytest.mark.parametrize("engine", [*NAMES, *EMULATORS])
def test_an_engine_is_named_right(engine: str, channel: InThread) -> None:
    ids = count(1)
    with scene(engine) as server:
        aim = Aim(Target(server.url), channel.send, lambda: next(ids), 0)
        settled(channel, aim)
        asked = [(seen.method, seen.path) for seen in server.seen]
    assert isinstance(aim.found, Found), aim.problem
    assert aim.found.engine == engine and aim.found.model and not aim.found.auth_needed
    mine = {"vllm": {"/metrics"}, "mlx-lm": {"/health"}}.get(engine, set())
    assert not {path.rstrip("/") for _, path in asked} & (NEVER - mine)
    assert {method for method, path in asked if path != "/api/show"} == {"GET"}


@pytest.mark.parametrize("engine", [*NAMES, *EMULATORS])
def test_an_engine_is_found_with_gets_alone(engine: str, channel: InThread) -> None:
    ids = count(1)
    with scene(engine) as server:
        search = Discovery([normalised(server.url)], channel.send, lambda: next(ids), 0)
        settled(channel, search)
        assert {seen.method for seen in server.seen} == {"GET"}
    assert [found.engine for found in search.found] == [engine]
