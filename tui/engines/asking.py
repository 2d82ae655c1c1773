"""Questions to an engine without a socket: a generator yields what to ask and is sent the answers."""

from __future__ import annotations

from collections.abc import Generator, Mapping
from dataclasses import dataclass, field
from typing import TypeVar


@dataclass(frozen=True, slots=True)
class Ask:
    """One request; `path` is below the engine's root. `body` is sent as JSON."""

    method: str
    path: str
    timeout_s: float = 2.0
    body: Mapping[str, object] | None = None


@dataclass(frozen=True, slots=True)
class Answer:
    """Its answer; status 0 with `error` in words when none came. `took_ns`: sent until all was read.

    error_kind: one of the capture's kinds, such as refused or tls.
    """

    status: int
    headers: Mapping[str, str] = field(default_factory=dict)  # lower-case names
    body: bytes = b""
    took_ns: int = 0
    error: str = ""
    error_kind: str = ""


T = TypeVar("T")

# Yields asks that may be done at once, is sent their answers in the same order, returns the result.
Asking = Generator[list[Ask], list[Answer], T]
