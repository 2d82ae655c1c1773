"""What the scripted server says: a name decides a reply, a list of timed messages."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

SHAPES = {
    "one": "one token per message",
    "two": "two tokens per message",
    "role": "an empty role message first",
    "reasoning": "reasoning first",
    "counted": "usage with every message",
    "lump": "eight messages at once",
    "queue": "a wait before the prompt is read",
}
DIALECTS = ("openai", "llama.cpp", "ollama")
PREFILL_NS = 300_000_000
QUEUE_NS = 200_000_000  # of the shape "queue", before the prefill
REPORTS = 4  # llama.cpp tells so many times how far it has read
_AT_ONCE = {"two": 2, "lump": 8}
_REASONING_SHARE = 4
_WORDS = (
    " the", " quick", " brown", " fox", " jumps", " over", " a", " lazy", " dog", ".", " Weights", " load",
    ",", " then", " the", " prompt", " is", " read", " and", " tokens", " come", " one", " by", " one", ".\n",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Script:
    """`tokens` tokens in one of the SHAPES at `rate_tps`; the first comes `first_ns` after the request."""

    shape: str
    rate_tps: int
    tokens: int

    @property
    def name(self) -> str:
        """The model's name that asks for this script."""
        return f"{self.shape}-{self.rate_tps}-{self.tokens}"

    @property
    def queue_ns(self) -> int:
        """From the request until its prompt is read."""
        return QUEUE_NS if self.shape == "queue" else 0

    @property
    def first_ns(self) -> int:
        """From the request to the first token."""
        return self.queue_ns + PREFILL_NS

    @property
    def decode_s(self) -> float:
        """From the first token to the last."""
        return (self.tokens - 1) / self.rate_tps

    def due_ns(self, token: int) -> int:
        """When the token of this number (from 0) leaves."""
        return self.first_ns + token * 1_000_000_000 // self.rate_tps

    def pieces(self) -> Iterator[tuple[int, Sequence[str], bool]]:
        """(number of the first token, the tokens, whether they are reasoning) of each message with text."""
        step = _AT_ONCE.get(self.shape, 1)
        for first in range(0, self.tokens, step):
            words = [_WORDS[i % len(_WORDS)] for i in range(first, min(first + step, self.tokens))]
            yield first, words, self.shape == "reasoning" and first < self.tokens // _REASONING_SHARE


def named(name: str) -> Script:
    """The script of a name. Raises ValueError."""
    shape, rate, tokens = name.split("-")
    if shape not in SHAPES:
        raise ValueError(f"there is no shape {shape!r}")
    return Script(shape, int(rate), int(tokens))


@dataclass(frozen=True, slots=True)
class Message:
    """What is sent at once: when it is due after the request, its bytes, how many new tokens it holds."""

    due_ns: int
    data: bytes
    tokens: int = 0


def reply(script: Script, dialect: str, prompt_tokens: int) -> Iterator[Message]:
    """The whole reply, in order."""
    if dialect == "ollama":
        yield from _lines(script, prompt_tokens)
        return
    yield from _before(script, dialect, prompt_tokens)
    yield from _tokens(script, dialect, prompt_tokens)
    yield from _after(script, dialect, prompt_tokens)


# -- server-sent events: OpenAI and llama.cpp ---------------------------------------------------------------


def _before(script: Script, dialect: str, prompt_tokens: int) -> Iterator[Message]:
    if script.shape == "role":
        yield _message(0, script, _choice({"role": "assistant", "content": ""}))
    if dialect == "llama.cpp":
        for k in range(1, REPORTS + 1):
            read_ns = PREFILL_NS * k // (REPORTS + 1)
            told = {
                "total": prompt_tokens,
                "cache": 0,
                "processed": prompt_tokens * k // REPORTS,
                "time_ms": read_ns / 1e6,
            }
            due_ns = script.queue_ns + read_ns
            yield _message(due_ns, script, _choice({"role": "assistant"}) | {"prompt_progress": told})


def _tokens(script: Script, dialect: str, prompt_tokens: int) -> Iterator[Message]:
    for first, words, reasons in script.pieces():
        texts = words if script.shape == "lump" else ["".join(words)]
        so_far = first + len(words) - len(texts)
        data = b""
        for text in texts:
            so_far += 1
            told = _choice({"reasoning_content" if reasons else "content": text})
            if script.shape == "counted":
                told |= {"usage": _usage(prompt_tokens, so_far)}
            if dialect == "llama.cpp":
                told |= {"timings": _timings(script, prompt_tokens, so_far)}
            data += _event(script, told)
        yield Message(script.due_ns(first), data, len(words))


def _after(script: Script, dialect: str, prompt_tokens: int) -> Iterator[Message]:
    due_ns = script.due_ns(script.tokens)
    yield _message(due_ns, script, _choice({}, "length"))
    last: dict[str, object] = {"choices": [], "usage": _usage(prompt_tokens, script.tokens)}
    if dialect == "llama.cpp":
        last |= {"timings": _timings(script, prompt_tokens, script.tokens)}
    yield _message(due_ns, script, last)
    yield Message(due_ns, b"data: [DONE]\n\n")


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


def _message(due_ns: int, script: Script, told: dict[str, object]) -> Message:
    return Message(due_ns, _event(script, told))


def _event(script: Script, told: dict[str, object]) -> bytes:
    body = {
        "id": "chatcmpl-scripted",
        "object": "chat.completion.chunk",
        "created": 1,
        "model": script.name,
        **told,
    }
    return b"data: " + json.dumps(body, separators=(",", ":")).encode() + b"\n\n"


# -- JSON lines: Ollama -------------------------------------------------------------------------------------


def _lines(script: Script, prompt_tokens: int) -> Iterator[Message]:
    if script.shape == "role":
        yield Message(0, _line(script, {"content": ""}))
    for first, words, reasons in script.pieces():
        texts = words if script.shape == "lump" else ["".join(words)]
        told = [{"content": "", "thinking": text} if reasons else {"content": text} for text in texts]
        yield Message(script.due_ns(first), b"".join(_line(script, message) for message in told), len(words))
    decode_ns = round(script.decode_s * 1e9)
    last = {
        "done": True,
        "done_reason": "length",
        "total_duration": script.first_ns + decode_ns,
        "load_duration": 1_000_000,
        "prompt_eval_count": prompt_tokens,
        "prompt_eval_duration": PREFILL_NS - 2_000_000,
        "eval_count": script.tokens,
        "eval_duration": decode_ns,
    }
    yield Message(script.due_ns(script.tokens), _line(script, {"content": ""}, last))


def _line(script: Script, message: dict[str, str], last: dict[str, object] | None = None) -> bytes:
    body = {
        "model": script.name,
        "created_at": "2026-01-01T00:00:00Z",
        "message": {"role": "assistant", **message},
        "done": False,
        **(last or {}),
    }
    return json.dumps(body, separators=(",", ":")).encode() + b"\n"
