"""Systems that are not at hand: every module loads without what they lack, and a stream is read there."""

from __future__ import annotations

import json
import os
import select
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.endings.terminal import ROOT
from tests.wire.server import Server
from tests.wire.stream import stream_of
from tui.capture.dial import dial
from tui.capture.failure import CaptureError
from tui.capture.readiness import READ, WRITE, Selecting

CAPTURE = ROOT / "tests" / "data" / "captures" / "llamacpp" / "01-chat-short-cold.jsonl"
HEADLESS = "textual.drivers.headless_driver:HeadlessDriver"


@pytest.fixture
def url() -> Iterator[str]:
    stream = stream_of(CAPTURE)
    with Server(stream) as server:
        yield server.url + stream.path


@pytest.mark.parametrize("platform", ["linux", "darwin", "win32"])
def test_every_module_loads_and_the_reader_reads(platform: str, url: str, tmp_path: Path) -> None:
    """linux: with all that only POSIX has hidden, as on no real system."""
    process = subprocess.run(
        [sys.executable, "-W", "error", "-m", "tests.platforms.elsewhere", platform, url],
        cwd=ROOT,
        check=False,
        env={**os.environ, "TOKLANE_HOME": str(tmp_path), "TEXTUAL_DRIVER": HEADLESS},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert process.returncode == 0, process.stderr
    told = json.loads(process.stdout.splitlines()[-1])
    assert told["modules"] > 300 and told["failed"] == {}
    assert told["how"] == "eof" and told["body"]
    assert told["reader"] == ("InThread" if platform == "win32" else "Child")
    assert told["kernel"] and not any(told["kernel"]), "the stamps are those of recv's return"
    assert told["drawn"]


def test_waiting_without_poll_tells_what_poll_tells() -> None:
    reader, writer = socket.socketpair()
    with reader, writer:
        for waits in (Selecting(), select.poll()):
            waits.register(reader.fileno(), READ)
            assert waits.poll(0) == []
            waits.register(writer.fileno(), WRITE)
            assert waits.poll(None) == [(writer.fileno(), WRITE)]
            writer.send(b"x")
            assert sorted(waits.poll(0)) == sorted([(reader.fileno(), READ), (writer.fileno(), WRITE)])
            reader.recv(1)


def test_a_connection_that_fails_is_told_without_poll(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tui.capture.cancel.poller", Selecting)
    with socket.create_server(("127.0.0.1", 0)) as nobody:
        port = nobody.getsockname()[1]
    with pytest.raises(CaptureError, match="connection refused"):
        dial("127.0.0.1", port, None, time.monotonic_ns() + 5_000_000_000)


def test_a_name_is_looked_up_without_poll(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tui.capture.cancel.poller", Selecting)
    with socket.create_server(("127.0.0.1", 0)) as listening:
        host, port = listening.getsockname()
        found = [(socket.AF_INET, socket.SOCK_STREAM, 0, "", (host, port))]
        monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: found)
        dial("engine.invalid", port, None, time.monotonic_ns() + 5_000_000_000).close()
