"""The replay server itself: what it says beside the stream, when it says it, and what it keeps."""

from __future__ import annotations

import json
import urllib.error
import urllib.request
from collections.abc import Iterator

import pytest

from tests.wire.answers import Side, in_turn, told
from tests.wire.client import Wire
from tests.wire.runs import CAPTURES
from tests.wire.scenes import SCENES, scene
from tests.wire.server import Server
from tests.wire.stream import stream_of
from tui.capture.in_thread import InThread
from tui.domain.wire import End, Note, Read

SHORT = stream_of(CAPTURES / "vllm" / "finish-stop-eos.jsonl")


@pytest.fixture(scope="module")
def wire() -> Iterator[Wire]:
    channel = InThread()
    yield Wire(channel)
    channel.close()


def got(server: Server, target: str) -> tuple[int, str]:
    request = urllib.request.Request(server.url + target, headers={"Connection": "close"})
    try:
        with urllib.request.urlopen(request, timeout=10) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.read().decode()


def value(page: str, name: str) -> float:
    (line,) = [line for line in page.splitlines() if line.startswith(f"{name}{{")]
    return float(line.rsplit(" ", 1)[1])


def test_requests_are_kept_as_they_came() -> None:
    with Server(SHORT) as server:
        data = json.dumps({"a": 1}).encode()
        headers = {"Authorization": "Bearer x", "Connection": "close"}
        request = urllib.request.Request(f"{server.url}{SHORT.path}?q=1", data, headers, method="POST")
        with urllib.request.urlopen(request, timeout=10) as answer:
            assert answer.read() == b"".join(piece.data for piece in SHORT.pieces)
        (seen,) = server.posted
        assert (seen.method, seen.path, seen.target) == ("POST", SHORT.path, f"{SHORT.path}?q=1")
        assert seen.headers["authorization"] == "Bearer x" and seen.json() == {"a": 1}


def test_answers_in_turn_and_after_a_change() -> None:
    with Server(SHORT, [Side("/n", in_turn(told(1), told(2)))]) as server:
        assert [got(server, "/n")[1] for _ in range(3)] == ["1", "2", "2"]
        server.answer("/n", told(9))
        assert got(server, "/n/")[1] == "9"
        assert got(server, "/other") == (404, '{"detail": "Not Found"}')
        assert [seen.target for seen in server.asked("/n")] == ["/n", "/n", "/n", "/n/"]


def test_a_client_that_closes_is_noticed(wire: Wire) -> None:
    with Server(SHORT) as server:
        server.hold(SHORT.pieces[2].at_s)
        records = wire.request(server, SHORT.path, stop_after=2)
        assert isinstance(records[-1], End) and records[-1].how == "cancelled"
        server.wait_closed()


def test_a_held_stream_goes_on(wire: Wire) -> None:
    with Server(SHORT) as server:
        server.hold(piece=2)
        number = wire.send(server, SHORT.path)
        server.wait_held()
        assert server.position_s == SHORT.pieces[0].at_s
        server.go_on()
        end = wire.records(number)[-1]
        assert isinstance(end, End) and end.how == "eof"
        assert not server.closed.is_set()


def test_real_time_is_real_time(wire: Wire) -> None:
    with Server(SHORT, speed=1) as server:
        records = wire.request(server, SHORT.path)
    times_s = [record.at_ns / 1e9 for record in records if isinstance(record, Read)]
    late_s = [at_s - piece.at_s for at_s, piece in zip(times_s, SHORT.pieces, strict=True)]
    assert min(late_s) > -0.005 and sorted(late_s)[len(late_s) // 2] < 0.05
    (head,) = [record for record in records if isinstance(record, Note) and record.name == "head"]
    assert head.at_ns / 1e9 >= SHORT.head_s - 0.005


def test_counters_move_with_the_stream(wire: Wire) -> None:
    with scene("vllm", "metrics-one-short") as server:
        _, before = got(server, "/metrics")
        wire.request(server, SHORT.path)
        _, after = got(server, "/metrics")
    moved = [value(page, "vllm:generation_tokens_total") for page in (before, after)]
    assert moved[1] - moved[0] == 29
    assert value(after, "vllm:request_queue_time_seconds_count") == 22


def test_polled_series_follow_the_clock_of_the_stream(wire: Wire) -> None:
    with scene("vllm", "prefill-chunked-poll") as server:
        filtered = "/metrics/?name[]=vllm:kv_cache_usage_perc&name[]=vllm:num_requests_running"
        status, page = got(server, filtered)
        assert status == 200 and len(page.splitlines()) == 2
        assert value(page, "vllm:kv_cache_usage_perc") == 0
        assert len(got(server, filtered.replace("/?", "?"))[1].splitlines()) > 100  # no slash, no filter
        server.hold(3)
        number = wire.send(server, SHORT.path)
        server.wait_held()
        _, page = got(server, filtered)
        assert value(page, "vllm:num_requests_running") == 1
        assert value(page, "vllm:kv_cache_usage_perc") > 0.02
        assert got(server, "/load")[1] == '{"server_load": 1}'
        server.go_on()
        wire.records(number)
        assert value(got(server, filtered)[1], "vllm:num_requests_running") == 0


def test_perf_metrics_are_gone_once_read(wire: Wire) -> None:
    with scene("trtllm", "01-chat-short") as server:
        assert got(server, "/perf_metrics")[1] == "[]"
        for _ in range(2):
            wire.request(server, "/v1/chat/completions")
            assert len(json.loads(got(server, "/perf_metrics")[1])) == 1
            assert got(server, "/perf_metrics")[1] == "[]"


def test_lm_studio_answers_everything_with_200() -> None:
    with scene("lmstudio") as server:
        assert got(server, "/api/ps") == (200, '{"error": "Unexpected endpoint or method. (GET /api/ps)"}')
        assert got(server, "/lmstudio-greeting")[1] == '{"lmstudio":true}'


def test_mlx_speaks_http_1_0() -> None:
    with scene("mlx-lm") as server:
        assert got(server, "/metrics") == (404, "Not Found")
        assert json.loads(got(server, "/health")[1]) == {"status": "ok"}


@pytest.mark.parametrize("engine", SCENES)
def test_every_scene_lists_its_models(engine: str) -> None:
    with scene(engine) as server:
        status, body = got(server, "/v1/models")
        assert status == 200 and json.loads(body)["data"][0]["id"]
