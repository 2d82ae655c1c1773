"""What goes wrong between a session and its engine: what is told, which state it is, what is kept."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from tests.wire.answers import Side, always, told
from tests.wire.client import until
from tests.wire.runs import CAPTURES
from tests.wire.server import Server
from tests.wire.stream import Ending, Piece, Stream, stream_of
from tui.capture import stamps
from tui.capture.dial import dial
from tui.capture.in_thread import InThread
from tui.capture.recording import Recording, read
from tui.capture.session import Session
from tui.capture.shelf import Shelf
from tui.capture.target import Target
from tui.domain.events import ErrorKind
from tui.domain.knobs import Knobs
from tui.domain.values import Provenance
from tui.domain.view import Stage, View
from tui.domain.wire import End, Read

CHAT = stream_of(CAPTURES / "vllm" / "finish-length.jsonl")
CASES = CAPTURES.parent / "cases"
MODELS = Side("/v1/models", always(told({"object": "list", "data": [{"id": "m", "object": "model"}]})))
KNOBS = Knobs(prompt_tokens=64, answer_limit=16)
DEAD = "http://127.0.0.1:9"
S = 1_000_000_000


def replayed(name: str) -> Stream:
    """A case, at the path where an engine is asked that tells nothing about itself."""
    return replace(stream_of(CASES / f"{name}.jsonl"), path="/v1/chat/completions")


def broken_after(pieces: int, end: Ending) -> Stream:
    return replace(CHAT, pieces=CHAT.pieces[:pieces], end=end, path="/v1/chat/completions")


@dataclass
class Clock:
    """The monotonic clock, ahead by as much as a test says."""

    ahead_ns: int = 0

    def __call__(self) -> int:
        return time.monotonic_ns() + self.ahead_ns


@dataclass
class Sitting:
    """A session, its engine, its clock, and the folder of its recordings."""

    session: Session
    server: Server
    clock: Clock
    folder: Path

    def begin(self, piece: int | None = None) -> None:
        """Send; with `piece` until the stream stands before that piece."""
        if piece is not None:
            self.server.hold(piece=piece)
        before = self.session.run
        self.session.send(KNOBS)
        until(self.session, lambda: self.session.run is not before)
        if piece is not None:
            until(self.session, lambda: self.server.held)
        until(self.session, lambda: self.session.view().stage not in (Stage.EMPTY, Stage.CONNECTING))
        # the server may have the request before we are told that it was sent
        until(self.session, lambda: self.session.view().stage not in (Stage.EMPTY, Stage.CONNECTING))

    def finish(self) -> View:
        until(self.session, lambda: self.session.ended)
        return self.session.view()

    @property
    def recording(self) -> Recording:
        assert self.session.run is not None and self.session.run.recording is not None
        return read(self.session.run.recording)


@contextmanager
def seated(stream: Stream, folder: Path, port: int = 0) -> Iterator[Sitting]:
    clock = Clock()
    with Server(stream, [MODELS], port=port) as server:
        session = Session(InThread(), None, Shelf(folder), clock=clock)
        try:
            session.aim(Target(server.url))
            until(session, lambda: session.found is not None or bool(session.problem))
            assert session.problem == ""
            yield Sitting(session, server, clock, folder)
        finally:
            session.cancel()
            for thread in threading.enumerate():
                if thread.name in ("warm", "fetch", "poll"):
                    thread.join(20)
            session.close()


# -- the engine dies ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("end", ["reset", "cut"])
@pytest.mark.parametrize("pieces", [0, 3], ids=["while it reads the prompt", "while it writes"])
def test_an_engine_that_dies_is_told_and_what_came_stays(tmp_path: Path, pieces: int, end: Ending) -> None:
    with seated(broken_after(pieces, end), tmp_path) as at:
        at.begin()
        view = at.finish()
        assert view.stage is Stage.FAILED and view.failure is not None
        assert view.failure.kind is ErrorKind.CONNECTION_LOST
        assert view.failure.message.startswith("the engine closed the connection")
        assert "out of memory" in view.failure.remedy
        assert bool(str(view.answer)) == bool(pieces) and not view.complete
        recording = at.recording
        kept = [record.data for record in recording.records if isinstance(record, Read)]
        assert kept == [piece.data for piece in CHAT.pieces[:pieces]]
        assert recording.ended and isinstance(recording.records[-1], End)
        assert recording.records[-1].how == "reset"


def test_an_engine_that_has_gone_is_one_line_and_one_that_came_back_is_used(tmp_path: Path) -> None:
    with seated(broken_after(len(CHAT.pieces), "eof"), tmp_path) as at:
        port = at.server.port
        at.server.close()
        at.session.send(KNOBS)
        view = at.finish()
        assert view.failure is not None and view.failure.kind is ErrorKind.CONNECTION_FAILED
        assert view.failure.message == f"nothing answers at 127.0.0.1:{port} (connection refused)"
        assert view.failure.remedy == "is the engine running?"
        with Server(broken_after(len(CHAT.pieces), "eof"), [MODELS], port=port):
            at.session.send(KNOBS)
            until(at.session, lambda: at.session.view().complete)
        assert at.session.notice == ""


def test_a_restart_between_two_requests_is_not_noticed(tmp_path: Path) -> None:
    """The connection that stood is dead; what was never answered is sent on a new one."""
    stream = broken_after(len(CHAT.pieces), "eof")
    with seated(stream, tmp_path) as at:
        at.begin()
        assert at.finish().complete
        port = at.server.port
        at.server.close()
        with Server(stream, [MODELS], port=port) as again:
            at.begin()
            assert at.finish().complete
            assert len(again.posted) == 1
        assert at.session.notice == ""


# -- silence ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("silent_s", [95, 3600])
def test_a_silent_prompt_is_waited_for_with_a_running_clock(tmp_path: Path, silent_s: int) -> None:
    """A machine that slept looks the same: where the clock went on meanwhile the wait was long."""
    with seated(broken_after(len(CHAT.pieces), "eof"), tmp_path) as at:
        at.begin(piece=0)
        at.clock.ahead_ns = silent_s * S
        at.session.drain()
        view = at.session.view()
        assert view.stage is Stage.WAITING and view.now_ns > silent_s * S
        assert view.phases[-1].running
        assert (at.session.running, at.session.notice, at.session.problem) == (True, "", "")
        at.clock.ahead_ns = 0
        at.server.go_on()
        view = at.finish()
        assert view.complete and view.total_ns is not None and view.total_ns < 20 * S


def test_a_silence_amid_the_answer_is_called_a_stall_and_goes_on(tmp_path: Path) -> None:
    """What a peer that vanished without a word looks like, too."""
    with seated(broken_after(len(CHAT.pieces), "eof"), tmp_path) as at:
        at.begin(piece=4)
        until(at.session, lambda: at.session.view().chunks >= 2)
        at.clock.ahead_ns = 61 * S
        at.session.drain()
        view = at.session.view()
        assert view.stage is Stage.STALLED and view.open_stall is not None
        assert view.open_stall.gap_ns > 60 * S and at.session.running
        at.clock.ahead_ns = 0
        at.server.go_on()
        assert at.finish().complete


def test_what_never_ends_can_be_stopped(tmp_path: Path) -> None:
    with seated(broken_after(4, "hang"), tmp_path) as at:
        at.begin()
        until(at.session, lambda: at.session.view().chunks >= 2)
        at.session.cancel()
        at.server.wait_closed()
        view = at.finish()
        assert view.stage is Stage.CANCELLED and not view.complete and view.failure is None
        assert str(view.answer) and at.recording.ended


def test_a_connection_that_stays_open_after_the_last_word_is_closed(tmp_path: Path) -> None:
    with seated(replayed("done_then_connection_stays_open"), tmp_path) as at:
        at.begin()
        until(at.session, lambda: at.session.view().stage is Stage.FINISHED)
        assert at.session.view().complete
        at.clock.ahead_ns = 60 * S
        until(at.session, lambda: at.session.ended)
        at.server.wait_closed()
        view = at.session.view()
        assert view.failure is None and view.complete and "closed_uncleanly" not in view.warnings


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("vllm_error_after_tokens_then_done", ErrorKind.ENGINE_ERROR),
        ("error_object_with_status_200", ErrorKind.ENGINE_ERROR),
        ("llamacpp_503_loading", ErrorKind.SERVER_BUSY),
        ("html_502_from_proxy", ErrorKind.HTTP_ERROR),
    ],
)
def test_a_connection_that_stays_open_after_a_failure_is_closed(
    name: str, kind: ErrorKind, tmp_path: Path
) -> None:
    with seated(replace(replayed(name), end="hang"), tmp_path) as at:
        at.begin()
        until(at.session, lambda: at.session.view().stage is Stage.FAILED)
        at.clock.ahead_ns = 60 * S
        until(at.session, lambda: at.session.ended)
        at.server.wait_closed()
        failure = at.session.view().failure
        assert failure is not None and failure.kind is kind


def test_the_limit_that_was_set_is_told_as_such(tmp_path: Path) -> None:
    with seated(broken_after(4, "hang"), tmp_path) as at:
        at.session.timeout_s = 0.5
        at.begin()
        view = at.finish()
        assert view.stage is Stage.FAILED and view.failure is not None
        assert view.failure.kind is ErrorKind.TIMED_OUT
        assert view.failure.message == "no end of the reply within 0.5 s"
        assert "--timeout" in view.failure.remedy
        assert str(view.answer) and at.recording.ended


def test_the_kernel_asks_a_silent_peer_whether_it_is_there() -> None:
    """One whose machine lost its power is noticed within two minutes; one that thinks is never given up."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        sock = dial("127.0.0.1", listening.getsockname()[1], None, None)
        with sock:
            assert sock.getsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE)


