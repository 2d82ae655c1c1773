"""An engine's adapter: what to send it, what to watch beside the stream, how to read its reply."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from tui.domain.events import Dialect
from tui.engines.asking import Asking
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
    conditions: what is known of the engine and model (keys of the product's JSON).
    """

    model: str
    turns: tuple[Turn, ...]
    max_tokens: int | None = None
    cache: Cache = "cold"
    temperature: float | None = None
    seed: int | None = None
    ignore_eos: bool = False
    conditions: Mapping[str, object] = field(default_factory=dict)


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
    """A GET to repeat beside the stream each `every_s` seconds, `until` head, first byte of the body, or end.

    Comments of an event stream do not count as its first byte. It is dropped for this run when it is
    answered with anything but 200.
    """

    path: str
    every_s: float
    until: Literal["head", "first", "end"] = "head"


@dataclass(frozen=True, slots=True)
class Look:
    """A GET once `before` the request is sent, or `after` its stream ended by itself.

    tries_s: seconds to wait before each try; the next one is made only while the body equals `empty`.
    keep: the keys of a JSON object, or the beginnings of lines, that are kept; () keeps the whole answer.
    """

    path: str
    when: Literal["before", "after"]
    tries_s: tuple[float, ...] = (0.0,)
    empty: str = ""
    keep: tuple[str, ...] = ()


# Tokens of each prompt of a model, told by the engine without running it; None where it does not tell.
Counter = Callable[[str, Sequence[Sequence[Turn]]], Asking[list[int] | None]]
# How long the engine needs to tokenize a body: fields of the note `tokenize_probe`.
Probe = Callable[[Mapping[str, object]], Asking[dict[str, int] | None]]


@dataclass(frozen=True, slots=True)
class Adapter:
    """All that is particular about one engine.

    can_switch_reuse_off: the engine has a field against prefix reuse; for others a cold prompt needs a fresh
    first line. counter, probe: what the engine can say about a prompt without running it.
    """

    name: str
    dialect: Dialect
    request: Callable[[Plan], Request]
    tongue: Callable[[], Tongue]
    watches: tuple[Watch, ...] = ()
    looks: tuple[Look, ...] = ()
    can_switch_reuse_off: bool = False
    counter: Counter | None = None
    probe: Probe | None = None

    def decoder(self) -> Decoder:
        """A decoder for one run."""
        return Decoder(self.tongue())
