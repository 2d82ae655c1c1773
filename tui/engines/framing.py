"""From the bytes of a reply to its messages, read by read, however the bytes are cut."""

from __future__ import annotations

from dataclasses import dataclass

_BOM = b"\xef\xbb\xbf"


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a stream, with the event-stream's name for it.

    comment: no message but a comment line; some engines tell their progress there.
    """

    data: bytes
    event: str = ""
    comment: bool = False


class _Lines:
    """Cuts bytes into lines; an unfinished line waits as a list of parts, so huge lines cost no copies."""

    __slots__ = ("_first", "_parts")

    def __init__(self) -> None:
        self._parts: list[bytes] = []
        self._first = True

    def cut(self, data: bytes) -> list[bytes]:
        """The lines that `data` (line ends are LF) completes, without their ends."""
        if b"\n" not in data:
            if data:
                self._parts.append(data)
            return []
        lines = data.split(b"\n")
        rest = lines.pop()
        if self._parts:
            self._parts.append(lines[0])
            lines[0] = b"".join(self._parts)
            self._parts.clear()
        if rest:
            self._parts.append(rest)
        if self._first:
            lines[0] = lines[0].removeprefix(_BOM)
            self._first = False
        return lines


class EventStream:
    """`text/event-stream` as WHATWG HTML describes it: LF, CR and CRLF, and nothing else, end a line."""

    __slots__ = ("_data", "_event", "_lines", "_skip_lf")

    def __init__(self) -> None:
        self._lines = _Lines()
        self._data: list[bytes] = []
        self._event = ""
        self._skip_lf = False

    def feed(self, data: bytes) -> list[Message]:
        """The messages that these bytes complete."""
        if self._skip_lf and data:
            data = data.removeprefix(b"\n")
            self._skip_lf = False
        if b"\r" in data:
            self._skip_lf = data.endswith(b"\r")  # an LF at the start of the next read belongs to it
            data = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
        found: list[Message] = []
        for line in self._lines.cut(data):
            self._line(line, found)
        return found

    def close(self) -> list[Message]:
        """The body ended: servers that leave out the last blank line still meant their last event."""
        return self.feed(b"\n\n")

    def _line(self, line: bytes, found: list[Message]) -> None:
        if line.startswith(b"data:"):
            self._data.append(line[6:] if line[5:6] == b" " else line[5:])
        elif not line:
            if self._data:
                found.append(Message(b"\n".join(self._data), self._event))
                self._data.clear()
            self._event = ""
        elif line.startswith(b"event:"):
            self._event = line[6:].strip().decode("utf-8", "replace")
        elif line.startswith(b":") and len(line) > 1:
            found.append(Message(line[1:].strip(), comment=True))
        # `id` and `retry` serve a reconnect, which a measured run never does


class JsonLines:
    """`application/x-ndjson`: one record a line, cut at LF only; blank lines are no records."""

    __slots__ = ("_lines",)

    def __init__(self) -> None:
        self._lines = _Lines()

    def feed(self, data: bytes) -> list[Message]:
        """The records that these bytes complete."""
        return [Message(line) for line in self._lines.cut(data) if line.strip()]

    def close(self) -> list[Message]:
        """The body ended: the last record may lack its LF."""
        return self.feed(b"\n")


Framing = EventStream | JsonLines
