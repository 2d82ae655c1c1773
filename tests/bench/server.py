"""The scripted server, `python -m tests.bench.server DIALECT`: sends by the clock and tells when it did.

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
from typing import TextIO

from tests.bench.script import DIALECTS, Message, named, reply
from tests.bench.truth import Truth

CONTEXT = 131_072
_PR_SET_TIMERSLACK = 29
_SPIN_NS = 15_000  # the last bit before a send is waited for awake: a sleep may be late by as much
_LEAST_SLEEP_NS = 40_000
_FIFO_PRIORITY = 20


def main() -> None:
    """Serve until stdin ends."""
    gc.disable()
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_TIMERSLACK, 1_000, 0, 0, 0)
    listener = socket.create_server(("127.0.0.1", 0), backlog=16)
    told = {"port": listener.getsockname()[1], "fifo": _first_in_line()}
    sys.stdout.write(json.dumps(told) + "\n")
    sys.stdout.flush()
    threading.Thread(target=_accept, args=(listener, sys.argv[1]), daemon=True).start()
    sys.stdin.read()
    os._exit(0)


def _first_in_line() -> bool:
    """Ask never to be preempted between taking the time and sending; whether that was granted."""
    try:
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(_FIFO_PRIORITY))
    except (OSError, AttributeError):
        return False
    return True


def _accept(listener: socket.socket, dialect: str) -> None:
    assert dialect in DIALECTS
    while True:
        connection, _ = listener.accept()
        threading.Thread(target=_serve, args=(connection, dialect), daemon=True).start()


def _serve(connection: socket.socket, dialect: str) -> None:
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
            if path == "/v1/chat/completions":
                _stream(connection, dialect, body, arrived_ns, sys.stdout)
            else:
                _answer(connection, _fact(path, dialect, body))


def _fact(path: str, dialect: str, body: dict[str, object]) -> object:
    """What is told at a path beside the stream; None for what this dialect does not know."""
    match path, dialect:
        case "/health", _:
            return {"status": "ok"}
        case "/v1/models", _:
            owner = "llamacpp" if dialect == "llama.cpp" else "scripted"
            entry = {"id": "one-80-400", "object": "model", "owned_by": owner, "max_model_len": CONTEXT}
            return {"object": "list", "data": [entry]}
        case "/props", "llama.cpp":
            settings = {"n_ctx": CONTEXT}
            return {"build_info": "scripted", "default_generation_settings": settings, "total_slots": 1}
        case "/slots", "llama.cpp":
            return [{"id": 0, "is_processing": False}]
        case "/v1/chat/completions/input_tokens", "llama.cpp":
            return {"input_tokens": prompt_tokens(body)}
        case _:
            return None


def prompt_tokens(body: dict[str, object]) -> int:
    """Tokens of a chat request: its words."""
    turns = body.get("messages")
    return sum(len(turn["content"].split()) for turn in turns) if isinstance(turns, list) else 0


def _answer(connection: socket.socket, fact: object) -> None:
    status = b"404 Not Found" if fact is None else b"200 OK"
    body = json.dumps(fact).encode()
    head = b"HTTP/1.1 %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n"
    connection.sendall(head % (status, len(body)) + body)


def _stream(
    connection: socket.socket, dialect: str, body: dict[str, object], arrived_ns: int, out: TextIO
) -> None:
    model = str(body["model"])
    connection.sendall(
        b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
    )
    messages = list(reply(named(model), dialect, prompt_tokens(body)))
    sent_ns: list[int] = []
    try:
        _send(connection, messages, max(arrived_ns, time.monotonic_ns() - messages[0].due_ns), sent_ns)
        connection.sendall(b"0\r\n\r\n")
    finally:
        out.write(_truth(model, arrived_ns, sent_ns, messages).line())
        out.flush()


def _send(connection: socket.socket, messages: list[Message], start_ns: int, sent_ns: list[int]) -> None:
    """Each message as one chunk and one send, as near as can be to when it is due."""
    chunks = [b"%x\r\n%b\r\n" % (len(message.data), message.data) for message in messages]
    now_ns = time.monotonic_ns
    for message, chunk in zip(messages, chunks, strict=True):
        due_ns = start_ns + message.due_ns
        left_ns = due_ns - now_ns()
        if left_ns > _LEAST_SLEEP_NS:
            time.sleep((left_ns - _SPIN_NS) / 1e9)
        while now_ns() < due_ns:
            pass
        sent_ns.append(now_ns())
        connection.sendall(chunk)


def _truth(model: str, arrived_ns: int, sent_ns: list[int], messages: list[Message]) -> Truth:
    sent = messages[: len(sent_ns)]
    ends: list[int] = []
    for message in sent:
        ends.append((ends[-1] if ends else 0) + len(message.data))
    return Truth(model, arrived_ns, sent_ns, ends, [message.tokens for message in sent])


if __name__ == "__main__":
    main()
