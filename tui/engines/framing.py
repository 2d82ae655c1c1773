"""From the bytes of a reply to its messages, read by read, however the bytes are cut."""

from __future__ import annotations

from typing import NamedTuple

_BOM = b"\xef\xbb\xbf"


class Message(NamedTuple):
    """One message of a stream, with the event-stream's name for it.

    comment: no message but a comment line; some engines tell their progress there.
    """

    data: bytes
    event: str = ""
    comment: bool = False


def is_done(data: bytes) -> bool:
    """Whether these bytes are the end mark of a stream."""
    return len(data) < 64 and data.strip() == b"[DONE]"


class _Lines:
    """Cuts bytes into lines; an unfinished line waits as a list of parts, so huge lines cost no copies.

    fresh: the next byte begins a line, and not the first one.
    """

    __slots__ = ("_first", "_parts", "fresh")

    def __init__(self) -> None:
        self._parts: list[bytes] = []
        self._first = True
        self.fresh = False

    def cut(self, data: bytes) -> list[bytes]:
        """The lines that `data` (line ends are LF) completes, without their ends."""
        if b"\n" not in data:
            if data:
                self._parts.append(data)
                self.fresh = False
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
        self.fresh = not rest
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
        if data.find(b"\n") == len(data) - 2 and b"\r" not in data and self._alone(data):
            return [Message(data[6:-2])]
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

    def _alone(self, data: bytes) -> bool:
        """Whether these two lines are one event and all there is, as in nearly every read of an answer."""
        between = self._lines.fresh and not (self._data or self._event or self._skip_lf)
        return between and data.startswith(b"data: ") and data.endswith(b"\n\n")

    def close(self) -> list[Message]:
        """The body ended: servers that leave out the last blank line still meant their last event."""
        return self.feed(b"\n\n")

    def _line(self, line: bytes, found: list[Message]) -> None:
        if line.startswith(b"data:"):
            data = line[6:] if line[5:6] == b" " else line[5:]
            if is_done(data):  # it ends the run at once, also where its blank line never comes
                self._line(b"", found)
                found.append(Message(data))
            else:
                self._data.append(data)
        elif not line:
            if self._data:
                found.append(Message(b"\n".join(self._data), self._event))
                self._data.clear()
            self._event = ""
        elif line.startswith(b"event:"):
            self._event = line[6:].strip().decode("utf-8", "replace")
        elif line.startswith(b"error:"):  # no field of the format: old llama.cpp told its errors so
            found.append(Message(line[6:].strip(), "error"))
        elif line.startswith(b"{"):  # an error that was written into the stream as it was
            self._line(b"", found)
            found.append(Message(line))
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
