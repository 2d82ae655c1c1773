"""Ports behind which there is something else than an engine: one line with a remedy, within seconds."""

from __future__ import annotations

import contextlib
import socket
import struct
import threading
from collections.abc import Callable, Iterator

from tests.endings.conftest import Monitor, Start
from tests.endings.terminal import PATIENCE_S, eventually

NOBODY, FAILED = 3, 1
_RESET = struct.pack("ii", 1, 0)
Behaviour = Callable[[socket.socket], None]


def page(peer: socket.socket) -> None:
    _answer(peer, b"200 OK", b"<html><title>[red]router[/]</title>\x1b[31m</html>")


def refusing(peer: socket.socket) -> None:
    _answer(peer, b"401 Unauthorized", b'{"error": {"message": "wrong key sk-s3cret-0123456789"}}')


def moved(peer: socket.socket) -> None:
    _answer(peer, b"301 Moved\r\nLocation: http://elsewhere/", b"")


def silent(peer: socket.socket) -> None:
    while peer.recv(4096):
        pass


def closing(peer: socket.socket) -> None:
    peer.recv(4096)


def resetting(peer: socket.socket) -> None:
    peer.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET)


def greeting(peer: socket.socket) -> None:
    peer.recv(4096)
    peer.sendall(b"220 mail.example ESMTP\r\n")


def endless(peer: socket.socket) -> None:
    peer.recv(4096)
    peer.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
    while True:
        peer.sendall(b"<p>" * 9999)


def _answer(peer: socket.socket, status: bytes, body: bytes) -> None:
    while peer.recv(4096):
        peer.sendall(b"HTTP/1.1 %b\r\nContent-Length: %d\r\n\r\n%b" % (status, len(body), body))


@contextlib.contextmanager
def port(behaviour: Behaviour) -> Iterator[str]:
    """The URL of a server that does this to everybody who connects."""

    def serve() -> None:
        while True:
            try:
                peer, _ = listener.accept()
            except OSError:
                return
            threading.Thread(target=meet, args=(peer,), daemon=True).start()

    def meet(peer: socket.socket) -> None:
        with peer, contextlib.suppress(OSError):  # the other side went
            behaviour(peer)

    listener = socket.create_server(("127.0.0.1", 0))
    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    finally:
        listener.shutdown(socket.SHUT_RDWR)
        listener.close()
        thread.join()


def test_something_else_answers_or_nothing_does(start: Start) -> None:
    silence = ("Nothing answers at ", "(no answer in time), but something is there. Is it busy?")
    cases: dict[Behaviour, tuple[str, str]] = {
        silent: silence,
        page: ("", "answers, but not like an engine that toklane knows. Check the address."),
        moved: ("", "redirects to http://elsewhere/. Give the engine's own address."),
        closing: ("No engine can be heard at ", "Check the address."),
        resetting: ("No engine can be heard at ", "Check the address."),
        greeting: ("No engine can be heard at ", "Check the address."),
        endless: ("No engine can be heard at ", "the answer is too long. Check the address."),
    }
    with contextlib.ExitStack() as stack:
        urls = [stack.enter_context(port(behaviour)) for behaviour in cases]
        started = [start("run", "--url", url) for url in urls]
        for url, process, (first, last) in zip(urls, started, cases.values(), strict=True):
            out, line = process.communicate(timeout=PATIENCE_S)
            assert (process.returncode, out) == (NOBODY, ""), line
            assert line.startswith(f"toklane: {first}{url}"), line
            assert line.endswith(f"{last}\n") and line.count("\n") == 1, line


def test_a_server_that_wants_a_key(start: Start) -> None:
    with port(refusing) as url:
        process = start("run", "--url", url, "--json")
        out, line = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == FAILED
    assert "s3cret" not in out + line
    assert line == (
        "toklane: 401: the server refused the key, or wants one."
        " Set the key with --api-key-env VAR or --api-key-file FILE.\n"
    )


def test_on_the_screen_it_is_told_where_the_engine_would_be(monitor: Monitor) -> None:
    with port(page) as url:
        terminal = monitor("--url", url)
        terminal.wait_for(f"✖ No engine  {url} answers, but not like an engine that toklane knows.")
        terminal.press("q")
        assert terminal.end() == 0
    eventually(lambda: terminal.restored)
