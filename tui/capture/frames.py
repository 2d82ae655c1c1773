"""What the capture child answers: typed frames and their bytes on the pipe (a struct header, then raw bytes).

On the wire: payload length (u32), kind (u8), id (i64), payload. A Read's payload is a second struct and its
data; every other payload is the length of a JSON object (u32), the object, and raw bytes.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from struct import Struct, error
from typing import Any

from tui.domain.wire import End, Meta, Note, Poll, Read, Record, Sample


@dataclass(frozen=True, slots=True)
class Reply:
    """The answer to a fetch. On failure status is 0 and `error_kind` one of `failure.Kind`'s words."""

    id: int
    status: int
    headers: tuple[tuple[str, str], ...]
    body: bytes
    took_ns: int
    error_kind: str = ""
    error: str = ""


@dataclass(frozen=True, slots=True)
class Item:
    """One record of a run."""

    run_id: int
    record: Record


@dataclass(frozen=True, slots=True)
class Mark:
    """A moment of a run on the monotonic clock: "connecting", or "sent" (the run's time zero)."""

    run_id: int
    name: str
    mono_ns: int


@dataclass(frozen=True, slots=True)
class Gone:
    """The child is dead; nothing comes after this."""

    detail: str


Frame = Reply | Item | Mark | Gone

_HEAD = Struct("<IBq")
_READ = Struct("<qqqB")
_SIZE = Struct("<I")
_REPLY, _MARK, _GONE, _META, _NOTE, _READ_KIND, _POLL, _SAMPLE, _END = range(9)
_KERNEL, _HAS_FLOOR, _HAS_RECV = 1, 2, 4
_MOST_BYTES = 1 << 28  # of a payload; a length beyond is no length
_NO_FRAME = (error, ValueError, TypeError, KeyError, AttributeError, RecursionError)
BROKEN = "the capture process wrote what is none of its frames"


def pack(frame: Frame) -> bytes:
    """The frame's bytes."""
    match frame:
        case Item(run_id, Read(at_ns, data, floor_ns, recv_ns, kernel)):
            flags = kernel * _KERNEL | (floor_ns is not None) * _HAS_FLOOR | (recv_ns is not None) * _HAS_RECV
            head = _HEAD.pack(_READ.size + len(data), _READ_KIND, run_id)
            return head + _READ.pack(at_ns, floor_ns or 0, recv_ns or 0, flags) + data
        case Item(run_id, record):
            return _packed(*_record_parts(record), run_id)
        case Reply():
            told = {
                "status": frame.status,
                "headers": frame.headers,
                "took_ns": frame.took_ns,
                "error_kind": frame.error_kind,
                "error": frame.error,
            }
            return _packed(_REPLY, told, frame.body, frame.id)
        case Mark(run_id, name, mono_ns):
            return _packed(_MARK, {"name": name, "mono_ns": mono_ns}, b"", run_id)
        case Gone(detail):
            return _packed(_GONE, {"detail": detail}, b"", 0)


class Unpacker:
    """Cuts a growing byte stream into frames. Where it is none any more, `Gone` is the last one."""

    def __init__(self) -> None:
        self._rest = bytearray()
        self._broken = False

    def feed(self, data: bytes) -> list[Frame]:
        """The frames that `data` completes, in order."""
        rest = self._rest
        rest += data
        frames: list[Frame] = []
        position = 0
        while len(rest) - position >= _HEAD.size and not self._broken:
            length, kind, frame_id = _HEAD.unpack_from(rest, position)
            start = position + _HEAD.size
            if length <= _MOST_BYTES and len(rest) - start < length:
                break
            try:
                if length > _MOST_BYTES:
                    raise ValueError("no length")
                frames.append(_unpacked(kind, frame_id, bytes(memoryview(rest)[start : start + length])))
            except _NO_FRAME:  # a library wrote into the pipe
                self._broken = True
                frames.append(Gone(BROKEN))
            position = start + length
        del rest[: len(rest) if self._broken else position]
        return frames


def _packed(kind: int, told: Mapping[str, object], raw: bytes, frame_id: int) -> bytes:
    text = json.dumps(told).encode()
    return _HEAD.pack(_SIZE.size + len(text) + len(raw), kind, frame_id) + _SIZE.pack(len(text)) + text + raw


def _record_parts(record: Record) -> tuple[int, Mapping[str, object], bytes]:
    match record:
        case Meta(fields):
            return _META, {"fields": fields}, b""
        case Note(at_ns, name, fields):
            return _NOTE, {"at_ns": at_ns, "name": name, "fields": fields}, b""
        case Poll(at_ns, path, status, body, took_ns):
            return _POLL, {"at_ns": at_ns, "path": path, "status": status, "took_ns": took_ns}, body
        case Sample(at_ns, fields):
            return _SAMPLE, {"at_ns": at_ns, "fields": fields}, b""
        case End(at_ns, how, detail):
            return _END, {"at_ns": at_ns, "how": how, "detail": detail}, b""
        case Read():
            raise AssertionError("a Read has its own layout")


def _unpacked(kind: int, frame_id: int, payload: bytes) -> Frame:
    if kind == _READ_KIND:
        at_ns, floor_ns, recv_ns, flags = _READ.unpack_from(payload)
        return Item(
            frame_id,
            Read(
                at_ns,
                payload[_READ.size :],
                floor_ns if flags & _HAS_FLOOR else None,
                recv_ns if flags & _HAS_RECV else None,
                bool(flags & _KERNEL),
            ),
        )
    end = _SIZE.size + _SIZE.unpack_from(payload)[0]
    told: dict[str, Any] = json.loads(payload[_SIZE.size : end])
    raw = payload[end:]
    match kind:
        case 0:  # _REPLY
            headers = tuple((name, value) for name, value in told.pop("headers"))
            return Reply(frame_id, headers=headers, body=raw, **told)
        case 1:  # _MARK
            return Mark(frame_id, **told)
        case 2:  # _GONE
            return Gone(**told)
        case 3:  # _META
            return Item(frame_id, Meta(**told))
        case 4:  # _NOTE
            return Item(frame_id, Note(**told))
        case 6:  # _POLL
            return Item(frame_id, Poll(body=raw, **told))
        case 7:  # _SAMPLE
            return Item(frame_id, Sample(**told))
        case 8:  # _END
            return Item(frame_id, End(**told))
        case _:
            raise ValueError(f"unknown frame kind {kind}")
