"""Who answers too late is not waited for: one address, or all usual ports, by a clock of its own."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from itertools import count

import pytest

from tests.capture.conftest import PATIENCE_S, Server
from tui.capture.aiming import Aim, Discovery
from tui.capture.frames import Reply
from tui.capture.in_thread import InThread
from tui.capture.lookout import Lookout
from tui.capture.orders import FetchOrder
from tui.capture.target import Target
from tui.engines.urls import Base

MS = 1_000_000
STEP_NS = 20 * MS
VLLM = {
    "/v1/models": {"data": [{"id": "m", "owned_by": "vllm", "max_model_len": 4096}]},
    "/version": {"version": "0.32.0"},
}
OLLAMA = {
    "/v1/models": {"data": [{"id": "m", "owned_by": "library"}]},
    "/api/version": {"version": "0.32.15"},
    "/": "Ollama is running",
    "/api/tags": {"models": [{"name": "m"}]},
}


class World:
    """Engines by address, and the time. An answer comes when `step` reaches it; None never comes."""

    def __init__(
        self, engines: dict[str, dict[str, object]], slow: dict[str, int | None] | None = None
    ) -> None:
        self.now_ns = 0
        self.asked: list[FetchOrder] = []
        self.ids = count(1)
        self._engines = engines
        self._slow = slow or {}
        self._due: list[tuple[int, Reply]] = []

    def clock(self) -> int:
        return self.now_ns

    def next_id(self) -> int:
        return next(self.ids)

    def ask(self, order: FetchOrder) -> None:
        self.asked.append(order)
        root = next((root for root in self._engines if order.url.startswith(root)), "")
        path = order.url.removeprefix(root)
        wait_ms = self._slow.get(root + path, self._slow.get(root, 1))
        if wait_ms is not None:
            self._due.append((self.now_ns + wait_ms * MS, self._reply(order.id, root, path)))

    def _reply(self, ask_id: int, root: str, path: str) -> Reply:
        if not root:
            return Reply(ask_id, 0, (), b"", 0, "refused", "connection refused")
        body = self._engines[root].get(path)
        return Reply(ask_id, 404 if body is None else 200, (), json.dumps(body).encode(), 0)

    def step(self, by_ns: int = STEP_NS) -> list[Reply]:
        """Time goes on; what has come by now."""
        self.now_ns += by_ns
        come = [reply for due, reply in self._due if due <= self.now_ns]
        self._due = [(due, reply) for due, reply in self._due if due > self.now_ns]
        return come


def search(world: World, *roots: str, heard: bool = True, by_ns: int = STEP_NS) -> tuple[Discovery, int]:
    """A whole search and how long it took, in ms."""
    began = world.now_ns
    found = Discovery([Base(root) for root in roots], world.ask, world.next_id, began, heard)
    while not found.done:
        assert world.now_ns - began < 10_000 * MS
        for reply in world.step(by_ns):
            assert found.hear(reply, world.now_ns)
        found.tick(world.now_ns)
    return found, (world.now_ns - began) // MS


A, B, C = "http://127.0.0.1:8000", "http://127.0.0.1:11434", "http://127.0.0.1:30000"


def test_all_ports_are_asked_at_once_with_nothing_but_gets() -> None:
    world = World({A: VLLM, B: OLLAMA})
    found, took_ms = search(world, A, B, C)
    assert [engine.engine for engine in found.found] == ["vllm", "ollama"]
    assert found.slow == ()
    assert [order.url for order in world.asked[:3]] == [f"{root}/v1/models" for root in (A, B, C)]
    assert {order.method for order in world.asked} == {"GET"}
    assert took_ms <= 100


def test_a_port_that_never_answers_is_dropped_within_300_ms_and_that_is_said() -> None:
    world = World({A: VLLM, B: OLLAMA}, {B: None})
    found, took_ms = search(world, A, B, C)
    assert [engine.engine for engine in found.found] == ["vllm"]
    assert found.slow == ("127.0.0.1:11434",)
    assert took_ms <= 300


def test_what_was_heard_in_time_is_enough_where_it_is_proof() -> None:
    """Its owner proves vLLM; the version may come later than that."""
    world = World({A: VLLM}, {f"{A}/version": None})
    found, took_ms = search(world, A)
    assert [(engine.engine, engine.version, engine.context) for engine in found.found] == [("vllm", "", 4096)]
    assert took_ms <= 300


def test_half_a_proof_in_time_is_none() -> None:
    found, _ = search(World({B: OLLAMA}, {f"{B}/": None}), B)
    assert found.found == () and found.slow == ("127.0.0.1:11434",), "it could be anything"


def test_a_pause_of_our_own_is_not_the_servers_fault() -> None:
    found, _ = search(World({A: VLLM, B: OLLAMA}), A, B, by_ns=2_000 * MS)
    assert len(found.found) == 2


def test_the_time_begins_when_the_reader_is_there() -> None:
    world = World({A: VLLM, B: OLLAMA}, {A: 1_500, B: None})
    found, took_ms = search(world, A, B, heard=False)
    assert found.slow == ("127.0.0.1:11434",)
    assert 1_500 < took_ms <= 1_820


def aimed(world: World, url: str, heard: bool = True) -> tuple[Aim, int]:
    aim = Aim(Target(url), world.ask, world.next_id, world.now_ns, heard)
    while not aim.done:
        assert world.now_ns < 20_000 * MS
        for reply in world.step():
            aim.hear(reply, world.now_ns)
        aim.tick(world.now_ns)
    return aim, world.now_ns // MS


def test_a_server_that_never_ends_its_answer_is_waited_for_two_seconds() -> None:
    aim, took_ms = aimed(World({A: VLLM}, {A: None}), A)
    assert aim.found is None
    told = f"Nothing answers at {A} (no whole answer in time), but something is there. Is it busy?"
    assert aim.problem == told
    assert took_ms <= 2_300


def test_one_path_that_never_ends_does_not_hide_the_engine() -> None:
    aim, took_ms = aimed(World({A: VLLM}, {f"{A}/version": None}), A)
    assert aim.found is not None and aim.found.engine == "vllm"
    assert took_ms <= 2_400


def test_an_answer_that_comes_after_all_is_nobodys() -> None:
    world = World({A: VLLM}, {A: 5_000})
    aim, _ = aimed(world, A)
    assert not any(aim.hear(reply, world.now_ns) for reply in world.step(10_000 * MS))


def lookout(world: World) -> Lookout:
    return Lookout(world.ask, world.next_id, world.clock, lambda _: None)


def turn(world: World, out: Lookout, done: Callable[[], bool]) -> None:
    while not done():
        assert world.now_ns < 20_000 * MS
        for reply in world.step():
            out.hear(reply)
        out.tick()


def test_the_first_engine_of_a_name_is_taken_whatever_runs_inside_it() -> None:
    nim = {
        "/v1/models": VLLM["/v1/models"],
        "/v1/version": {"release": "2.1.6", "api": "2.1.6"},
        "/v1/metrics": "vllm:x 1",
    }
    world = World({A: OLLAMA, C: nim})
    out = lookout(world)
    out.discover("nim")
    turn(world, out, lambda: out.found is not None)
    assert out.found is not None and out.found.engine == "nim-vllm"
    assert out.discovered is not None and len(out.discovered) == 2


@pytest.mark.parametrize(("named", "root"), [("", A), ("one", A), ("two", C), ("none", A)])
def test_a_model_that_was_named_is_asked_of_the_engine_that_has_it(named: str, root: str) -> None:
    lists = {at: {"/v1/models": {"data": [{"id": name}]}} for at, name in ((A, "one"), (C, "two"))}
    world = World({at: VLLM | listed for at, listed in lists.items()})
    out = lookout(world)
    out.discover("", named)
    turn(world, out, lambda: out.found is not None)
    assert out.found is not None and out.found.base.root == root
    assert out.found.model == (named or "one")


def test_an_address_of_the_environment_is_asked_beside_the_usual_ones() -> None:
    world = World({"http://box:11434": OLLAMA})
    out = lookout(world)
    out.also = (Base("http://box:11434"),)
    out.discover(None)
    turn(world, out, lambda: out.discovered is not None)
    assert [engine.base.root for engine in out.discovered or ()] == ["http://box:11434"]
    assert out.slow == ()


@pytest.fixture
def channel() -> object:
    channel = InThread()
    yield channel
    channel.close()


def test_a_real_server_that_drips_bytes_for_ever_holds_nobody(channel: InThread, server: Server) -> None:
    """The reader may still hang on the socket: the clock of the one who waits decides."""
    ids = count(1)
    began_s = time.monotonic()
    url = server.url.removesuffix("/v1/chat/completions")
    search = Discovery([Base(url)], channel.send, lambda: next(ids), time.monotonic_ns())
    peer = server.accept()
    peer.request()
    peer.send(b"HTTP/1.1 200 OK\r\n")
    while not search.done:
        peer.send(b"x")
        channel.wait(0.02)
        for frame in channel.drain():
            assert not isinstance(frame, Reply) or search.hear(frame, time.monotonic_ns())
        search.tick(time.monotonic_ns())
    assert search.found == () and len(search.slow) == 1
    assert time.monotonic() - began_s < PATIENCE_S, "0.3 s where nothing else runs, and else for ever"


def test_an_engine_that_is_missing_by_its_name_may_be_the_slow_one() -> None:
    world = World({A: VLLM}, {A: None})
    out = lookout(world)
    out.discover("vllm")
    turn(world, out, lambda: out.discovered is not None)
    assert out.slow == ("127.0.0.1:8000",)
    assert out.problem.startswith(
        "no vllm answers on the usual local ports (no answer in time at 127.0.0.1:8000)"
    )
