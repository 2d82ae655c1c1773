"""Short requests beside the streams, and connections opened beforehand."""

from __future__ import annotations

import os
import select
import threading
from collections.abc import Iterator

import pytest

from tui.capture import reader
from tui.capture.cancel import Cancel
from tui.capture.connection import Warmed, target
from tui.capture.dial import dial
from tui.capture.failure import CaptureError
from tui.capture.orders import FetchOrder, StreamOrder
from tui.capture.run import Run
from tui.domain.wire import End, Note, Read


def test_several_fetches_at_once_while_a_stream_waits(inbox, server, wire):
    inbox.channel.send(StreamOrder(1, server.url))
    stream = server.accept()
    stream.request()
    for fetch_id in (11, 12):
        url = f"http://127.0.0.1:{server.port}/tokenize?{fetch_id}"
        inbox.channel.send(FetchOrder(fetch_id, url, "POST", {"X-Any": "1"}, '{"content": "é"}'))
    peers = [server.accept(), server.accept()]
    requests = {peer.request(): peer for peer in peers}
    for request, peer in requests.items():
        assert request.endswith('\r\n\r\n{"content": "é"}'.encode())
        assert b"X-Any: 1" in request
        peer.answer(request.split(b" ")[1].split(b"?")[1])
    for fetch_id in (11, 12):
        reply = inbox.reply(fetch_id)
        assert (reply.status, reply.body, reply.error_kind) == (200, b"%d" % fetch_id, "")
        assert reply.took_ns > 0
    stream.send(wire.HEAD + wire.LAST)
    assert inbox.end(1).how == "eof"


def test_a_fetch_keeps_its_connection(inbox, server):
    peer = None
    for fetch_id in (21, 22):
        inbox.channel.send(FetchOrder(fetch_id, f"http://127.0.0.1:{server.port}/props"))
        peer = peer or server.accept()
        peer.request()
        peer.answer(b"{}")
        assert inbox.reply(fetch_id).body == b"{}"


def test_a_kept_connection_that_breaks_is_replaced_once(inbox, server):
    url = f"http://127.0.0.1:{server.port}/props"
    inbox.channel.send(FetchOrder(31, url))
    peer = server.accept()
    peer.request()
    peer.answer(b"first")
    inbox.reply(31)
    inbox.channel.send(FetchOrder(32, url))
    peer.request()
    peer.reset()
    peer = server.accept()
    peer.request()
    peer.answer(b"second")
    assert inbox.reply(32).body == b"second"


def test_how_a_fetch_fails(inbox, server):
    inbox.channel.send(FetchOrder(41, "ftp://127.0.0.1/"))
    inbox.channel.send(FetchOrder(42, "http://127.0.0.1:9/"))
    inbox.channel.send(FetchOrder(43, f"http://127.0.0.1:{server.port}/", timeout_s=0.02))
    kinds = [inbox.reply(fetch_id).error_kind for fetch_id in (41, 42, 43)]
    assert kinds == ["other", "refused", "timeout"]
    assert inbox.reply(42).error == "nothing answers at 127.0.0.1:9 (connection refused)"


def test_a_head_that_drips_ends_with_the_time_of_its_fetch(inbox, server):
    inbox.channel.send(FetchOrder(44, f"http://127.0.0.1:{server.port}/", timeout_s=0.05))
    peer = server.accept()
    peer.request()
    for _ in range(2000):
        peer.send(b"H")  # each byte alone comes in time
        if select.select([peer.sock], [], [], 0.01)[0]:
            break
    assert peer.closed_by_client()
    assert inbox.reply(44).error_kind == "timeout"


def test_an_error_status_is_an_answer(inbox, server):
    inbox.channel.send(FetchOrder(51, f"http://127.0.0.1:{server.port}/"))
    peer = server.accept()
    peer.request()
    peer.send(b"HTTP/1.1 503 Busy\r\nContent-Length: 4\r\nRetry-After: 2\r\n\r\nbusy")
    reply = inbox.reply(51)
    assert (reply.status, reply.body) == (503, b"busy")
    assert ("Retry-After", "2") in reply.headers


@pytest.fixture
def warmed() -> Iterator[Warmed]:
    warmed = Warmed()
    yield warmed
    warmed.close()


def run_in_thread(order: StreamOrder, warmed: Warmed) -> tuple[list[object], threading.Thread]:
    records: list[object] = []
    run = Run(order, records.append)
    thread = threading.Thread(target=reader.stream, args=(run, Cancel(), warmed))
    thread.start()
    return records, thread


def notes(records: list[object]) -> dict[str, Note]:
    items = [getattr(frame, "record", None) for frame in records]
    return {it.name: it for it in items if isinstance(it, Note)}


