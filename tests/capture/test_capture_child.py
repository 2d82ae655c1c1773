"""The child as a process: deaf to Ctrl+C, patient with a stopped screen, gone with its parent."""

from __future__ import annotations

import contextlib
import os
import select
import signal
import subprocess
import sys

import pytest

from tui.capture.channel import Child
from tui.capture.frames import Gone
from tui.capture.orders import FetchOrder, StreamOrder
from tui.capture.recording import read
from tui.domain.wire import Read

linux = pytest.mark.skipif(not hasattr(os, "pidfd_open"), reason="waits for a foreign process by its pidfd")


def test_it_knows_neither_screen_nor_machine():
    heavy = "textual, rich, psutil, pynvml, httpx, asyncio"
    found = subprocess.run(
        [
            sys.executable,
            "-c",
            f"import sys, tui.capture.child; print([m for m in '{heavy}'.split(', ') if m in sys.modules])",
        ],
        capture_output=True,
        text=True,
        check=True,
    )
    assert found.stdout.strip() == "[]"


def test_starting_it_needs_next_to_nothing():
    found = subprocess.run(
        [
            sys.executable,
            "-c",
            "import sys, tui.capture.spawn; print('json' in sys.modules, 'ssl' in sys.modules)",
        ],
        capture_output=True,
        text=True,
        check=True,
    )
    assert found.stdout.strip() == "False False"


@pytest.fixture
def own_child():
    child = Child.start()
    yield child
    child.close()


def test_an_interrupt_does_not_reach_it(own_child, server):
    assert os.getsid(own_child.pid) != os.getsid(0)
    own_child.send(FetchOrder(1, f"http://127.0.0.1:{server.port}/"))
    peer = server.accept()  # it has come far enough to ignore signals
    os.kill(own_child.pid, signal.SIGINT)
    peer.request()
    peer.answer(b"alive")
    assert own_child.wait(20)
    assert own_child.drain()[0].body == b"alive"


def test_a_screen_that_stands_still_delays_no_read(own_child, server, wire):
    own_child.send(StreamOrder(1, server.url))
    peer = server.accept()
    peer.request()
    block = b"x" * 65_536
    peer.send(wire.HEAD)
    for _ in range(64):  # 4 MiB: more than the pipe holds; were they not read, the server would wait for ever
        peer.send(wire.chunk(block))
    peer.send(wire.LAST)
    assert peer.closed_by_client(), "all was read although nobody drained"
    frames = []
    while not any(getattr(getattr(it, "record", None), "how", "") == "eof" for it in frames):
        assert own_child.wait(20)
        frames += own_child.drain()
    body = b"".join(it.record.data for it in frames if isinstance(getattr(it, "record", None), Read))
    assert body == block * 64


def test_its_death_is_told(own_child):
    os.kill(own_child.pid, signal.SIGKILL)
    assert own_child.wait(20)
    assert own_child.drain() == [Gone("the capture process ended with status -9")]
    own_child.send(FetchOrder(1, "http://127.0.0.1:9/"))
    assert own_child.drain() == []


def test_a_nonsense_order_ends_it_with_a_reason(own_child):
    own_child._input.put(b"nonsense\n")
    assert own_child.wait(20)
    (gone,) = own_child.drain()
    assert "JSONDecodeError" in gone.detail


def test_closing_ends_what_runs_and_leaves_whole_recordings(server, wire, tmp_path):
    child = Child.start()
    file = tmp_path / "run.jsonl"
    child.send(StreamOrder(1, server.url, record=str(file)))
    peer = server.accept()
    peer.request()
    peer.send(wire.HEAD + wire.chunk(b"text"))
    while not any(isinstance(getattr(it, "record", None), Read) for it in child.drain()):
        assert child.wait(20)
    child.close()
    recording = read(file)
    assert (recording.records[-1].how, recording.damaged_lines) == ("cancelled", 0)
    assert any(isinstance(it, Read) and it.data == b"text" for it in recording.records)
    child.close()


PARENT = """
import sys
from tui.capture.channel import Child
from tui.capture.orders import StreamOrder
child = Child.start()
child.send(StreamOrder(1, sys.argv[1], record=sys.argv[2]))
print(child.pid, flush=True)
sys.stdin.read()
"""


@linux
@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM, signal.SIGHUP])
def test_it_goes_when_its_parent_is_killed(server, wire, tmp_path, how):
    file = tmp_path / "run.jsonl"
    pipe = subprocess.PIPE
    with subprocess.Popen(
        [sys.executable, "-c", PARENT, server.url, str(file)], stdin=pipe, stdout=pipe
    ) as parent:
        pidfd = os.pidfd_open(int(parent.stdout.readline()))
        peer = server.accept()
        peer.request()
        peer.send(wire.HEAD)
        parent.send_signal(how)
        assert peer.closed_by_client()
        gone, _, _ = select.select([pidfd], [], [], 20)
        os.close(pidfd)
        assert gone, "the child outlived its parent"
    assert read(file).records[-1].how == "cancelled"


@linux
def test_a_storm_of_signals_does_not_hold_it():
    child = Child.start()
    child.send(FetchOrder(1, "ftp://127.0.0.1/"))
    while not child.drain():  # its handlers stand
        child.wait(1)
    pidfd = os.pidfd_open(child.pid)
    with contextlib.suppress(ProcessLookupError):
        for _ in range(20_000):
            signal.pidfd_send_signal(pidfd, signal.SIGTERM)
    gone, _, _ = select.select([pidfd], [], [], 20)
    os.close(pidfd)
    child.close()
    assert gone, "a signal that interrupted another one holds it for ever"
