"""The clock of a read: trusted only while it can be true."""

from __future__ import annotations

import socket
import sys
import time

import pytest

from tui.capture.stamps import StampedSocket, keep_stamping

linux = pytest.mark.skipif(sys.platform != "linux", reason="only Linux stamps what TCP receives")


@pytest.fixture(scope="module", autouse=True)
def stamping():
    """As the desk does for its whole life. The kernel obeys a little later: here we wait for it."""
    with keep_stamping(), socket.create_server(("127.0.0.1", 0)) as listener:
        with socket.create_connection(listener.getsockname()) as ours, listener.accept()[0] as peer:
            ours.setblocking(False)
            stamps = StampedSocket(ours)
            until_s = time.monotonic() + 10
            while sys.platform == "linux" and not stamps.kernel:
                assert time.monotonic() < until_s
                peer.send(b"a")
                receive(stamps)
        yield


@pytest.fixture
def pair(server):
    ours = socket.create_connection(("127.0.0.1", server.port))
    ours.setblocking(False)
    yield StampedSocket(ours), server.accept()
    ours.close()


def receive(stamps: StampedSocket) -> bytes:
    while True:
        try:
            return stamps.receive(100)
        except BlockingIOError:
            continue


@linux
def test_a_late_reader_still_learns_when_it_arrived(pair):
    stamps, peer = pair
    peer.send(b"a")
    arrived_by_ns = time.monotonic_ns()
    while time.monotonic_ns() < arrived_by_ns + 5_000_000:
        pass  # a reader that had something else to do
    receive(stamps)
    assert stamps.kernel
    assert stamps.at_ns <= arrived_by_ns + 1_000_000
    assert stamps.recv_ns - stamps.at_ns >= 4_000_000


@linux
def test_a_wall_clock_that_was_set_is_not_believed_once(pair):
    stamps, peer = pair
    stamps._offset_ns += 3_600_000_000_000
    stamps._taken_ns -= 2_000_000_000
    peer.send(b"a")
    receive(stamps)
    assert (stamps.kernel, stamps.at_ns) == (False, stamps.recv_ns)
    peer.send(b"b")
    receive(stamps)
    assert stamps.kernel


@linux
def test_a_stamp_that_can_not_be_true_is_not_believed(pair):
    stamps, peer = pair
    stamps._offset_ns -= 3_600_000_000_000  # it would lie in the future
    peer.send(b"a")
    receive(stamps)
    assert (stamps.kernel, stamps.at_ns) == (False, stamps.recv_ns)


def test_stamps_never_go_down(pair):
    stamps, peer = pair
    stamps.sent(time.monotonic_ns())
    last = stamps.at_ns
    for _ in range(20):
        peer.send(b"a")
        receive(stamps)
        assert last <= stamps.at_ns <= stamps.recv_ns
        assert stamps.floor_ns <= stamps.at_ns
        last = stamps.at_ns


def test_without_the_kernel_it_is_the_return_of_recv(pair, monkeypatch):
    monkeypatch.setattr("tui.capture.stamps._SO_TIMESTAMPNS", None)
    stamps, peer = pair
    peer.send(b"a")
    assert receive(stamps) == b"a"
    assert (stamps.kernel, stamps.at_ns) == (False, stamps.recv_ns)
