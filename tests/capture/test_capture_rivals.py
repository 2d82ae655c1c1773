"""Background requests: sent before the run, followed by new ones, and closed with it however it ends."""

from __future__ import annotations

import json
import os
import signal

import pytest

from tui.capture.channel import Child
from tui.capture.orders import NONCE, CancelOrder, HushOrder, StreamOrder, decode, encode
from tui.capture.recording import read
from tui.domain.wire import Note

BODY = f'{{"ask": "Session {NONCE}."}}'
SECRET = "what the rival wrote"
DONE = b"data: [DONE]\n\n"


def text(words: str) -> bytes:
    return b"data: " + json.dumps({"choices": [{"delta": {"content": words}}]}).encode() + b"\n\n"


@pytest.fixture
def begin(inbox, server):
    """Sends a run with rivals; the server's ends of the rivals and of the run, their requests read."""

    def begin(run_id, rivals=1, **more):
        order = StreamOrder(run_id, server.url, body='{"ask": "ours"}', rivals=(BODY,) * rivals, **more)
        inbox.channel.send(order)
        peers = [server.accept() for _ in range(rivals)]
        bodies = [peer.request().partition(b"\r\n\r\n")[2] for peer in peers]
        ours = server.accept()
        assert ours.request().endswith(b'{"ask": "ours"}')
        return ours, peers, bodies

    return begin


def steps(inbox, run_id):
    """(rival, step) of every note, once the run has ended."""
    notes = [it for it in inbox.records(run_id) if isinstance(it, Note) and it.name == "rival"]
    return [(it.fields["rival"], it.fields["step"]) for it in notes]


def test_orders_keep_their_rivals():
    order = StreamOrder(1, "http://a", rivals=("a", "b"))
    assert decode(encode(order)) == order
    assert decode(encode(HushOrder(3))) == HushOrder(3)


def test_they_are_sent_first_and_each_asks_something_new(inbox, begin, wire):
    ours, _, bodies = begin(101, rivals=3)
    assert len(set(bodies)) == 3
    assert all(b"Session " in body and NONCE.encode() not in body for body in bodies)
    sent = [inbox.record(101, lambda it, n=n: sent_by(it, n)) for n in (1, 2, 3)]
    assert [it.at_ns for it in sent] == sorted(it.at_ns for it in sent)
    assert sent[-1].at_ns < 0, "they came before the run's own request"
    ours.send(wire.HEAD + wire.LAST)
    inbox.end(101)


def sent_by(record, number):
    told = getattr(record, "fields", {})
    return getattr(record, "name", "") == "rival" and (told["rival"], told["step"]) == (number, "sent")


def test_a_new_one_follows_when_one_has_ended(inbox, server, begin, wire):
    ours, (first,), bodies = begin(102)
    first.send(wire.HEAD + wire.chunk(text("a") + text("b")) + wire.chunk(text("c") + DONE) + wire.LAST)
    second = server.accept()
    assert second.request().partition(b"\r\n\r\n")[2] != bodies[0]
    ours.send(wire.HEAD + wire.LAST)
    assert second.closed_by_client()
    assert steps(inbox, 102) == [(1, step) for step in ("sent", "first", "last", "ended", "sent", "ended")]
    told = [it.fields for it in inbox.records(102) if isinstance(it, Note) and it.name == "rival"]
    assert told[2]["chunks"] == 3, "text messages, not reads"
    assert told[-1]["how"] == "cancelled"


def test_a_server_that_keeps_the_connection_after_its_last_word_is_left(inbox, server, begin, wire):
    ours, (first,), _ = begin(103)
    first.send(wire.HEAD + wire.chunk(text("a") + DONE))
    assert first.closed_by_client()
    server.accept().request()
    ours.send(wire.HEAD + wire.LAST)
    inbox.end(103)


def test_one_that_is_refused_does_not_come_again(inbox, begin, wire):
    ours, (first,), _ = begin(104)
    first.send(b"HTTP/1.1 503 Busy\r\nContent-Length: 0\r\n\r\n")
    inbox.record(104, lambda it: getattr(it, "fields", {}).get("step") == "ended")
    ours.send(wire.HEAD + wire.LAST)
    assert steps(inbox, 104) == [(1, "sent"), (1, "ended")]


@pytest.mark.parametrize("how", ["eof", "cancelled", "reset", "refused"])
def test_they_are_closed_when_the_run_ends(inbox, begin, wire, how):
    run_id = 110 + ["eof", "cancelled", "reset", "refused"].index(how)
    ours, rivals, _ = begin(run_id, rivals=2)
    rivals[0].send(wire.HEAD + wire.chunk(text("a")))  # one writes, the other still waits
    inbox.record(run_id, lambda it: getattr(it, "fields", {}).get("step") == "first")
    match how:
        case "eof":
            ours.send(wire.HEAD + wire.LAST)
        case "cancelled":
            inbox.channel.send(CancelOrder(run_id))
        case "reset":
            ours.reset()
        case "refused":
            ours.send(b"HTTP/1.1 400 Bad\r\nContent-Length: 0\r\n\r\n")
    assert all(peer.closed_by_client() for peer in rivals)
    ended = [it for it in steps(inbox, run_id) if it[1] == "ended"]
    assert sorted(ended) == [(1, "ended"), (2, "ended")], "their ends are in the recording"


def test_they_can_be_closed_while_the_run_lingers(inbox, begin, wire):
    ours, (rival,), _ = begin(120)
    inbox.channel.send(HushOrder(120))
    assert rival.closed_by_client()
    ours.send(wire.HEAD + wire.chunk(b"more"))
    assert inbox.reads(120, 1)[0].data == b"more"
    ours.send(wire.LAST)
    assert inbox.end(120).how == "eof"


def test_a_run_cancelled_while_its_rivals_are_sent_is_never_sent(inbox, crowded):
    inbox.channel.send(StreamOrder(121, crowded.url, body="{}", rivals=(BODY, BODY)))
    inbox.until(lambda frame: getattr(getattr(frame, "record", None), "fields", None) is not None)
    inbox.channel.send(CancelOrder(121))
    assert inbox.end(121).how == "cancelled"
    assert "sent_all" not in inbox.names(121)


def test_what_they_bring_is_in_no_recording(inbox, begin, wire, tmp_path):
    file = tmp_path / "run.jsonl"
    ours, (rival,), _ = begin(122, record=str(file))
    rival.send(wire.HEAD + wire.chunk(text(SECRET)))
    inbox.record(122, lambda it: getattr(it, "fields", {}).get("step") == "first")
    ours.send(wire.HEAD + wire.chunk(text("ours")) + wire.LAST)
    inbox.end(122)
    assert SECRET not in file.read_text() and "Session" not in file.read_text()
    kept = [it for it in read(file).records if isinstance(it, Note) and it.name == "rival"]
    assert [it.fields["step"] for it in kept] == ["sent", "first", "last", "ended"]


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM])
def test_they_end_with_the_child(server, wire, tmp_path, how):
    child = Child.start()
    try:
        child.send(StreamOrder(1, server.url, body="{}", rivals=(BODY,), record=str(tmp_path / "run")))
        rival, ours = server.accept(), server.accept()
        rival.request()
        ours.request()
        rival.send(wire.HEAD + wire.chunk(text("a")))
        os.kill(child.pid, how)
        assert rival.closed_by_client() and ours.closed_by_client()
    finally:
        child.close()


def test_they_end_with_the_program(server):
    child = Child.start()
    child.send(StreamOrder(1, server.url, body="{}", rivals=(BODY,)))
    rival = server.accept()
    rival.request()
    child.close()
    assert rival.closed_by_client()
