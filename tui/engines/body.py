"""The body of one reply: its coding taken off, cut into messages when it is a stream, else kept whole."""

from __future__ import annotations

from tui.engines.coding import plain_of
from tui.engines.framing import EventStream, Framing, JsonLines, Message

_BLANK = b"\xef\xbb\xbf \t\r\n"
_FIELDS = b"dier:"  # data, event, id, retry, comment
_KEPT_LIMIT = 64_000_000  # bytes; nobody needs more of a page or an error


class Body:
    """Fed read by read; raises CodingError for a body that its Content-Encoding does not describe.

    The framing is chosen by the first byte, since the Content-Type is often wrong: `{` begins a whole JSON
    reply (or, with `json_lines`, a stream of records), the first letter of a field an event stream, anything
    else a page or plain words. With `keep` (an error reply) all of it is kept whole.
    """

    __slots__ = ("_begun", "_framing", "_json_lines", "_kept", "_kept_size", "_plain")

    def __init__(self, encoding: str, *, json_lines: bool, keep: bool) -> None:
        self._plain = plain_of(encoding)
        self._framing: Framing | None = None
        self._json_lines = json_lines
        self._begun = keep
        self._kept: list[bytes] = []
        self._kept_size = 0

    @property
    def begun(self) -> bool:
        """Whether a byte came that is not blank."""
        return self._begun

    @property
    def streams(self) -> bool:
        """Whether the body is a stream."""
        return self._framing is not None

    def feed(self, data: bytes) -> list[Message]:
        """The messages that one read completes; none while the body is kept whole."""
        data = self._plain(data)
        if not self._begun:
            data = self._begin(data)
        if self._framing is not None:
            return self._framing.feed(data)
        if data and self._kept_size < _KEPT_LIMIT:
            self._kept.append(data)
            self._kept_size += len(data)
        return []

    def _begin(self, data: bytes) -> bytes:
        data = data.lstrip(_BLANK)
        self._begun = bool(data)
        if data[:1] == b"{" and self._json_lines:
            self._framing = JsonLines()
        elif data and data[0] in _FIELDS:
            self._framing = EventStream()
        return data

    def close(self) -> list[Message]:
        """The body ended properly: the messages that lacked only their end."""
        return self._framing.close() if self._framing is not None else []

    def whole(self) -> bytes:
        """All that was kept."""
        if len(self._kept) > 1:
            self._kept = [b"".join(self._kept)]
        return self._kept[0] if self._kept else b""

    def may_be_whole(self) -> bool:
        """Whether what was kept so far can be a whole JSON object."""
        return bool(self._kept) and self._kept[-1].rstrip().endswith(b"}")
