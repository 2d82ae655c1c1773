"""An engine's adapter: what to send it, what to watch beside the stream, how to read its reply."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal

from tui.domain.events import Dialect
from tui.engines.decoder import Decoder
from tui.engines.tongue import Tongue

Cache = Literal["cold", "same", "tail"]


@dataclass(frozen=True, slots=True)
class Turn:
    """One message of a chat."""

    role: str
    content: str


@dataclass(frozen=True, slots=True)
class Plan:
    """One request as the person wants it, before an engine's words are found for it.

    `cache`: cold = nothing may be reused, same = an identical prompt, tail = only its end is new.
    """

    model: str
    turns: tuple[Turn, ...]
    max_tokens: int | None = None
    cache: Cache = "cold"
    temperature: float | None = None
    seed: int | None = None
    ignore_eos: bool = False


@dataclass(frozen=True, slots=True)
class Request:
    """What goes on the wire, without any key: the sender adds that one header itself."""

    path: str
    body: Mapping[str, object]
    method: str = "POST"
    headers: tuple[tuple[str, str], ...] = (
        ("Content-Type", "application/json"),
        ("Accept", "text/event-stream, application/x-ndjson, application/json"),
        ("Accept-Encoding", "identity"),
    )

    @property
    def data(self) -> bytes:
        """The body's bytes."""
        return json.dumps(self.body, ensure_ascii=False).encode("utf-8", "replace")


@dataclass(frozen=True, slots=True)
class Watch:
    """A GET to repeat beside the stream each `every_s` seconds, until the response head came."""

    path: str
    every_s: float


@dataclass(frozen=True, slots=True)
class Adapter:
    """All that is particular about one engine.

    can_switch_reuse_off: the engine has a field against prefix reuse; for others a cold prompt needs a fresh
    first line.
    """

    name: str
    dialect: Dialect
    request: Callable[[Plan], Request]
    tongue: Callable[[], Tongue]
    watches: tuple[Watch, ...] = ()
    can_switch_reuse_off: bool = False

    def decoder(self) -> Decoder:
        """A decoder for one run."""
        return Decoder(self.tongue())
