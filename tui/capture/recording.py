"""Reads a recording, a capture or a case: one file of JSON Lines, packed by gzip or not, becomes one run."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from tui.capture.lines import from_object, nanoseconds
from tui.capture.packed import NoLines, lines
from tui.domain.wire import FORMAT, End, Meta, Note, Poll, Read, Record
from tui.engines.shapes import mapping, parsed, plain

_BYTES = ("b", "poll")  # bytes that are no text are damaged, not repaired
_HALVES = (b"\\ud", b"\\uD", b"\xed")  # how surrogates may come in, in pairs or not


class NotARecording(ValueError):
    """The file holds no line of a recording; `str()` is one line for people."""


@dataclass(frozen=True, slots=True)
class Recording:
    """One run. records[0] is the Meta, the last one the End; `ended` is False when the file lacks its end."""

    meta: Meta
    records: tuple[Record, ...]
    damaged_lines: int
    ended: bool

    @property
    def damage(self) -> str:
        """How many damaged lines were skipped, in words; "" for none."""
        number = self.damaged_lines
        return f"{number} damaged line{'s' if number > 1 else ''} skipped" if number else ""

    @property
    def remark(self) -> str:
        """What to know before its numbers are believed: the damage, or that it is of another kind; or ""."""
        told = self.meta.fields.get("format", FORMAT)
        other = f"its format is {str(told)[:40]!r}, not {FORMAT!r}: what is new in it is left out"
        return "; ".join(filter(None, (self.damage, other if told != FORMAT else "")))


def read(path: Path) -> Recording:
    """Read a file; damaged lines are skipped and counted. Raises OSError, NotARecording."""
    try:
        return parse(lines(path), str(path))
    except NoLines as error:
        raise NotARecording(f"{path} is not a recording: it is {error}") from None


def parse(told: Iterable[bytes], name: str = "the recording") -> Recording:
    """Read lines; notes that captures and cases tell only in their first line are put where they belong."""
    meta: Meta | None = None
    end: End | None = None
    records: list[Record] = []
    damaged = 0
    read_ns = -(1 << 62)
    empty = True
    for line in told:
        empty = False
        record = _record(line)
        match record:
            case None:
                damaged += bool(line.strip())
            case Meta() if meta is None:
                meta = record
            case Meta():
                damaged += 1
            case End():
                end = record
            case Read():  # the bytes stand in their order; a stamp that goes back is wrong
                read_ns = max(read_ns, record.at_ns)
                records.append(record if record.at_ns == read_ns else replace(record, at_ns=read_ns))
            case _:
                records.append(record)
    if meta is None and not records:
        why = "it is empty" if empty else "no line of it can be read"
        raise NotARecording(f"{name} is not a recording: {why}")
    meta = meta or Meta({})
    ended = end is not None
    if end is None:
        last_ns = max((record.at_ns for record in records if not isinstance(record, Meta)), default=0)
        end = End(last_ns, "error", "recording ends without an end")
    whole = [*records, end]
    ours = "format" in meta.fields  # it tells its notes, also where it broke off before the first one
    if not ours and not any(isinstance(record, Note) for record in records):
        whole = _as_recorded(meta.fields, whole)
    return Recording(meta, (meta, *whole), damaged, ended)


def _record(line: bytes) -> Record | None:
    try:
        decoded = parsed(line)
        if not isinstance(decoded, dict):
            return None
        if decoded.keys().isdisjoint(_BYTES) and any(half in line for half in _HALVES):
            decoded = dict(mapping(plain(decoded)))
        return from_object(decoded)
    except (ValueError, TypeError, KeyError, OverflowError):
        return None


def _as_recorded(fields: Mapping[str, object], records: list[Record]) -> list[Record]:
    """What a recording of ours would hold: time zero at "sent", one Read per read, notes of the client."""
    timing = fields.get("timing")
    timing = timing if isinstance(timing, dict) else {}
    connect_ns = _ns(timing.get("connect"))
    sent_all_ns = _ns(timing.get("request_sent"))
    head_ns = _ns(timing.get("response_head"))
    if head_ns is None:
        head_ns = _ns(fields.get("headers_t"))
    if "case" not in fields:
        records = _joined(records)
    if connect_ns is not None and "before the TCP connect" in str(fields.get("clock")):
        records = [_shifted(record, connect_ns) for record in records]
        sent_all_ns = None if sent_all_ns is None else sent_all_ns - connect_ns
        head_ns = None if head_ns is None else head_ns - connect_ns
    notes: list[Note] = []
    if connect_ns is not None:
        notes += [Note(-connect_ns, "connecting"), Note(0, "connected", {"warm": False})]
    notes.append(Note(0, "sent"))
    if sent_all_ns is not None:
        notes.append(Note(sent_all_ns, "sent_all"))
    if (status := fields.get("status")) is not None:
        first_ns = next((record.at_ns for record in records if isinstance(record, Read | End)), 0)
        at_ns = first_ns if head_ns is None else min(head_ns, first_ns)
        notes.append(Note(at_ns, "head", {"status": status, "headers": fields.get("response_headers", [])}))
    *before, end = (_named(record, fields) for record in records)
    return [*sorted([*notes, *before], key=lambda record: getattr(record, "at_ns", 0)), end]


def _joined(records: list[Record]) -> list[Record]:
    """Captures have a line for each chunk of the transfer; those with one time came in one read."""
    joined: list[Record] = []
    for record in records:
        last = joined[-1] if joined else None
        if isinstance(record, Read) and isinstance(last, Read) and last.at_ns == record.at_ns:
            joined[-1] = replace(last, data=last.data + record.data)
        else:
            joined.append(record)
    return joined


def _named(record: Record, fields: Mapping[str, object]) -> Record:
    """A file of polled answers says only in its first line what was polled."""
    request = fields.get("request")
    if isinstance(record, Poll) and not record.path and isinstance(request, dict):
        return replace(record, path=str(request.get("path", "")))
    return record


def _shifted(record: Record, by_ns: int) -> Record:
    return record if isinstance(record, Meta) else replace(record, at_ns=record.at_ns - by_ns)


def _ns(seconds: object) -> int | None:
    try:
        return nanoseconds(seconds)
    except (TypeError, ValueError):
        return None
