"""What the scripted server says: the model's name decides a reply, a list of timed messages."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass

SHAPES = {
    "one": "one token per message",
    "two": "two tokens per message",
    "role": "an empty role message first",
    "reasoning": "reasoning first",
    "counted": "usage with every message",
}
DIALECTS = ("openai", "llama.cpp")
PREFILL_NS = 300_000_000
REPORTS = 4  # llama.cpp tells so many times how far it has read
_REASONING_SHARE = 4
_WORDS = (
    " the", " quick", " brown", " fox", " jumps", " over", " a", " lazy", " dog", ".", " Weights", " load",
    ",", " then", " the", " prompt", " is", " read", " and", " tokens", " come", " one", " by", " one", ".\n",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Script:
    """`tokens` tokens in one of the SHAPES at `rate_tps`; the first comes PREFILL_NS after the request."""

    shape: str
    rate_tps: int
    tokens: int

    @property
    def name(self) -> str:
        """The model's name that asks for this script."""
        return f"{self.shape}-{self.rate_tps}-{self.tokens}"

    @property
    def decode_s(self) -> float:
        """From the first token to the last."""
        return (self.tokens - 1) / self.rate_tps


def named(name: str) -> Script:
    """The script of a model's name. Raises ValueError."""
    shape, rate, tokens = name.split("-")
    if shape not in SHAPES:
        raise ValueError(f"there is no shape {shape!r}")
    return Script(shape, int(rate), int(tokens))


@dataclass(frozen=True, slots=True)
class Message:
    """One event of the stream: when it is due after the request, its bytes, how many new tokens it holds."""

    due_ns: int
    data: bytes
    tokens: int = 0


def reply(script: Script, dialect: str, prompt_tokens: int) -> Iterator[Message]:
    """The whole reply, in order."""
    yield from _before(script, dialect, prompt_tokens)
    yield from _tokens(script, dialect, prompt_tokens)
    yield from _after(script, dialect, prompt_tokens)


def _before(script: Script, dialect: str, prompt_tokens: int) -> Iterator[Message]:
    if script.shape == "role":
        yield _message(0, script, _choice({"role": "assistant", "content": ""}))
    if dialect == "llama.cpp":
        for k in range(1, REPORTS + 1):
            due_ns = PREFILL_NS * k // (REPORTS + 1)
            told = {
                "total": prompt_tokens,
                "cache": 0,
                "processed": prompt_tokens * k // REPORTS,
                "time_ms": due_ns / 1e6,
            }
            yield _message(due_ns, script, _choice({"role": "assistant"}) | {"prompt_progress": told})


def _tokens(script: Script, dialect: str, prompt_tokens: int) -> Iterator[Message]:
    step = 2 if script.shape == "two" else 1
    for first in range(0, script.tokens, step):
        words = [_WORDS[i % len(_WORDS)] for i in range(first, min(first + step, script.tokens))]
        reasons = script.shape == "reasoning" and first < script.tokens // _REASONING_SHARE
        told = _choice({"reasoning_content" if reasons else "content": "".join(words)})
        so_far = first + len(words)
        if script.shape == "counted":
            told |= {"usage": _usage(prompt_tokens, so_far)}
        if dialect == "llama.cpp":
            told |= {"timings": _timings(script, prompt_tokens, so_far)}
        yield _message(_due_ns(script, first), script, told, len(words))


def _after(script: Script, dialect: str, prompt_tokens: int) -> Iterator[Message]:
    due_ns = _due_ns(script, script.tokens)
    yield _message(due_ns, script, _choice({}, "length"))
    last: dict[str, object] = {"choices": [], "usage": _usage(prompt_tokens, script.tokens)}
    if dialect == "llama.cpp":
        last |= {"timings": _timings(script, prompt_tokens, script.tokens)}
    yield _message(due_ns, script, last)
    yield Message(due_ns, b"data: [DONE]\n\n")


def _due_ns(script: Script, token: int) -> int:
    """When the token of this number (from 0) leaves."""
    return PREFILL_NS + token * 1_000_000_000 // script.rate_tps


def _choice(delta: dict[str, str], reason: str | None = None) -> dict[str, object]:
    return {"choices": [{"index": 0, "delta": delta, "finish_reason": reason}]}


def _usage(prompt: int, completion: int) -> dict[str, int]:
    return {"prompt_tokens": prompt, "completion_tokens": completion, "total_tokens": prompt + completion}


def _timings(script: Script, prompt_tokens: int, so_far: int) -> dict[str, float]:
    """llama.cpp's clock of the answer starts at the first token."""
    return {
        "cache_n": 0,
        "prompt_n": prompt_tokens,
        "prompt_ms": PREFILL_NS / 1e6,
        "predicted_n": so_far,
        "predicted_ms": (so_far - 1) * 1e3 / script.rate_tps,
    }


def _message(due_ns: int, script: Script, told: dict[str, object], tokens: int = 0) -> Message:
    body = {
        "id": "chatcmpl-scripted",
        "object": "chat.completion.chunk",
        "created": 1,
        "model": script.name,
        **told,
    }
    return Message(due_ns, b"data: " + json.dumps(body, separators=(",", ":")).encode() + b"\n\n", tokens)
