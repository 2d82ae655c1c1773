"""A capture, a case or a recording as what its server sent: a head, pieces with their times, an end."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from tui.capture.recording import read
from tui.domain.wire import End, Note, Read

Coding = Literal["chunked", "length", "close"]
Ending = Literal["eof", "reset", "cut", "hang"]
_OURS = {"transfer-encoding", "content-length", "connection", "keep-alive"}


@dataclass(frozen=True, slots=True)
class Piece:
    """Bytes that arrived in one read, and when (seconds after "sent")."""

    at_s: float
    data: bytes


@dataclass(frozen=True, slots=True)
class Stream:
    """One reply as it came.

    head_s: when the head came; together with the first piece when that is no earlier. coding: how the body
    says where it ends; "close" is HTTP/1.0. end: "eof" ends it properly, "reset" breaks the connection with
    RST, "cut" closes it inside the body, "hang" says nothing more until the client closes.
    """

    method: str
    path: str
    status: int
    headers: tuple[tuple[str, str], ...]
    head_s: float
    pieces: tuple[Piece, ...]
    end: Ending
    end_s: float
    coding: Coding
    source: Path


def stream_of(path: Path) -> Stream:
    """Read a file. The coding is the one its response head tells, chunked when it tells none."""
    recording = read(path)
    request = recording.meta.fields.get("request")
    request = request if isinstance(request, dict) else {}
    pieces: list[Piece] = []
    headers: list[tuple[str, str]] = []
    head_s, status = 0.0, 200
    for record in recording.records:
        match record:
            case Read(at_ns, data):
                pieces.append(Piece(at_ns / 1e9, data))
            case Note(at_ns, "head", fields):
                head_s, status = at_ns / 1e9, int(str(fields["status"]))
                told = fields.get("headers")
                headers = [(str(n), str(v)) for n, v in told] if isinstance(told, list) else []
    end = recording.records[-1]
    assert isinstance(end, End)
    return Stream(
        str(request.get("method", "POST")),
        str(request.get("path", "/v1/chat/completions")).partition("?")[0],
        status,
        tuple((n, v) for n, v in headers if n.lower() not in _OURS),
        head_s,
        tuple(piece for piece in pieces if piece.data),
        _ending(end),
        end.at_ns / 1e9,
        _coding(headers),
        path,
    )


def _coding(headers: list[tuple[str, str]]) -> Coding:
    told = {name.lower(): value for name, value in headers}
    if "content-length" in told:
        return "length"
    return "close" if "transfer-encoding" not in told and "BaseHTTP/" in told.get("server", "") else "chunked"


def _ending(end: End) -> Ending:
    match end.how:
        case "eof":
            return "eof"
        case "reset":
            return "cut" if "closed" in end.detail else "reset"
        case _:
            return "hang"
