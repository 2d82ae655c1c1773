"""Content coding of a reply taken off read by read, so that a compressed stream is not held back."""

from __future__ import annotations

import zlib
from typing import Protocol

GZIP_BEGINS = 0x1F  # no text does
_PLAIN_BEGINS = b"dier:{<\n\r \xef"  # how an event stream, JSON or a page may begin


class CodingError(ValueError):
    """The body is not what its Content-Encoding says, or uses a coding we cannot read."""


class Plain(Protocol):
    """Gives the plain bytes that a read holds; raises CodingError."""

    def __call__(self, data: bytes) -> bytes: ...


class _Inflate:
    """gzip, also of several members, or deflate with or without its zlib header.

    A body that is plain although it is called gzip is handed on: some proxies unpack it and keep the header.
    """

    __slots__ = ("_gzip", "_stream", "_unpacked")

    def __init__(self, *, gzip: bool) -> None:
        self._gzip = gzip
        self._stream: zlib._Decompress | None = None
        self._unpacked = False

    def __call__(self, data: bytes) -> bytes:
        if self._gzip and self._stream is None and not self._unpacked:
            self._unpacked = bool(data) and data[0] in _PLAIN_BEGINS
        if self._unpacked:
            return data
        plain: list[bytes] = []
        while data:
            if self._stream is None:
                self._stream = zlib.decompressobj(self._wbits(data[0]))
            elif self._stream.eof:
                if data[0] != GZIP_BEGINS:  # padding behind the last member
                    break
                self._stream = zlib.decompressobj(self._wbits(data[0]))
            try:
                plain.append(self._stream.decompress(data))
            except zlib.error as error:
                raise CodingError("the compressed reply is damaged") from error
            data = self._stream.unused_data
        return b"".join(plain)

    def _wbits(self, first: int) -> int:
        if self._gzip:
            return 16 + zlib.MAX_WBITS
        return zlib.MAX_WBITS if first & 0x8F == 0x08 else -zlib.MAX_WBITS  # RFC 1950: method 8, window ≤ 32k


def plain_of(encoding: str) -> Plain:
    """The reader for a Content-Encoding header value; raises CodingError for one that we cannot read."""
    names = [name for part in encoding.split(",") if (name := part.strip().lower()) not in ("", "identity")]
    name = names[0] if len(names) == 1 else ", ".join(names)
    if not name:
        return lambda data: data
    if name in ("gzip", "x-gzip"):
        return _Inflate(gzip=True)
    if name == "deflate":
        return _Inflate(gzip=False)
    raise CodingError(f"the reply is compressed with {name[:20]!r}, which was not asked for")
