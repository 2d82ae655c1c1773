"""The body of one reply: its coding taken off, cut into messages when it is a stream, else kept whole."""

from __future__ import annotations

import re

from tui.engines.coding import GZIP_BEGINS, plain_of
from tui.engines.framing import EventStream, Framing, JsonLines, Message

_BLANK = b"\xef\xbb\xbf \t\r\n"
_FIELDS = (b"data:", b"event:", b"id:", b"retry:", b":")
_LINE_ENDS = (b"\n", b"\r")  # behind a brace: an object written for people, over several lines
_FIELD = re.compile(rb"(?:data|event|id|retry)[\r\n]|[\w-]+(?::|\Z)")  # of any name, or without a value
_KEPT_LIMIT = 64_000_000  # bytes; nobody needs more of a page or an error


class Body:
    """Fed read by read; raises CodingError for a body that its Content-Encoding does not describe.

    The framing is chosen by the beginning, since the Content-Type is often wrong: `{` begins a whole JSON
    reply (or, with `json_lines`, a stream of records), a field of an event stream one of those (any word
    where it is `called_events`), anything else a page or plain words; what is packed by gzip is unpacked.
    With `keep` (an error reply) all of it is kept whole.
    """

    __slots__ = (
        "_begun",
        "_brace",
        "_called_events",
        "_framing",
        "_json_lines",
        "_kept",
        "_kept_size",
        "_plain",
    )

    def __init__(self, encoding: str, *, json_lines: bool, keep: bool, called_events: bool = False) -> None:
        self._plain = plain_of(encoding)
        self._called_events = called_events
        self._framing: Framing | None = None
        self._json_lines = json_lines
        self._begun = keep
        self._brace = b""  # one that came alone: what follows it tells which body it is
        self._kept: list[bytes] = []
        self._kept_size = 0

    @property
    def begun(self) -> bool:
        """Whether a byte came that is not blank."""
        return self._begun or bool(self._brace)

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
        data = self._brace + data if self._brace else data.lstrip(_BLANK)
        if data and data[0] == GZIP_BEGINS:  # a proxy packed it and did not say so
            self._plain = plain_of("gzip")
            data = self._plain(data).lstrip(_BLANK)
        if data == b"{" and self._json_lines:
            self._brace = data
            return b""
        self._begun = bool(data)
        if data[:1] == b"{" and data[1:2] not in _LINE_ENDS and self._json_lines:
            self._framing = JsonLines()
        elif data and self._may_be_events(data):
            self._framing = EventStream()
        return data

    def _may_be_events(self, data: bytes) -> bool:
        if self._called_events and _FIELD.match(data):
            return True
        return any(data.startswith(field) or field.startswith(data) for field in _FIELDS)

    def as_records(self) -> list[Message]:
        """What was kept is no whole reply but a stream of records: their messages."""
        self._framing = JsonLines()
        kept, self._kept = self.whole(), []
        return self._framing.feed(kept)

    def close(self) -> list[Message]:
        """The body ended properly: the messages that lacked only their end."""
        return self._framing.close() if self._framing is not None else []

    def whole(self) -> bytes:
        """All that was kept."""
        if len(self._kept) > 1:
            self._kept = [b"".join(self._kept)]
        return self._kept[0] if self._kept else b""

    def may_be_whole(self) -> bool:
        """Whether what was kept so far can be a whole JSON object or page."""
        if not self._kept:
            return False
        end = self._kept[-1].rstrip()
        return end.endswith(b"}") or end[-7:].lower() == b"</html>"
