"""One record as one line of a recording, and back."""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from typing import Any

from tui.domain.wire import End, Meta, Note, Poll, Read, Record, Sample

_quoted = json.JSONEncoder().encode
_LONGEST_S = 2e9  # sixty years; differences of such times, too, fit into 63 bits of nanoseconds


def to_line(record: Record) -> bytes:
    """The record's line, ASCII, its line end included. Times become seconds, exact to the nanosecond."""
    if isinstance(record, Read):
        return _read_line(record)
    return json.dumps(_object(record), separators=(",", ":")).encode() + b"\n"


def _read_line(read: Read) -> bytes:
    """Put together by hand: there is one for each token, and the general way takes three times as long."""
    ((name, data),) = _text_or_base64(read.data).items()
    parts = [f'{{"t":{_decimal(read.at_ns)},"{name}":{_quoted(data)}']
    if read.floor_ns is not None:
        parts.append(f',"lo":{_decimal(read.floor_ns)}')
    if read.recv_ns is not None:
        parts.append(f',"rx":{_decimal(read.recv_ns)}')
    parts.append(',"k":1}\n' if read.kernel else "}\n")
    return "".join(parts).encode()


def _decimal(ns: int) -> str:
    """Seconds with nine decimals."""
    whole, rest = divmod(abs(ns), 1_000_000_000)
    return f"{'-' if ns < 0 else ''}{whole}.{rest:09d}"


def from_object(line: Mapping[str, Any]) -> Record | None:
    """The record of one decoded line, None for a line of another kind.

    ValueError, TypeError or KeyError when it is damaged. Captures have no `lo`, `rx` and `k`.
    """
    if "meta" in line:
        return Meta(_fields(line["meta"]))
    at_ns = nanoseconds(line["t"])
    match line:
        case {"b": _} | {"b64": _}:
            floor, returned = line.get("lo"), line.get("rx")
            return Read(
                at_ns,
                _data(line),
                None if floor is None else nanoseconds(floor),
                None if returned is None else nanoseconds(returned),
                bool(line.get("k")),
            )
        case {"poll": told}:
            seen = _fields(told)
            took_ns = nanoseconds(seen.get("took", 0))
            return Poll(at_ns, str(seen["path"]), int(seen.get("status", 200)), _data(seen), took_ns)
        case {"sample": told}:
            return Sample(at_ns, _fields(told))
        case {"event": told}:
            event = _fields(told)
            return Note(at_ns, str(event.pop("name")), event)
        case {"end": str(words)}:
            how, detail = _end(words)
            return End(at_ns, how, str(line.get("detail", detail)))
        case {"took": _} | {"scrape_ms": _}:
            # A digest of polled answers, as some captures hold it: the whole line is what was seen.
            return Poll(at_ns, "", 200, json.dumps(dict(line)).encode())
        case _:
            return None


def _object(record: Meta | Note | Poll | Sample | End) -> dict[str, object]:
    match record:
        case Meta(fields):
            return {"meta": fields}
        case Note(at_ns, name, fields):
            return {"t": _s(at_ns), "event": {**fields, "name": name}}
        case Poll(at_ns, path, status, body, took_ns):
            poll = {"path": path, "status": status, "took": _s(took_ns), **_text_or_base64(body)}
            return {"t": _s(at_ns), "poll": poll}
        case Sample(at_ns, fields):
            return {"t": _s(at_ns), "sample": fields}
        case End(at_ns, "error", detail):
            return {"t": _s(at_ns), "end": f"error: {detail}"}
        case End(at_ns, how, detail):
            end: dict[str, object] = {"t": _s(at_ns), "end": how}
            if detail:
                end["detail"] = detail
            return end


def _end(words: str) -> tuple[str, str]:
    """How a body ended, and more in words. Captures say some ends as errors in their own words."""
    if words in ("eof", "reset", "hang", "cancelled"):
        return words, ""
    detail = words.removeprefix("error: ")
    if "client" in detail and "closed" in detail:
        return "cancelled", detail
    if detail != words and "closed" in detail and "body" in detail:
        return "reset", detail
    return "error", detail


def _fields(told: Any) -> dict[str, Any]:
    if not isinstance(told, dict):
        raise TypeError("an object is needed here")
    return dict(told)


def _data(told: Mapping[str, Any]) -> bytes:
    if "b64" in told:
        return base64.b64decode(told["b64"], validate=True)
    if not isinstance(told["b"], str):
        raise TypeError("text is needed here")
    return told["b"].encode()


def _text_or_base64(data: bytes) -> dict[str, object]:
    try:
        return {"b": data.decode()}
    except UnicodeDecodeError:
        return {"b64": base64.b64encode(data).decode()}


def _s(ns: int) -> float:
    return round(ns / 1e9, 9)


def nanoseconds(seconds: object) -> int:
    """Whole nanoseconds; TypeError or ValueError when `seconds` is no time at all."""
    if isinstance(seconds, bool) or not isinstance(seconds, (int, float)):
        raise TypeError("a time must be a number")
    if not abs(seconds) <= _LONGEST_S:  # NaN is none either
        raise ValueError("a time must be a finite number of seconds")
    return round(seconds * 1e9)
