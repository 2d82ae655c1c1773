"""Takes whole chunks of a reply to where they go, round the HTTP library, which takes far longer to do that.

A model's server writes each token as one chunk (RFC 9112 §7.1), and mostly each read brings just that. The
library keeps all the rest: the head, chunks that are cut or have extensions, the end, and what is none of it.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import httpcore

_HEADER = re.compile(rb"([0-9A-Fa-f]{1,8})\r\n")
_BLANK_LINE = re.compile(rb"\n\r?\n")
_CUT_BYTES = 1 << 18  # of a chunk that comes piece by piece; a longer one is left to the library for good


def whole(data: bytes) -> tuple[list[bytes], int]:
    """What the whole chunks at the beginning of `data` hold, and where the first byte behind them is."""
    parts: list[bytes] = []
    at = 0
    while found := _HEADER.match(data, at):
        start = found.end()
        end = start + int(found[1], 16)
        if end == start or data[end : end + 2] != b"\r\n":
            break
        parts.append(data[start:end])
        at = end + 2
    return parts, at


class Bypass(httpcore.NetworkStream):
    """A connection for httpcore. Behind the head, reads that are nothing but whole chunks go to `take`.

    before_read: called when httpcore wants more bytes than it has.
    """

    def __init__(
        self,
        stream: httpcore.NetworkStream,
        before_read: Callable[[], None],
        take: Callable[[bytes], None],
    ) -> None:
        self._stream = stream
        self._before_read = before_read
        self._take = take
        self._headed = False
        self._between = False  # a chunk begins with the next byte
        self._given: bytes | None = b""  # what httpcore got since such a place; None: all is its own

    def headed(self, chunked: bool) -> None:
        """The head came; what follows is chunked or not."""
        given, self._given = self._given or b"", None
        end = _BLANK_LINE.search(given)
        if chunked and end is not None:
            self._given, self._headed = b"", True
            self._keep(given[end.end() :])

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        """What httpcore must see of what comes next; b"" at the end."""
        self._before_read()
        data = self._stream.read(max_bytes, timeout)
        while self._between and data:
            parts, end = whole(data)
            if end < len(data):
                break
            self._take(parts[0] if len(parts) == 1 else b"".join(parts))
            data = self._stream.read(max_bytes, timeout)
        self._keep(data)
        return data

    def _keep(self, data: bytes) -> None:
        if self._given is None:
            return
        given = self._given + data
        if self._headed:
            given = given[whole(given)[1] :]
        self._between = self._headed and not given
        self._given = given if len(given) <= _CUT_BYTES else None

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        self._stream.write(buffer, timeout)

    def close(self) -> None:
        self._stream.close()

    def start_tls(
        self, ssl_context: Any, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore.NetworkStream:
        """Itself: what it stands for speaks TLS already where that is wanted."""
        return self

    def get_extra_info(self, info: str) -> Any:
        return self._stream.get_extra_info(info)
