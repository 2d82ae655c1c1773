"""A server that wants a key and says it back wherever it can, in every way that servers write keys."""

from __future__ import annotations

import base64
import json
import ssl
from collections.abc import Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from types import TracebackType
from urllib.parse import quote

CERTIFICATE = Path(__file__).parents[1] / "data" / "tls" / "localhost.pem"  # nobody vouches for it
KEY = "sk-Canary7/Qz9x94+UVWx-mnop2468"
PIECES = ("Canary7", "Qz9x", "UVWx", "p2468")
"""What of the key is in every way of writing it, and in nothing else."""


def told(key: str) -> str:
    """The key in several ways."""
    coded = base64.b64encode(key.encode()).decode()
    return f"{key} {quote(key, safe='')} {coded} {key[:10]}****{key[-5:]} {key[:10]}... {key[4:]}"


def leaks(words: str | bytes) -> list[str]:
    """The pieces of the key, or of its base64, that are in there."""
    text = words.decode("utf-8", "replace") if isinstance(words, bytes) else words
    coded = base64.b64encode(KEY.encode()).decode()
    pieces = (*PIECES, *(coded[at : at + 8] for at in range(8, len(coded) - 8, 4)))
    return [piece for piece in pieces if piece in text]


class Echoing:
    """llama.cpp's server in outline. status: of each answer to a chat. `keys`: what was sent."""

    def __init__(self, status: int = 200, location: str = "", secure: bool = False) -> None:
        self.keys: list[str] = []
        self.asked: list[tuple[str, str]] = []
        self._status, self._location = status, location
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._server.daemon_threads = True
        self._server.handle_error = lambda *_: None  # type: ignore[method-assign]  # a client that does not trust us
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        if secure:
            trust = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            trust.load_cert_chain(CERTIFICATE)
            self._server.socket = trust.wrap_socket(self._server.socket, server_side=True)
            self.url = self.url.replace("http://127.0.0.1", "https://localhost")
        self._thread = Thread(target=self._server.serve_forever, args=(0.01,), daemon=True)
        self._thread.start()

    def __enter__(self) -> Echoing:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._server.server_close()

    def _handler(server) -> type[BaseHTTPRequestHandler]:
        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                said = told(self._key())
                models = {"data": [{"id": f"m {said}", "owned_by": "llamacpp", "meta": {"n_ctx": 8192}}]}
                props = {"build_info": said, "model_path": f"/m/{said}", "chat_template": said,
                         "default_generation_settings": {"n_ctx": 8192}, "total_slots": 1}  # fmt: skip
                facts: Mapping[str, object] = {
                    "/props": props,
                    "/v1/models": models,
                    "/health": {"status": "ok"},
                }
                fact = facts.get(self.path)
                self._tell(404 if fact is None else 200, fact or {"error": said})

            def do_POST(self) -> None:
                self.rfile.read(int(self.headers["Content-Length"]))
                said = told(self._key())
                if self.path != "/v1/chat/completions":
                    return self._tell(404, {"error": said})
                if server._status != 200:
                    return self._tell(
                        server._status, {"error": {"message": f"wrong key {said}", "type": said}}
                    )
                texts = ["your key is ", *said.split(), said]
                data = b"".join(_event(text) for text in texts) + b"data: [DONE]\n\n"
                self._head(200, "text/event-stream", len(data))
                for at in range(0, len(data), 11):
                    self.wfile.write(data[at : at + 11])

            def _key(self) -> str:
                word = self.headers.get("Authorization", "none none").split()[-1]
                server.keys.append(word)
                server.asked.append((self.command, self.path))
                return word

            def _tell(self, status: int, fact: object) -> None:
                data = json.dumps(fact).encode()
                self._head(status, "application/json", len(data))
                self.wfile.write(data)

            def _head(self, status: int, kind: str, length: int) -> None:
                said = told(server.keys[-1])
                self.send_response(status, f"No {said}")
                headers = {"Content-Type": kind, "Content-Length": str(length), "X-Said": said,
                           "Set-Cookie": f"k={said}", "WWW-Authenticate": f'Bearer error="{said}"',
                           "Location": server._location or f"/elsewhere?key={server.keys[-1]}"}  # fmt: skip
                for name, value in headers.items():
                    self.send_header(name, value)
                self.end_headers()

            def log_message(self, *_: object) -> None:
                pass

        return Handler


def _event(text: str) -> bytes:
    return b"data: " + json.dumps({"choices": [{"index": 0, "delta": {"content": text}}]}).encode() + b"\n\n"
