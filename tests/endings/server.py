"""A server that says what a test wants it to say, and holds its tongue until it is told to go on."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Thread
from types import TracebackType
from typing import Any

PROGRESS, TOKENS = 4, 40
_MODELS = {"data": [{"id": "scripted", "owned_by": "llamacpp", "meta": {"n_ctx": 8192}}]}
_PROPS = {"build_info": "b1", "default_generation_settings": {"n_ctx": 8192}, "total_slots": 1}
_STEP_S = 0.005


class Engine:
    """A llama.cpp server in outline. `reads` and `writes` let it go on: from the prompt, from the answer."""

    def __init__(self) -> None:
        self.reads, self.writes, self.asked = Event(), Event(), Event()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._server.daemon_threads = True
        self._thread = Thread(target=self._server.serve_forever, args=(0.01,), daemon=True)
        self._thread.start()
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"

    def __enter__(self) -> Engine:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.reads.set()
        self.writes.set()
        self._server.shutdown()
        self._server.server_close()

    def _handler(engine) -> type[BaseHTTPRequestHandler]:
        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                facts = {"/props": _PROPS, "/v1/models": _MODELS, "/health": {"status": "ok"}, "/slots": []}
                self._tell(facts.get(self.path))

            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                if self.path != "/v1/chat/completions":
                    words = sum(len(turn["content"].split()) for turn in body.get("messages", ()))
                    return self._tell({"input_tokens": words} if "messages" in body else None)
                engine.asked.set()
                self.send_response(200)
                self.send_header("Content-Type", "text/event-stream")
                self.send_header("Transfer-Encoding", "chunked")
                self.end_headers()
                try:
                    for told in engine._reply():
                        data = b"data: " + told.encode() + b"\n\n"
                        self.wfile.write(b"%x\r\n%b\r\n" % (len(data), data))
                    self.wfile.write(b"0\r\n\r\n")
                except ConnectionError:
                    self.close_connection = True

            def _tell(self, fact: object) -> None:
                data = json.dumps(fact).encode()
                status = b"404 Not Found" if fact is None else b"200 OK"
                head = b"HTTP/1.1 %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n"
                self.wfile.write(head % (status, len(data)) + data)

            def log_message(self, *_: object) -> None:
                pass

        return Handler

    def _reply(self) -> Iterator[str]:
        for k in range(1, PROGRESS + 1):
            done = {"total": 512, "cache": 0, "processed": 128 * k, "time_ms": 10 * k}
            yield _chunk({"role": "assistant"}, prompt_progress=done)
            if k == PROGRESS // 2:
                self.reads.wait()
        for k in range(1, TOKENS + 1):
            yield _chunk({"content": f" word{k}"}, timings=_timings(k))
            if k == TOKENS // 2:
                self.writes.wait()
            time.sleep(_STEP_S)
        usage = {"prompt_tokens": 512, "completion_tokens": TOKENS, "total_tokens": 512 + TOKENS}
        yield _chunk({}, "length")
        yield json.dumps({"choices": [], "usage": usage, "timings": _timings(TOKENS)})
        yield "[DONE]"


def _chunk(delta: dict[str, str], reason: str | None = None, **more: Any) -> str:
    return json.dumps({"choices": [{"index": 0, "delta": delta, "finish_reason": reason}], **more})


def _timings(tokens: int) -> dict[str, float]:
    step_ms = _STEP_S * 1e3
    return {
        "cache_n": 0,
        "prompt_n": 512,
        "prompt_ms": 40,
        "predicted_n": tokens,
        "predicted_ms": step_ms * (tokens - 1),
    }
