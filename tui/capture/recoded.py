"""Lets something look into a compressed body on its way: undone read by read, and compressed again."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterable

from tui.engines.coding import CodingError, plain_of

_STORED = 0  # the bytes only have to be what the header says


class Recoded:
    """`change` sees the plain bytes of each read. What can't be undone goes on as it came."""

    def __init__(self, encoding: str, change: Callable[[bytes], bytes], rest: Callable[[], bytes]) -> None:
        self._change, self._rest = change, rest
        gzip = "gzip" in encoding.lower()
        self._again = zlib.compressobj(_STORED, wbits=zlib.MAX_WBITS + 16 * gzip)
        try:
            self._plain = plain_of(encoding)
            self._readable = True
        except CodingError:
            self._readable = False

    def read(self, data: bytes) -> bytes:
        """The bytes that go on in the place of these."""
        if not self._readable:
            return data
        try:
            plain = self._change(self._plain(data))
        except CodingError:
            self._readable = False
            return data
        return self._again.compress(plain) + self._again.flush(zlib.Z_SYNC_FLUSH)

    def end(self) -> bytes:
        """What is still to go on when the body has ended."""
        return self._again.compress(self._rest()) + self._again.flush() if self._readable else b""


def coding_of(headers: Iterable[tuple[str, str]]) -> str:
    """The Content-Encoding, "" where the body is plain."""
    told = [value.strip() for name, value in headers if name.lower() == "content-encoding"]
    return "" if not told or told[-1].lower() == "identity" else told[-1]
