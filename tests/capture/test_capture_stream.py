"""One run over a real socket, byte by byte: records, stamps, and every way to end."""

from __future__ import annotations

import socket
import sys
import threading
import time

import httpcore
import pytest

from tui.capture.orders import CancelOrder, LookOrder, NoteOrder, PollOrder, SampleOrder, StreamOrder
from tui.capture.sockets import Stream
from tui.domain.wire import End, Meta, Note, Poll, Read, Sample


def test_a_whole_run_in_order(inbox, server, wire):
    inbox.channel.send(StreamOrder(1, server.url, body='{"a": 1}', meta={"engine": "any"}))
    peer = server.accept()
    request = peer.request()
    assert request.startswith(b"POST /v1/chat/completions HTTP/1.1\r\n")
    assert b"\r\nAccept-Encoding: identity\r\n" in request
    assert request.endswith(b'\r\n\r\n{"a": 1}')
    peer.send(wire.HEAD + wire.chunk(b"one"))
    inbox.reads(1, 1)
    peer.send(wire.chunk(b"two") + wire.chunk(b"three"))
    inbox.reads(1, 2)
    peer.send(wire.LAST)

    records = inbox.records(1)
    assert records[0] == Meta({"format": "toklane/1", "engine": "any"})
    assert [it.name for it in records[1:6]] == ["connecting", "connected", "sent", "sent_all", "head"]
    assert [it.data for it in records if isinstance(it, Read)] == [b"one", b"twothree"]
    assert records[-1].how == "eof"
    connecting, connected, sent, sent_all, head = records[1:6]
    assert connecting.at_ns <= connected.at_ns <= sent.at_ns == 0 < sent_all.at_ns <= head.at_ns
    assert connected.fields == {"warm": False, "address": "127.0.0.1"}
    assert sent.fields == {"monotonic_ns": inbox.zero_ns(1)}
    assert head.fields["status"] == 200
    assert ["Content-Type", "text/event-stream"] in [list(pair) for pair in head.fields["headers"]]


def test_head_and_body_are_one_send_and_are_told_behind_it() -> None:
    """Between two sends, or while somebody is told, another program may hold the processor."""
    ours, theirs = socket.socketpair()
    with ours, theirs:
        stream, told = Stream(ours, None), []
        ours.setblocking(False)
        stream.holds = True
        stream.before_write = lambda at_ns: told.append((at_ns, theirs.recv(100)))
        stream.write(b"head ")
        theirs.setblocking(False)
        with pytest.raises(BlockingIOError):
            theirs.recv(100)
        before_ns = time.monotonic_ns()
        stream.write(b"body")
        ((at_ns, received),) = told
        assert received == b"head body"
        assert before_ns <= at_ns < stream.wrote_ns
        stream.write(b"more")
        assert theirs.recv(100) == b"more" and len(told) == 1


def test_what_the_kernel_does_not_take_at_once_follows() -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        stream, told = Stream(ours, None), []
        ours.setblocking(False)
        stream.before_write = told.append
        data = bytes(range(256)) * 40_000
        reader = threading.Thread(target=stream.write, args=(data,))
        reader.start()
        taken = b""
        while len(taken) < len(data):
            taken += theirs.recv(1 << 20)
        reader.join()
        assert taken == data and len(told) == 1 and stream.wrote_ns >= told[0]


def test_a_first_send_that_fails_was_begun() -> None:
    ours, theirs = socket.socketpair()
    theirs.close()
    with ours:
        stream, told = Stream(ours, None), []
        stream.before_write = told.append
        with pytest.raises(httpcore.WriteError):
            stream.write(b"data")
        assert len(told) == 1


