"""Text that wants to be more than text, a server that says it everywhere, and what a terminal may be sent."""

from __future__ import annotations

import json
import re
import socket
from collections.abc import Sequence
from contextlib import suppress
from threading import Event, Thread
from types import TracebackType

SEQUENCES = {
    "csi": "\x1b[2J\x1b[666;666H\x1b[31;1;666m\x1b[?1049l\x1b[6n\x1b[?25l",
    "osc": "\x1b]0;PWNED\x07\x1b]52;c;UFdORUQ=\x1b\\\x1b]8;;http://pwned.invalid\x1b\\",
    "dcs": "\x1bP$qPWNED\x1b\\\x1b_GPWNED\x1b\\\x1b^PWNED\x1b\\\x1bXPWNED\x1b\\\x1bc\x1b(0\x1b#8",
    "c1": "\x9b2J\x9d0;PWNED\x9c\x90qPWNED\x9c\x84\x85\x8d",
    "controls": "\x00\x05\x07\x08\x08\x0b\x0c\x0e\x0f\x18\x1a\x7f\r",
    "markup": "[bold]b[/] [/] [/ [b + [red [@click=app.quit]q[/] [link=http://pwned.invalid]l[/link] \\[x]",
    "bidi": "\u202ercs\u202c\u2066a\u2069\u200e\u200f\u061c\u2067",
    "hidden": "\u200b\u2060\ufeff\u00ad\u180e\u2028\u2029\U000e0041\U000e007f\ufffe\U0001ffff\ufdd0",
    "joined": "e\u0301\u0302\u0303\u0304\u0305\u0306 \u0301\u200d\ufe0f\u115f\u3164\u034f",
    "wide": "漢字ｶﾞ\u3099が한글",
    "tab": "a\tb",
}
ALL = " ".join(SEQUENCES.values())
LINES = "one\ntwo\r\nthree\x0b\x0cfour\x85five"
_TEXT = rb"[^\x00-\x1f\x7f]+"
_SGR = rb"\x1b\[(?:\d{1,3}(?:;\d{1,3})*)?m"
_PLACE = rb"\x1b\[(?:\d{1,3}(?:;\d{1,3})?)?H"
_MODES = rb"\x1b\[\?(?:1049|1000|1002|1003|1015|1016|1006|25|1004|2004|2026|2048|7)[hl]"
_ASKED = rb"\x1b\[\?(?:2026|2048)\$p|\x1b\[>\d*u|\x1b\[<\d*u"
_POINTER = rb"\x1b\]22;[a-z-]+\x07"
_OURS = re.compile(rb"|".join((_TEXT, rb"[\r\n]", _SGR, _PLACE, _MODES, _ASKED, _POINTER)))
_UNSEEN = re.compile("[\x80-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\u2028\u2029\ud800-\udfff]")


def alien(written: bytes) -> list[bytes]:
    """What a terminal was sent beyond text, colours, places and modes of the screen; 40 bytes of each."""
    found: list[bytes] = []
    at = 0
    while at < len(written):
        token = _OURS.match(written, at)
        if token is None:
            found.append(written[max(0, at - 10) : at + 30])
        at = token.end() if token else at + 1
    for unseen in _UNSEEN.finditer(written.decode("utf-8", "surrogateescape")):
        found.append(ascii(unseen[0]).encode())
    return found


