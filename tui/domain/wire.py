"""What the capture child hands on and a recording keeps: stamped bytes and notes, before anybody parsed them.

All times are `at_ns`: nanoseconds after the request was sent ("sent" = 0), negative for what came before it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

FORMAT = "toklane/1"
"""What recordings, and objects of JSON, call themselves."""


@dataclass(frozen=True, slots=True)
class Meta:
    """The first line of a recording: engine, request, status, response_headers, conditions and so on."""

    fields: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Note:
    """What the client itself did or learned: a name and its fields, e.g. `connected`, `sent_all`, `head`.

    Names: connecting, connected (warm, address), sent (monotonic_ns: time zero on this machine's monotonic
    clock), sent_all, head (status, headers), cancelled, tokenize_probe (took_ns, base_ns, tokens),
    conditions (any keys), rival (rival: its number, step: sent, first, last (chunks) or ended (how)).
    """

    at_ns: int
    name: str
    fields: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Read:
    """One read of the response body (transfer coding removed, content coding kept).

    `at_ns` is when the kernel received it (or `recv` returned), `floor_ns` when the read before it had
    returned: true arrivals of what it holds lie in (floor_ns, at_ns]. `recv_ns` is when `recv` returned,
    so recv_ns - at_ns is the instrument's own delay. `kernel` tells which clock `at_ns` is.
    """

    at_ns: int
    data: bytes
    floor_ns: int | None = None
    recv_ns: int | None = None
    kernel: bool = False


@dataclass(frozen=True, slots=True)
class Poll:
    """A side observation while the request ran, such as `/slots`: its body and how long the answer took."""

    at_ns: int
    path: str
    status: int
    body: bytes
    took_ns: int = 0


@dataclass(frozen=True, slots=True)
class Sample:
    """One reading of the machine (fields of `machine.Reading`)."""

    at_ns: int
    fields: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class End:
    """The body ended: `how` is eof, reset, hang, cancelled or error; `detail` says more in words."""

    at_ns: int
    how: str
    detail: str = ""


Record = Meta | Note | Read | Poll | Sample | End