def test_stamps_lie_between_send_and_the_return_of_recv(inbox, server, wire):
    inbox.channel.send(StreamOrder(2, server.url))
    peer = server.accept()
    peer.request()
    sent_ns = []
    for data in (wire.HEAD + wire.chunk(b"a"), *(wire.chunk(b"b") for _ in range(5))):
        sent_ns.append(time.monotonic_ns())
        peer.send(data)
        inbox.reads(2, len(sent_ns))
    peer.send(wire.LAST)

    zero_ns = inbox.zero_ns(2)
    reads = [it for it in inbox.records(2) if isinstance(it, Read)]
    assert reads[0].at_ns == inbox.note(2, "head").at_ns, "what came with the head came when it came"
    assert reads[0].floor_ns == 0
    for before_ns, read in zip(sent_ns, reads, strict=True):
        assert read.floor_ns <= read.at_ns <= read.recv_ns
        assert read.at_ns + zero_ns >= before_ns - 100_000, "two clocks were matched, so allow them 0.1 ms"
    assert [it.at_ns for it in reads] == sorted(it.at_ns for it in reads)
    assert [it.floor_ns for it in reads[1:]] == [it.recv_ns for it in reads[:-1]]
    if sys.platform == "linux":
        assert all(it.kernel for it in reads)


def test_a_chunk_cut_in_the_middle(inbox, server, wire):
    inbox.channel.send(StreamOrder(3, server.url))
    peer = server.accept()
    peer.request()
    peer.send(wire.HEAD + b"6\r\nabc")
    assert inbox.reads(3, 1)[0].data == b"abc"
    peer.send(b"def\r\n" + wire.LAST)
    assert inbox.reads(3, 2)[1].data == b"def"
    assert inbox.end(3).how == "eof"


@pytest.mark.parametrize(
    ("head", "how"),
    [
        (b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n", "eof"),
        (b"HTTP/1.0 200 OK\r\n\r\n", "eof"),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n", "reset"),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n9\r\n", "reset"),
    ],
)
def test_bodies_end_by_length_or_by_closing(inbox, server, head, how):
    inbox.channel.send(StreamOrder(4, server.url))
    peer = server.accept()
    peer.request()
    peer.send(head + b"12345")
    assert inbox.reads(4, 1)[0].data == b"12345"
    peer.close()
    assert inbox.end(4).how == how


def test_a_reset_keeps_what_came(inbox, server, wire):
    inbox.channel.send(StreamOrder(5, server.url))
    peer = server.accept()
    peer.request()
    peer.send(wire.HEAD + wire.chunk(b"half"))
    inbox.reads(5, 1)
    peer.reset()
    end = inbox.end(5)
    assert (end.how, f"127.0.0.1:{server.port}" in end.detail) == ("reset", True)


def test_closed_before_an_answer(inbox, server):
    inbox.channel.send(StreamOrder(6, server.url))
    peer = server.accept()
    peer.request()
    peer.close()
    end = inbox.end(6)
    assert end.how == "reset"
    assert end.detail.endswith("before it answered")


def test_what_is_not_http_is_said_to_be_none(inbox, server):
    inbox.channel.send(StreamOrder(7, server.url))
    peer = server.accept()
    peer.request()
    peer.send(b"SSH-2.0-whatever\r\n\r\n")
    end = inbox.end(7)
    assert end.how == "error"
    assert end.detail.endswith("is not HTTP: illegal status line; check the address")
    assert inbox.note(7, "failed").fields["kind"] == "other"


def test_nothing_listens(inbox, server):
    server.close()
    inbox.channel.send(StreamOrder(8, server.url))
    assert inbox.end(8) == End(0, "error", f"nothing answers at 127.0.0.1:{server.port} (connection refused)")
    failed = inbox.note(8, "failed")
    assert failed.fields["kind"] == "refused"
    assert "sent" not in inbox.names(8)


def test_localhost_is_found_on_either_loopback(inbox, server, wire):
    inbox.channel.send(StreamOrder(9, f"http://localhost:{server.port}/"))
    peer = server.accept()
    assert f"Host: localhost:{server.port}".encode() in peer.request()
    peer.send(wire.HEAD + wire.LAST)
    assert inbox.end(9).how == "eof"
    assert inbox.note(9, "connected").fields["address"] == "127.0.0.1"