# -- clocks -------------------------------------------------------------------------------------------------


def test_a_wall_clock_that_is_set_changes_no_duration(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shift = [0]
    shifted = SimpleNamespace(monotonic_ns=time.monotonic_ns, time_ns=lambda: time.time_ns() + shift[0])
    monkeypatch.setattr(stamps, "time", shifted)
    monkeypatch.setattr(stamps, "_REFRESH_NS", 0)  # look at the clocks with every read
    pieces = tuple(Piece(0.02 * n, piece.data) for n, piece in enumerate(CHAT.pieces, 1))
    with seated(replace(broken_after(len(pieces), "eof"), pieces=pieces), tmp_path) as at:
        at.begin(piece=3)
        shift[0] = -3600 * S
        at.server.hold(piece=5)
        until(at.session, lambda: at.server.held)
        shift[0] = 3600 * S
        at.server.go_on()
        began = time.monotonic()
        view = at.finish()
        assert time.monotonic() - began < 20
        times = [record.at_ns for record in at.recording.records[1:]]
        assert times == sorted(times) and times[-1] < 20 * S
        assert view.complete and all(0 <= phase.duration_ns < 20 * S for phase in view.phases)
        assert view.ttft.provenance is Provenance.OBSERVED


# -- the way there ------------------------------------------------------------------------------------------


def test_no_proxy_is_asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Connections are direct ones whatever the environment says; an engine at home is behind no proxy."""
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"):
        monkeypatch.setenv(name, DEAD)
    with seated(broken_after(len(CHAT.pieces), "eof"), tmp_path) as at:
        at.begin()
        assert at.finish().complete


@pytest.mark.parametrize(
    ("name", "kind", "words"),
    [
        ("redirect_307_trailing_slash", ErrorKind.REDIRECT, "307"),
        ("unauthorized_401", ErrorKind.AUTH, "--api-key-env"),
        ("ollama_404_model", ErrorKind.NOT_FOUND, "404"),
        ("rate_limited_429_seconds", ErrorKind.RATE_LIMITED, "Send again after"),
        ("llamacpp_503_loading", ErrorKind.SERVER_BUSY, "503"),
        ("html_502_from_proxy", ErrorKind.HTTP_ERROR, "HTML page"),
    ],
)
def test_a_refusal_is_told_with_what_to_do_and_is_not_repeated(
    tmp_path: Path, name: str, kind: ErrorKind, words: str
) -> None:
    with seated(replayed(name), tmp_path) as at:
        at.begin()
        view = at.finish()
        assert view.stage is Stage.FAILED and view.failure is not None and view.failure.kind is kind
        assert words in f"{view.failure.message} {view.failure.remedy}"
        assert view.ttft.number is None and view.tokens is None
        assert [seen.method for seen in at.server.asked("/v1/chat/completions")] == ["POST"]
        assert at.recording.ended