def test_a_warm_connection_is_used_and_told(server, wire, warmed):
    warmed.open(target(server.url, None, False))
    peer = server.accept()
    frames, thread = run_in_thread(StreamOrder(1, server.url, warm=True), warmed)
    peer.request()
    peer.send(wire.HEAD + wire.LAST)
    thread.join()
    told = notes(frames)
    assert told["connected"].fields["warm"] is True
    assert told["connecting"].at_ns < told["connected"].at_ns < 0
    assert frames[-1].record.how == "eof"


def test_an_order_that_wants_a_fresh_connection_gets_one(server, wire, warmed):
    warmed.open(target(server.url, None, False))
    server.accept()
    frames, thread = run_in_thread(StreamOrder(1, server.url, warm=False), warmed)
    peer = server.accept()
    peer.request()
    peer.send(wire.HEAD + wire.LAST)
    thread.join()
    assert notes(frames)["connected"].fields["warm"] is False


def test_a_warm_connection_that_the_server_closed_is_not_used(server, wire, warmed):
    warmed.open(target(server.url, None, False))
    server.accept().reset()
    frames, thread = run_in_thread(StreamOrder(1, server.url, warm=True), warmed)
    peer = server.accept()
    peer.request()
    peer.send(wire.HEAD + wire.LAST)
    thread.join()
    assert notes(frames)["connected"].fields["warm"] is False


def test_a_warm_connection_that_breaks_at_once_is_replaced_once(server, wire, warmed):
    warmed.open(target(server.url, None, False))
    stale = server.accept()
    frames, thread = run_in_thread(StreamOrder(1, server.url, body="{}", warm=True), warmed)
    first = stale.request()
    stale.close()
    peer = server.accept()
    assert peer.request() == first
    peer.send(wire.HEAD + wire.chunk(b"text") + wire.LAST)
    thread.join()
    assert "reconnected" in notes(frames)
    records = [getattr(frame, "record", None) for frame in frames]
    assert [it.data for it in records if isinstance(it, Read)] == [b"text"]
    assert [it.how for it in records if isinstance(it, End)] == ["eof"]


def test_a_connection_that_stands_too_late_is_closed(server):
    warmed = Warmed()
    warmed.close()
    warmed.open(target(server.url, None, False))
    assert server.accept().closed_by_client()
    assert warmed.take(target(server.url, None, False)) is None


def test_a_broken_reply_is_never_asked_for_again(server, wire, warmed):
    warmed.open(target(server.url, None, False))
    peer = server.accept()
    frames, thread = run_in_thread(StreamOrder(1, server.url, warm=True), warmed)
    peer.request()
    peer.send(b"HTTP/1.1 ")
    peer.close()
    thread.join()
    assert frames[-1].record.how == "reset"


def test_an_unknown_host(monkeypatch):
    def nowhere(*_: object, **__: object) -> None:
        raise OSError("no such name")

    monkeypatch.setattr("socket.getaddrinfo", nowhere)
    with pytest.raises(CaptureError, match=r"^unknown host engine\.invalid \(port 80\)$") as failed:
        dial("engine.invalid", 80, None, None)
    assert failed.value.kind == "unknown_host"


def test_a_name_is_looked_up_and_each_address_tried(monkeypatch, server):
    closed, open_one = (2, 1, 6, "", ("127.0.0.1", 9)), (2, 1, 6, "", ("127.0.0.1", server.port))
    monkeypatch.setattr("socket.getaddrinfo", lambda *_, **__: [closed, open_one])
    sock = dial("engine.test", 80, None, None)
    assert sock.getpeername() == ("127.0.0.1", server.port)
    sock.close()


def test_a_cancelled_wait_leaves_no_descriptors_behind(server):
    before = len(os.listdir("/dev/fd"))
    for _ in range(3):
        cancel = Cancel()
        dial("127.0.0.1", server.port, cancel, None).close()
        cancel.set()
        cancel.close()
        cancel.set()
    assert len(os.listdir("/dev/fd")) == before


def test_where_a_url_leads():
    where = target("https://us%40er:pw@Host.example/v1?a=b", None, False)
    assert (where.scheme, where.host, where.port, where.path) == ("https", "host.example", 443, "/v1?a=b")
    assert where.netloc == "host.example"
    assert where.authorization == "Basic dXNAZXI6cHc="
    assert target("http://[::1]:8080", None, False).netloc == "[::1]:8080"
    for wrong in ("host:80/v1", "http://", "http://host:99999/", "ws://host/", "http://host/é"):
        with pytest.raises(CaptureError, match="the URL must look like"):
            target(wrong, None, False)