def test_a_url_that_is_none(inbox):
    inbox.channel.send(StreamOrder(10, "localhost:8080/v1"))
    assert inbox.end(10) == End(0, "error", "the URL must look like http://host:port/path")


def test_cancel_closes_the_socket_in_a_silent_wait(inbox, server):
    inbox.channel.send(StreamOrder(11, server.url))
    peer = server.accept()
    peer.request()
    inbox.note(11, "sent_all")
    inbox.channel.send(CancelOrder(11))
    assert peer.closed_by_client()
    assert inbox.end(11).how == "cancelled"
    assert inbox.names(11)[-1] == "cancelled"


def test_cancel_between_two_reads(inbox, server, wire):
    inbox.channel.send(StreamOrder(12, server.url))
    peer = server.accept()
    peer.request()
    peer.send(wire.HEAD + wire.chunk(b"text"))
    inbox.reads(12, 1)
    inbox.channel.send(CancelOrder(12))
    assert peer.closed_by_client()
    assert inbox.end(12).how == "cancelled"


def test_cancel_while_connecting(inbox, crowded):
    inbox.channel.send(StreamOrder(13, crowded.url))
    inbox.until(lambda frame: getattr(frame, "name", "") == "connecting")
    inbox.channel.send(CancelOrder(13))
    end = inbox.end(13)
    assert end == End(0, "cancelled")
    assert inbox.names(13) == ["cancelled"]


def test_the_program_may_end_a_run_that_hangs(inbox, server, wire):
    inbox.channel.send(StreamOrder(14, server.url))
    peer = server.accept()
    peer.request()
    peer.send(wire.HEAD + wire.chunk(b"[DONE]"))
    inbox.reads(14, 1)
    inbox.channel.send(CancelOrder(14, "hang"))
    assert peer.closed_by_client()
    assert inbox.end(14).how == "hang"
    assert "cancelled" not in inbox.names(14)


def test_a_time_limit_counts_from_sent(inbox, server):
    inbox.channel.send(StreamOrder(15, server.url, timeout_s=0.05))
    server.accept().request()
    end = inbox.end(15)
    assert (end.how, end.detail) == ("error", "no end of the reply within 0.05 s")
    assert end.at_ns >= 50_000_000
    assert inbox.note(15, "failed").fields["kind"] == "timeout"


def test_several_streams_at_once(inbox, server, wire):
    for run_id in (16, 17, 18):
        inbox.channel.send(StreamOrder(run_id, f"{server.url}?{run_id}"))
    peers = [server.accept() for _ in range(3)]
    names = [peer.request().split(b" ")[1].split(b"?")[1] for peer in peers]
    for name, peer in zip(names, peers, strict=True):
        peer.send(wire.HEAD + wire.chunk(name) + wire.LAST)
    for run_id in (16, 17, 18):
        assert inbox.end(run_id).how == "eof"
        assert inbox.reads(run_id, 1)[0].data == b"%d" % run_id


def test_samples_and_notes_come_back_on_the_clock_of_the_run(inbox, server, wire):
    inbox.channel.send(StreamOrder(19, server.url))
    peer = server.accept()
    peer.request()
    zero_ns = inbox.zero_ns(19)
    inbox.channel.send(SampleOrder({"used_bytes": 7}, zero_ns + 1_000))
    inbox.channel.send(NoteOrder(19, "conditions", {"slots": 1, "mono_ns": 2}, zero_ns - 5))
    inbox.note(19, "conditions")
    peer.send(wire.HEAD + wire.LAST)
    records = inbox.records(19)
    assert Sample(1_000, {"used_bytes": 7}) in records
    assert Note(-5, "conditions", {"slots": 1, "mono_ns": 2}) in records


