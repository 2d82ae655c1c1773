"""HTTP as the replay server speaks it: requests in, heads out."""

from __future__ import annotations

import json
import select
import socket
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from http import HTTPStatus
from typing import BinaryIO

from tests.wire.stream import Coding


@dataclass(frozen=True, slots=True)
class Seen:
    """One request as it came. `target` is path and query; names of headers are lower case."""

    method: str
    target: str
    headers: Mapping[str, str]
    body: bytes
    connection: int

    @property
    def path(self) -> str:
        return self.target.partition("?")[0]

    def json(self) -> object:
        """The body's value."""
        return json.loads(self.body)


class Gone(Exception):
    """The client has closed the connection."""


def look(sock: socket.socket, wait_s: float) -> None:
    """Wait, or find out that the client closed: raises Gone then."""
    readable, _, _ = select.select([sock], [], [], wait_s)
    if readable and not sock.recv(1, socket.MSG_PEEK):
        raise Gone


def request(lines: BinaryIO, connection: int) -> Seen | None:
    """The next request of a connection; None when it was closed."""
    first = lines.readline().split()
    if len(first) < 2:
        return None
    headers: dict[str, str] = {}
    while line := lines.readline().strip():
        name, _, value = line.decode("latin-1").partition(":")
        headers[name.lower()] = value.strip()
    body = lines.read(int(headers.get("content-length", 0)))
    return Seen(first[0].decode(), first[1].decode(), headers, body, connection)


def head(status: int, headers: Iterable[tuple[str, str]], coding: Coding, size: int) -> bytes:
    """The head of a response whose body is sent in this coding."""
    reason = HTTPStatus(status).phrase if status in HTTPStatus._value2member_map_ else "Unknown"
    lines = [f"HTTP/1.{0 if coding == 'close' else 1} {status} {reason}"]
    dropped = ("content-length", "transfer-encoding")
    lines += [f"{name}: {value}" for name, value in headers if name.lower() not in dropped]
    match coding:
        case "chunked":
            lines.append("Transfer-Encoding: chunked")
        case "length":
            lines.append(f"Content-Length: {size}")
        case "close":
            pass
    return "\r\n".join([*lines, "", ""]).encode("latin-1")
