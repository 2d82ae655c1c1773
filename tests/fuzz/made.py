"""A run made from any bytes: who speaks, how the bytes are cut, what is asked beside the stream."""

from __future__ import annotations

from tui.domain.wire import End, Meta, Note, Poll, Read, Record
from tui.engines import registry

APART = b"\x1e"  # between two reads or answers; no engine writes it
SPEAKERS: tuple[tuple[str, str], ...] = (
    *((name, "/v1/chat/completions") for name in registry.names()),
    *(("", path) for path in ("/api/chat", "/api/generate", "/api/v1/chat", "/api/v0/chat/completions")),
    ("llama.cpp", "/completion"),
    ("sglang", "/generate"),
    ("llama.cpp", "/v1/messages"),
    ("llama.cpp", "/v1/responses"),
)
HOWS = ("eof", "reset", "hang", "cancelled", "error")
_STATUS = (200, 200, 200, 400, 401, 404, 429, 503)
_TYPES = ("text/event-stream", "application/json", "application/x-ndjson", "text/html")
_CODINGS = ("", "", "", "gzip", "deflate", "br")
_STEP_NS = 7_000_000


def run_from(data: bytes) -> list[Record]:
    """The records of one run. data[0]: who speaks, [1]: status and end, [2]: type and coding, then pieces.

    A piece that begins with `<` is the answer to a poll before the request, with `?` one beside it, with `>`
    one after it: path, LF, body. Every other piece is a read.
    """
    head = (data[:3] + b"\0\0\0")[:3]
    engine, path = SPEAKERS[head[0] % len(SPEAKERS)]
    status, how = _STATUS[head[1] % len(_STATUS)], HOWS[head[1] // 8 % len(HOWS)]
    headers = [["Content-Type", _TYPES[head[2] % 4]], ["Content-Encoding", _CODINGS[head[2] // 4 % 6]]]
    meta = {"engine": engine, "request": {"path": path, "body": {"model": "m", "max_tokens": 64}}}
    before: list[Record] = []
    course: list[Record] = []
    after: list[Record] = []
    at_ns = 1_000_000
    for piece in data[3:].split(APART):
        kind = piece[:1]
        if kind in (b"<", b"?", b">") and b"\n" in piece:
            where, body = piece[1:].split(b"\n", 1)
            asked = where.decode("utf-8", "replace")
            if kind == b"<":
                before.append(Poll(-_STEP_NS, asked, 200, body))
            else:
                (course if kind == b"?" else after).append(Poll(at_ns, asked, 200, body))
        else:
            course.append(Read(at_ns, piece, None, at_ns + 20_000))
        at_ns += _STEP_NS
    first = next((r.at_ns for r in course if isinstance(r, Read)), at_ns)
    notes = [
        Note(0, "sent"),
        Note(1000, "sent_all"),
        Note(first, "head", {"status": status, "headers": headers}),
    ]
    ordered = sorted([*notes, *course], key=lambda r: r.at_ns)  # type: ignore[union-attr]
    return [Meta(meta), *before, *ordered, End(at_ns, how), *after]


def speaker(engine: str, path: str) -> int:
    """The byte that names who speaks, for an engine's name and a request's path."""
    names = [n for n, who in enumerate(SPEAKERS) if who[1] == path]
    known = (n for n, who in enumerate(SPEAKERS) if who[0] == engine)
    return names[0] if len(names) == 1 else next(known, 0)
