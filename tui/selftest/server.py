"""The scripted server, `python -m tui.selftest.server DIALECT`: sends by the clock and tells when it did.

stdin: names of scripts, a line each, for the next requests to the model `next`; it ends when stdin does.
stdout: one JSON object with the port, then one line of `truth.Truth` after each reply.
"""

from __future__ import annotations

import contextlib
import ctypes
import gc
import json
import os
import socket
import sys
import threading
import time
from queue import SimpleQueue
from typing import TextIO

from tui.selftest.facts import NEXT, fact, prompt_tokens
from tui.selftest.script import DIALECTS, Message, Script, named, reply
from tui.selftest.truth import Truth

_STREAMS = {"/v1/chat/completions": b"text/event-stream", "/api/chat": b"application/x-ndjson"}
_PR_SET_TIMERSLACK = 29
_SPIN_NS = 15_000  # the last bit before a send is waited for awake: a sleep may be late by as much
_LEAST_SLEEP_NS = 40_000
_FIFO_PRIORITY = 20
_WISH_S = 5.0


def main() -> None:
    """Serve until stdin ends."""
    gc.disable()
    if sys.platform == "linux":
        with contextlib.suppress(OSError, AttributeError):
            ctypes.CDLL(None).prctl(_PR_SET_TIMERSLACK, 1_000, 0, 0, 0)
    served = _Served(sys.argv[1], sys.stdout)
    listener = socket.create_server(("127.0.0.1", 0), backlog=16)
    told = {"port": listener.getsockname()[1], "fifo": _first_in_line()}
    sys.stdout.write(json.dumps(told) + "\n")
    sys.stdout.flush()
    threading.Thread(target=_accept, args=(listener, served), daemon=True).start()
    for line in sys.stdin:
        served.wishes.put(line.strip())
    os._exit(0)


def _first_in_line() -> bool:
    """Ask never to be preempted between taking the time and sending; whether that was granted."""
    try:
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(_FIFO_PRIORITY))
    except (OSError, AttributeError):
        return False
    return True


class _Served:
    """What all connections share. `queued_to_ns`: so long a request waits for its prompt to be read."""

    def __init__(self, dialect: str, out: TextIO) -> None:
        assert dialect in DIALECTS
        self.dialect, self.out = dialect, out
        self.wishes: SimpleQueue[str] = SimpleQueue()
        self.queued_to_ns = 0

    def script(self, model: str) -> Script:
        """The script that a model's name asks for. Raises ValueError, queue.Empty."""
        return named(self.wishes.get(timeout=_WISH_S) if model.partition(":")[0] == NEXT else model)


def _accept(listener: socket.socket, served: _Served) -> None:
    while True:
        connection, _ = listener.accept()
        threading.Thread(target=_serve, args=(connection, served), daemon=True).start()


def _serve(connection: socket.socket, served: _Served) -> None:
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    with connection, contextlib.suppress(ConnectionError), connection.makefile("rb") as lines:
        while words := lines.readline().split():
            length = 0
            while (header := lines.readline().strip()) != b"":
                name, _, value = header.partition(b":")
                if name.lower() == b"content-length":
                    length = int(value)
            data = lines.read(length)
            arrived_ns = time.monotonic_ns()
            body = json.loads(data) if data else {}
            path = words[1].decode()
            if path in _STREAMS:
                _stream(connection, served, body, arrived_ns, _STREAMS[path])
            else:
                waits = arrived_ns < served.queued_to_ns
                _answer(connection, fact(path, served.dialect, body, waits))


def _answer(connection: socket.socket, told: object) -> None:
    status = b"404 Not Found" if told is None else b"200 OK"
    body = json.dumps(told).encode()
    head = b"HTTP/1.1 %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n"
    connection.sendall(head % (status, len(body)) + body)


def _stream(
    connection: socket.socket, served: _Served, body: dict[str, object], arrived_ns: int, kind: bytes
) -> None:
    script = served.script(str(body["model"]))
    served.queued_to_ns = arrived_ns + script.queue_ns
    connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: %b\r\nTransfer-Encoding: chunked\r\n\r\n" % kind)
    messages = list(reply(script, served.dialect, prompt_tokens(body)))
    times: list[tuple[int, int]] = []
    try:
        _send(connection, messages, max(arrived_ns, time.monotonic_ns() - messages[0].due_ns), times)
        connection.sendall(b"0\r\n\r\n")
    finally:
        served.out.write(_truth(script.name, arrived_ns, times, messages).line())
        served.out.flush()


def _send(
    connection: socket.socket, messages: list[Message], start_ns: int, times: list[tuple[int, int]]
) -> None:
    """Each message as one chunk and one send, as near as can be to when it is due; `times` around it."""
    chunks = [b"%x\r\n%b\r\n" % (len(message.data), message.data) for message in messages]
    now_ns = time.monotonic_ns
    for message, chunk in zip(messages, chunks, strict=True):
        due_ns = start_ns + message.due_ns
        left_ns = due_ns - now_ns()
        if left_ns > _LEAST_SLEEP_NS:
            time.sleep((left_ns - _SPIN_NS) / 1e9)
        while now_ns() < due_ns:
            pass
        sent_ns = now_ns()
        connection.sendall(chunk)
        times.append((sent_ns, now_ns()))


def _truth(name: str, arrived_ns: int, times: list[tuple[int, int]], messages: list[Message]) -> Truth:
    sent = messages[: len(times)]
    ends: list[int] = []
    for message in sent:
        ends.append((ends[-1] if ends else 0) + len(message.data))
    return Truth(
        name,
        arrived_ns,
        [before for before, _ in times],
        ends,
        [message.tokens for message in sent],
        [after for _, after in times],
    )


if __name__ == "__main__":
    main()
