"""The events of one request: everything the reducer, and so the screen, can know.

`at_ns` is nanoseconds since the request was sent (time zero); what came before is negative.
None means "not told"; it is never replaced by 0.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Literal

from tui.domain.machine import Reading
from tui.domain.rivals import Step
from tui.domain.values import Provenance


class ErrorKind(Enum):
    """Why a request failed, in the words of the JSON output."""

    ENGINE_ERROR = "engine_error"  # told inside a 200 reply
    AUTH = "auth"  # 401, 403
    NOT_FOUND = "not_found"  # 404
    RATE_LIMITED = "rate_limited"  # 429
    SERVER_BUSY = "server_busy"  # 503
    REDIRECT = "redirect"  # 3xx
    HTTP_ERROR = "http_error"  # another status
    NOT_CHAT_REPLY = "not_chat_reply"  # 200, but no chat answer
    CONNECTION_LOST = "connection_lost"  # broken before a terminal signal
    CONNECTION_FAILED = "connection_failed"  # nothing answers there
    TIMED_OUT = "timed_out"  # a limit of our own, which the user set


@dataclass(frozen=True, slots=True)
class Dialect:
    """How an engine orders its work and which signs it gives; decides how the wait may be split.

    tokenizes_first: tokenization comes before the queue (llama.cpp, vLLM), else after it.
    names_wait: with the engine's prompt duration known, what is left before it is queue and tokenization.
    head: what the engine has done when its response head arrives: "" says nothing, "tokenized" that the
    prompt is templated and tokenized and enters the queue, "working" that the queue is over too.
    """

    name: str
    tokenizes_first: bool = True
    names_wait: bool = False
    head: Literal["", "tokenized", "working"] = ""


@dataclass(frozen=True, slots=True)
class Began:
    """A request begins; the dialect of the engine that will answer it."""

    at_ns: int
    dialect: Dialect


@dataclass(frozen=True, slots=True)
class Learned:
    """Conditions of the run: engine, model, context, knobs asked (keys of product JSON `conditions`)."""

    at_ns: int
    conditions: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Connecting:
    at_ns: int


@dataclass(frozen=True, slots=True)
class Connected:
    """The connection stands; `warm` when it stood already before this request."""

    at_ns: int
    warm: bool


@dataclass(frozen=True, slots=True)
class Sent:
    """The first byte of the request was given to the kernel: time zero."""

    at_ns: int


@dataclass(frozen=True, slots=True)
class SentAll:
    """The last byte of the request was given to the kernel (the first one was at 0)."""

    at_ns: int


@dataclass(frozen=True, slots=True)
class Head:
    """Status line and headers arrived."""

    at_ns: int
    status: int


@dataclass(frozen=True, slots=True)
class Arrived:
    """One read of the body arrived; stamps as in `wire.Read`. Comes before the events it completes.

    `messages` = how many messages of the stream this read completed, `texts` = how many of them carried
    generated output.
    """

    at_ns: int
    floor_ns: int | None
    recv_ns: int | None
    kernel: bool
    messages: int = 0
    texts: int = 0


@dataclass(frozen=True, slots=True)
class Progress:
    """Prefill report: `processed` of `total` prompt tokens, `cached` of them reused (inside processed).

    `engine_ns`: the engine's time since it began this prompt. unit: what is counted; "share" counts
    thousandths of a prompt whose tokens are not told. whole: `total` is the whole prompt, reused tokens
    included (else only what must be computed). estimated: derived from a side observation, not reported.
    """

    at_ns: int
    total: int
    cached: int
    processed: int
    engine_ns: int | None
    unit: Literal["tokens", "share"] = "tokens"
    whole: bool = True
    estimated: bool = False


@dataclass(frozen=True, slots=True)
class Edge:
    """A phase begins or ends now, by an event or a side observation of the engine.

    phase: load or prefill. The first edge of each kind counts. `source` says in words who told it.
    estimated: the moment is known, but that this phase fills it is a conclusion.
    """

    at_ns: int
    phase: str
    begins: bool
    source: str = ""
    estimated: bool = False


@dataclass(frozen=True, slots=True)
class ToolDelta:
    """A piece of tool call number `index`."""

    index: int
    name: str = ""
    arguments: str = ""


@dataclass(frozen=True, slots=True)
class Generated:
    """One message with generated output. `count` is the engine's running count of tokens so far."""

    at_ns: int
    answer: str = ""
    reasoning: str = ""
    tools: tuple[ToolDelta, ...] = ()
    count: int | None = None


