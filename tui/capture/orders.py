"""What the program asks of the capture child: one frozen order each, one JSON line on its stdin."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from typing import Any

NONCE = "RIVALNONCE"
"""Stands in a rival's body for letters that are new in each of its requests, so that none finds a cache."""


@dataclass(frozen=True, slots=True)
class FetchOrder:
    """One short request beside the streams; answered by one `frames.Reply` with the same id."""

    id: int
    url: str
    method: str = "GET"
    headers: Mapping[str, str] = field(default_factory=dict)
    body: str | None = None
    timeout_s: float = 5.0
    ca_file: str | None = None
    insecure: bool = False


@dataclass(frozen=True, slots=True)
class PollOrder:
    """A side observation, repeated every `period_s` until head, first of the body, or end."""

    path: str
    url: str
    period_s: float
    until: str = "end"
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class LookOrder:
    """A side observation once, `when` = "before" the request is sent or "after" its stream ended by itself.

    tries_s: seconds to wait before each try; the next one is made only while the body equals `empty`.
    keep: the keys of a JSON object, or the beginnings of lines, that are kept; () keeps the whole answer.
    """

    path: str
    url: str
    when: str
    tries_s: tuple[float, ...] = (0.0,)
    empty: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)
    keep: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class StreamOrder:
    """One streaming request.

    record: absolute path of a file that is absent or empty, or None. meta: fields of its first line.
    warm: a connection that a `WarmOrder` opened may be used. timeout_s: for the whole run, None is never.
    rivals: bodies of background requests to the same place, with `NONCE` where each differs.
    """

    id: int
    url: str
    method: str = "POST"
    headers: Mapping[str, str] = field(default_factory=dict)
    body: str | None = None
    record: str | None = None
    meta: Mapping[str, object] = field(default_factory=dict)
    warm: bool = False
    polls: tuple[PollOrder, ...] = ()
    looks: tuple[LookOrder, ...] = ()
    timeout_s: float | None = None
    ca_file: str | None = None
    insecure: bool = False
    rivals: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class CancelOrder:
    """Close a stream at once. `how` becomes `End.how`: "cancelled", or "hang" after a terminal signal."""

    id: int
    how: str = "cancelled"


@dataclass(frozen=True, slots=True)
class HushOrder:
    """Close the rivals of a stream; the stream itself goes on."""

    id: int


@dataclass(frozen=True, slots=True)
class SampleOrder:
    """A machine sample for the run `id` (None: every running one), taken at `mono_ns`."""

    fields: Mapping[str, object]
    mono_ns: int
    id: int | None = None


@dataclass(frozen=True, slots=True)
class NoteOrder:
    """A note for the run `id`, taken at `mono_ns` (None: now)."""

    id: int
    name: str
    fields: Mapping[str, object] = field(default_factory=dict)
    mono_ns: int | None = None


@dataclass(frozen=True, slots=True)
class WarmOrder:
    """Open a connection to the URL's server and keep it for the next stream with `warm`."""

    url: str
    ca_file: str | None = None
    insecure: bool = False


Order = FetchOrder | StreamOrder | CancelOrder | HushOrder | SampleOrder | NoteOrder | WarmOrder

_KINDS: dict[str, type[Order]] = {
    "fetch": FetchOrder,
    "stream": StreamOrder,
    "cancel": CancelOrder,
    "hush": HushOrder,
    "sample": SampleOrder,
    "note": NoteOrder,
    "warm": WarmOrder,
}
_NAMES = {kind: name for name, kind in _KINDS.items()}


def encode(order: Order) -> bytes:
    """One line of ASCII JSON, its line end included."""
    told = {each.name: getattr(order, each.name) for each in fields(order)}
    return json.dumps({"do": _NAMES[type(order)], **told}, default=asdict).encode() + b"\n"


def decode(line: bytes) -> Order:
    """The order of one line; ValueError, KeyError or TypeError when it is none."""
    fields: dict[str, Any] = json.loads(line)
    kind = _KINDS[fields.pop("do")]
    if kind is StreamOrder:
        fields["polls"] = tuple(PollOrder(**poll) for poll in fields.get("polls", ()))
        fields["looks"] = tuple(_look(look) for look in fields.get("looks", ()))
        fields["rivals"] = tuple(fields.get("rivals", ()))
    return kind(**fields)


def _look(fields: dict[str, Any]) -> LookOrder:
    lists: dict[str, Any] = {name: tuple(fields[name]) for name in ("tries_s", "keep") if name in fields}
    return LookOrder(**(fields | lists))
