"""Content coding of a reply taken off read by read, so that a compressed stream is not held back."""

from __future__ import annotations

import zlib
from typing import Protocol

_GZIP = 16 + zlib.MAX_WBITS
_RAW = -zlib.MAX_WBITS


class CodingError(ValueError):
    """The body is not what its Content-Encoding says, or uses a coding we cannot read."""


class Plain(Protocol):
    """Gives the plain bytes that a read holds; raises CodingError."""

    def __call__(self, data: bytes) -> bytes: ...


class _Inflate:
    """gzip (also of several members) and deflate (with or without a zlib header)."""

    __slots__ = ("_fresh", "_stream", "_wbits")

    def __init__(self, wbits: int) -> None:
        self._wbits = wbits
        self._stream = zlib.decompressobj(wbits)
        self._fresh = True

    def __call__(self, data: bytes) -> bytes:
        plain: list[bytes] = []
        while data:
            if self._stream.eof:
                self._stream = zlib.decompressobj(self._wbits)
            plain.append(self._decompress(data))
            data = self._stream.unused_data
        return b"".join(plain)

    def _decompress(self, data: bytes) -> bytes:
        try:
            plain = self._stream.decompress(data)
        except zlib.error as error:
            if not (self._fresh and self._wbits == zlib.MAX_WBITS):
                raise CodingError("the compressed reply is damaged") from error
            self._wbits = _RAW  # "deflate" without the zlib header that the standard asks for
            self._stream = zlib.decompressobj(_RAW)
            self._fresh = False
            return self._decompress(data)
        self._fresh = False
        return plain


def plain_of(encoding: str) -> Plain:
    """The reader for a Content-Encoding header value; raises CodingError for one that we cannot read."""
    name = encoding.strip().lower()
    if name in ("", "identity"):
        return lambda data: data
    if name in ("gzip", "x-gzip"):
        return _Inflate(_GZIP)
    if name == "deflate":
        return _Inflate(zlib.MAX_WBITS)
    raise CodingError(f"the reply is compressed with {name[:20]!r}, which was not asked for")