class Server:
    """A llama.cpp server in outline whose every word is `word`; its stream is what `stream` tells, cut small.

    refusal: the status with which it refuses each request instead, its body and reason full of `word`.
    """

    def __init__(self, word: str = ALL, stream: Sequence[bytes] = (), refusal: int = 0, cut: int = 7) -> None:
        self._word, self._stream, self._refusal, self._cut = word, stream, refusal, cut
        self._over = Event()
        self._listening = socket.create_server(("127.0.0.1", 0))
        self._listening.settimeout(0.1)
        self.url = f"http://127.0.0.1:{self._listening.getsockname()[1]}"
        self._thread = Thread(target=self._serve, daemon=True)
        self._thread.start()

    def __enter__(self) -> Server:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._over.set()
        self._thread.join(5)
        self._listening.close()

    def _serve(self) -> None:
        while not self._over.is_set():
            with suppress(TimeoutError):
                connection, _ = self._listening.accept()
                Thread(target=self._answer, args=(connection,), daemon=True).start()

    def _answer(self, connection: socket.socket) -> None:
        with suppress(OSError), connection:
            connection.settimeout(5)
            data = b""
            while b"\r\n\r\n" not in data:
                data += connection.recv(1 << 16) or b"\r\n\r\n"
            head, _, body = data.partition(b"\r\n\r\n")
            sized = re.search(rb"(?i)content-length: *(\d+)", head)
            while len(body) < int(sized[1] if sized else 0):
                body += connection.recv(1 << 16)
            for piece in self._said(*head.split(b" ", 2)[:2]):
                connection.sendall(piece)

    def _said(self, method: bytes, target: bytes) -> list[bytes]:
        path = target.partition(b"?")[0]
        word = self._word
        facts: dict[bytes, object] = {
            b"/props": {
                "build_info": word,
                "model_path": f"/models/{word}.gguf",
                "chat_template": word,
                "default_generation_settings": {"n_ctx": 8192},
                "total_slots": 1,
                "model_alias": word,
            },
            b"/v1/models": {"data": [{"id": word, "owned_by": "llamacpp", "meta": {"n_ctx": 8192}}]},
            b"/health": {"status": "ok"},
            b"/slots": [],
        }
        if method == b"POST" and path == b"/v1/chat/completions":
            if self._refusal:
                return _whole(self._refusal, {"error": {"message": word, "type": word, "code": word}}, word)
            body = b"".join(self._stream)
            pieces = [body[at : at + self._cut] for at in range(0, len(body), self._cut)]
            return [_head(200, "text/event-stream", word), *pieces]
        return _whole(200, facts[path], word) if path in facts else _whole(404, {"error": word}, word)


def _head(status: int, kind: str, word: str) -> bytes:
    """Its header values hold all that HTTP lets through: bytes above 0x7f, and markup."""
    told = SEQUENCES["c1"].encode("latin-1") + b" [bold]x[/]"
    lines = [
        b"HTTP/1.0 %d Odd" % status,
        b"Content-Type: " + kind.encode(),
        b"Server: " + told,
        b"Location: /elsewhere" + told,
        b"X-Word: " + told,
    ]
    return b"\r\n".join(lines) + b"\r\n\r\n"


def _whole(status: int, fact: object, word: str) -> list[bytes]:
    return [_head(status, "application/json", word), json.dumps(fact, ensure_ascii=False).encode()]


def streamed(*texts: str, tool: str = "", reasoning: str = "", finish: str = "stop") -> list[bytes]:
    """A chat stream of these texts, raw in its JSON where JSON lets them be."""
    chunks: list[object] = [{"choices": [{"index": 0, "delta": {"reasoning_content": reasoning}}]}]
    chunks += [{"choices": [{"index": 0, "delta": {"content": text}}]} for text in texts]
    call = {"index": 0, "function": {"name": tool, "arguments": json.dumps({"a": tool}, ensure_ascii=False)}}
    chunks += [{"choices": [{"index": 0, "delta": {"tool_calls": [call]}}]}] if tool else []
    chunks.append({"choices": [{"index": 0, "delta": {}, "finish_reason": finish}]})
    chunks.append({"choices": [], "usage": {"prompt_tokens": 512, "completion_tokens": 1 + len(texts)}})
    return [
        *(b"data: " + json.dumps(chunk, ensure_ascii=False).encode() + b"\n\n" for chunk in chunks),
        b"data: [DONE]\n\n",
    ]
