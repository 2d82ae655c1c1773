"""HTTPS: trust is asked for, and the kernel's stamps survive the encryption."""

from __future__ import annotations

import os
import ssl
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from tui.capture.connection import Warmed, target
from tui.capture.orders import CancelOrder, FetchOrder, StreamOrder
from tui.capture.tls import why
from tui.domain.wire import Read

CERTIFICATE = Path(__file__).parents[1] / "data" / "tls" / "localhost.pem"  # a key that guards nothing


@pytest.fixture
def secure(server) -> Callable[[Callable], threading.Thread]:
    """Let a function play the server's part on the next encrypted connection."""
    trust = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    trust.load_cert_chain(CERTIFICATE)

    def serve(play: Callable) -> threading.Thread:
        def run() -> None:
            peer = server.accept()
            try:
                peer.sock = trust.wrap_socket(peer.sock, server_side=True)
            except ssl.SSLError:
                return  # the client did not trust us
            play(peer)
            peer.sock.close()

        thread = threading.Thread(target=run)
        thread.start()
        return thread

    return serve


def urls(server) -> str:
    return f"https://localhost:{server.port}/v1"


@pytest.mark.parametrize("trust", [{"ca_file": str(CERTIFICATE)}, {"insecure": True}])
def test_records_of_one_read_are_one_read(inbox, server, wire, secure, trust):
    second = threading.Event()

    def play(peer):
        peer.request()
        peer.send(wire.HEAD + wire.chunk(b"a"))
        second.wait(20)
        peer.send(wire.chunk(b"b") + wire.chunk(b"c"))
        peer.send(wire.LAST)

    thread = secure(play)
    inbox.channel.send(StreamOrder(1, urls(server), body="{}", **trust))
    inbox.reads(1, 1)
    second.set()
    assert inbox.end(1).how == "eof"
    thread.join()
    reads = [it for it in inbox.records(1) if isinstance(it, Read)]
    assert [it.data for it in reads] == [b"a", b"bc"]
    assert all(0 <= it.floor_ns <= it.at_ns <= it.recv_ns for it in reads)
    if sys.platform == "linux":
        assert all(it.kernel for it in reads), reads
    assert inbox.note(1, "connected").at_ns <= 0, "the hands were shaken before time zero"


def test_a_certificate_nobody_vouches_for(inbox, server, secure):
    thread = secure(lambda peer: None)
    inbox.channel.send(StreamOrder(2, urls(server)))
    end = inbox.end(2)
    thread.join()
    assert (end.how, end.at_ns) == ("error", 0)
    assert "no secure connection to localhost" in end.detail
    assert inbox.note(2, "failed").fields["kind"] == "tls"


@pytest.mark.parametrize(
    ("number", "remedy"),
    [
        (10, "the server needs a new certificate"),
        (18, "--ca-file FILE trusts its certificate"),
        (62, "use the name that it is for"),
        (64, "use the name that it is for"),
    ],
)
def test_what_is_wrong_with_a_certificate_says_what_helps(number, remedy):
    error = ssl.SSLCertVerificationError()
    error.verify_code, error.verify_message = number, "it is not good."
    assert why(error) == f"it is not good; {remedy}, --insecure takes any"


def test_a_server_that_speaks_no_tls(inbox, server):
    inbox.channel.send(StreamOrder(3, urls(server), insecure=True))
    peer = server.accept()
    peer.sock.recv(1)
    peer.send(b"HTTP/1.1 400 Bad Request\r\n\r\n")
    assert inbox.note(3, "failed").fields["kind"] == "tls"
    assert inbox.end(3).how == "error"


def test_a_ca_file_that_can_not_be_read(inbox, server):
    inbox.channel.send(StreamOrder(4, urls(server), ca_file="/absent.pem"))
    assert inbox.end(4).detail.startswith("can't use the CA file /absent.pem")


def test_cancel_in_the_handshake(inbox, server):
    inbox.channel.send(StreamOrder(5, urls(server), insecure=True))
    peer = server.accept()
    assert peer.sock.recv(1)
    inbox.channel.send(CancelOrder(5))
    while not peer.closed_by_client():
        pass
    assert inbox.end(5).how == "cancelled"


def test_cancel_in_the_body(inbox, server, wire, secure):
    closed = threading.Event()

    def play(peer):
        peer.request()
        peer.send(wire.HEAD + wire.chunk(b"a"))
        with pytest.raises((ssl.SSLError, OSError)):
            if not peer.sock.recv(1):
                raise OSError
        closed.set()

    thread = secure(play)
    inbox.channel.send(StreamOrder(6, urls(server), insecure=True))
    inbox.reads(6, 1)
    inbox.channel.send(CancelOrder(6))
    assert closed.wait(20)
    thread.join()
    assert inbox.end(6).how == "cancelled"


def test_a_fetch_may_be_encrypted(inbox, server, secure):
    def play(peer):
        peer.request()
        peer.answer(b"{}")

    thread = secure(play)
    inbox.channel.send(FetchOrder(7, urls(server), ca_file=str(CERTIFICATE)))
    assert inbox.reply(7).body == b"{}"
    thread.join()


def test_a_warm_connection_is_alive_although_the_server_sent_tickets(server, secure):
    shaken, looked = threading.Event(), threading.Event()

    def play(peer):
        shaken.set()
        looked.wait(20)

    thread = secure(play)
    warmed = Warmed()
    where = target(urls(server), None, True)
    warmed.open(where)
    shaken.wait(20)
    standing = warmed.take(where)
    assert standing is not None
    looked.set()
    thread.join()
    assert standing.stream.get_extra_info("is_readable")
    standing.raw.close()
    assert os.path.exists(CERTIFICATE)