@dataclass(frozen=True, slots=True)
class FirstSign:
    """The engine shows that the first token was sampled although no text came with it (a role-only event)."""

    at_ns: int


@dataclass(frozen=True, slots=True)
class Usage:
    """The engine's token counts so far; the latest told value of each replaces the earlier ones."""

    at_ns: int
    prompt: int | None = None
    completion: int | None = None
    cached: int | None = None
    reasoning: int | None = None


@dataclass(frozen=True, slots=True)
class Wait:
    """One stretch of the time before the prompt was read, by the facts of the engine; ns None = the rest."""

    name: str
    ns: int | None
    provenance: Provenance
    source: str


@dataclass(frozen=True, slots=True)
class Timings:
    """The engine's own clock for this request. Durations in ns; counts in tokens.

    prompt_n: prompt tokens really processed (not reused). predicted_ns runs from the first token to the
    latest one. accepted_n: of predicted_n, guessed ahead and taken without a pass of their own.
    cached_unknown: prompt_n may hold reused tokens (an Ollama without a cached count).
    source: where the durations were read, in words, when it is not the stream itself. They may be told
    after the end mark too. derived: phases whose length is computed from what the engine told, and how.
    waits: how the time before prefill is split, where lengths alone do not say it.
    """

    at_ns: int
    prompt_n: int | None = None
    cached_n: int | None = None
    prompt_ns: int | None = None
    predicted_n: int | None = None
    predicted_ns: int | None = None
    accepted_n: int | None = None
    load_ns: int | None = None
    queue_ns: int | None = None
    tokenize_ns: int | None = None
    total_ns: int | None = None
    cached_unknown: bool = False
    final: bool = False
    source: str = ""
    derived: Mapping[str, str] = field(default_factory=dict)
    waits: tuple[Wait, ...] = ()


@dataclass(frozen=True, slots=True)
class TokenizeProbed:
    """The same body was tokenized alone just before: its time without the round trip."""

    at_ns: int
    tokenize_ns: int


@dataclass(frozen=True, slots=True)
class SlotsSeen:
    """The engine's slots while we wait: how many work for others, how many there are."""

    at_ns: int
    busy: int
    total: int


@dataclass(frozen=True, slots=True)
class RivalSeen:
    """A step of background request `rival` (from 1). chunks: text messages so far; how: why it ended."""

    at_ns: int
    rival: int
    step: Step
    chunks: int = 0
    how: str = ""


@dataclass(frozen=True, slots=True)
class Finish:
    """The engine gave a finish reason (non-empty, as sent)."""

    at_ns: int
    reason: str


@dataclass(frozen=True, slots=True)
class Done:
    """The stream's terminal signal: `[DONE]` or `done: true`. Nothing after it counts."""

    at_ns: int


@dataclass(frozen=True, slots=True)
class Failed:
    """The request failed. `message` is the engine's or ours, in words; `remedy` what to do.

    cause: what else is known of it, where `message` says only what became of the request.
    """

    at_ns: int
    kind: ErrorKind
    message: str
    status: int | None = None
    retry_after_s: float | None = None
    remedy: str = ""
    raw: str = ""
    cause: str = ""

    @property
    def whole(self) -> str:
        """Message and cause in one line."""
        return f"{self.message}: {self.cause}" if self.cause else self.message


@dataclass(frozen=True, slots=True)
class Oddity:
    """Something was not as it should be; `code` is a warning code of the JSON output."""

    at_ns: int
    code: str
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Ended:
    """Nothing more will come: eof, reset, hang, cancelled, error."""

    at_ns: int
    how: str
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Sampled:
    """A reading of the machine."""

    at_ns: int
    reading: Reading


@dataclass(frozen=True, slots=True)
class Tick:
    """Time passed: now."""

    at_ns: int


Event = (
    Began | Learned | Connecting | Connected | Sent | SentAll | Head | Arrived | Progress | Edge | Generated
    | FirstSign | Usage | Timings | TokenizeProbed | SlotsSeen | Finish | Done | Failed | Oddity | Ended
    | Sampled | RivalSeen | Tick
)  # fmt: skip