@pytest.mark.parametrize("until", ["head", "first", "end"])
def test_polls_run_beside_the_stream_until_they_are_told(inbox, server, wire, until):
    polled = PollOrder("/slots", f"http://127.0.0.1:{server.port}/slots", 0.005, until)
    inbox.channel.send(StreamOrder(20, server.url, polls=(polled,)))
    stream = server.accept()
    stream.request()
    poller = server.accept()
    for number in (b"1", b"2"):
        assert poller.request().startswith(b"GET /slots ")
        poller.answer(number)
    inbox.record(20, lambda it: isinstance(it, Poll) and it.body == b"2")
    stream.send(wire.HEAD)
    inbox.note(20, "head")
    if until == "first":  # a comment is not the first byte that is waited for
        stream.send(wire.chunk(b": keep-alive\n\n"))
        inbox.reads(20, 1)
    if until != "head":
        poller.request()
        poller.answer(b"3")
        inbox.record(20, lambda it: isinstance(it, Poll) and it.body == b"3")
    stream.send(wire.LAST)
    polls = [it for it in inbox.records(20) if isinstance(it, Poll)]
    assert {(it.path, it.status) for it in polls} == {("/slots", 200)}
    assert all(0 < it.took_ns <= it.at_ns for it in polls)


def looking(server, when, **how):
    return LookOrder("/metrics", f"http://127.0.0.1:{server.port}/metrics", when, **how)


def test_one_look_before_and_one_after_the_stream(inbox, server, wire):
    looks = (looking(server, "before"), looking(server, "after", tries_s=(0, 0.001, 0.001), empty="[]"))
    inbox.channel.send(StreamOrder(30, server.url, looks=looks))
    asker = server.accept()
    assert asker.request().startswith(b"GET /metrics ")
    asker.answer(b"early")
    peer = server.accept()
    peer.request()
    peer.send(wire.HEAD + wire.chunk(b"x") + wire.LAST)
    for body in (b"[]", b" []\n", b"late"):
        asker.request()
        asker.answer(body)

    records = inbox.records(30)
    early, late = [it for it in records if isinstance(it, Poll)]
    assert (early.body, early.at_ns < 0) == (b"early", True)
    assert (late.body, late.status) == (b"late", 200)
    assert records[-1].how == "eof" and records[-2] is late, "the recording tells it before its last line"
    assert records[-1].at_ns <= late.at_ns, "the end is when the body ended"


def test_nothing_is_looked_at_after_a_cancelled_stream(inbox, server, wire):
    inbox.channel.send(StreamOrder(31, server.url, looks=(looking(server, "after"),)))
    peer = server.accept()
    peer.request()
    peer.send(wire.HEAD + wire.chunk(b"x"))
    inbox.reads(31, 1)
    inbox.channel.send(CancelOrder(31))
    assert inbox.end(31).how == "cancelled"
    assert not [it for it in inbox.records(31) if isinstance(it, Poll)]


def test_a_watch_that_is_refused_is_dropped(inbox, server, wire):
    polled = PollOrder("/slots", f"http://127.0.0.1:{server.port}/slots", 0.001)
    inbox.channel.send(StreamOrder(32, server.url, polls=(polled,)))
    peer = server.accept()
    peer.request()
    poller = server.accept()
    poller.request()
    poller.send(b"HTTP/1.1 501 No\r\nContent-Length: 0\r\n\r\n")
    inbox.record(32, lambda it: isinstance(it, Poll))
    peer.send(wire.HEAD + wire.chunk(b"x") + wire.LAST)
    assert [it.status for it in inbox.records(32) if isinstance(it, Poll)] == [501]


def test_a_failing_poll_says_so_once(inbox, server, wire):
    polled = PollOrder("/slots", "http://127.0.0.1:9/slots", 0.001)
    inbox.channel.send(StreamOrder(21, server.url, polls=(polled,)))
    peer = server.accept()
    peer.request()
    inbox.record(21, lambda it: isinstance(it, Poll))
    peer.send(wire.HEAD + wire.LAST)
    (poll,) = [it for it in inbox.records(21) if isinstance(it, Poll)]
    assert (poll.status, b"connection refused" in poll.body) == (0, True)
