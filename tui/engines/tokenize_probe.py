"""How long llama.cpp needs to template and tokenize a prompt: the same body, counted alone just before."""

from __future__ import annotations

from collections.abc import Mapping

from tui.domain.values import count
from tui.engines.asking import Ask, Asking
from tui.engines.shapes import mapping, parsed_or_none

INPUT_TOKENS = "/v1/chat/completions/input_tokens"
_TIMES = 3


def probe(body: Mapping[str, object]) -> Asking[dict[str, int] | None]:
    """The fields of the note `tokenize_probe`: took_ns, base_ns (both the least of several tries), tokens.

    The asks are yielded one at a time, so that they go over one connection and never wait for each other.
    The time itself is took_ns − base_ns, never below 0. None where the engine can't tell.
    """
    base_ns: list[int] = []
    took_ns: list[int] = []
    tokens: int | None = None
    for _ in range(_TIMES):
        (health,) = yield [Ask("GET", "/health")]
        (counted,) = yield [Ask("POST", INPUT_TOKENS, timeout_s=10.0, body=body)]
        tokens = count(mapping(parsed_or_none(counted.body)).get("input_tokens"))
        if health.status != 200 or counted.status != 200 or tokens is None:
            return None
        base_ns.append(health.took_ns)
        took_ns.append(counted.took_ns)
    return {"took_ns": min(took_ns), "base_ns": min(base_ns), "tokens": tokens or 0}
