"""The KV cache computed from the model's shape: what it holds for a number of tokens, and how many still fit.

Bytes = sum over layers of kv heads x (key size x bytes of a key + value size x bytes of a value) x tokens; a
layer with a window holds at most that many tokens, a recurrent layer a constant.
"""

from __future__ import annotations

from collections.abc import Mapping

from tui.domain.shape import ModelShape
from tui.domain.values import Provenance, Value, absent

# ggml's block formats: bytes of a block / values in it
_VALUE_BYTES: Mapping[str, float] = {
    "f32": 4.0, "f16": 2.0, "bf16": 2.0, "fp8": 1.0,
    "q8_0": 34 / 32, "q5_1": 24 / 32, "q5_0": 22 / 32, "q4_1": 20 / 32, "q4_0": 18 / 32, "iq4_nl": 18 / 32,
}  # fmt: skip


def value_bytes(cache_type: str) -> float | None:
    """Bytes of one value in a cache of this type; None for an unknown one. "" and "auto" count as f16."""
    name = cache_type.lower()
    return _VALUE_BYTES.get("fp8" if name.startswith("fp8") else "f16" if name in ("", "auto") else name)


def kv_bytes(shape: ModelShape | None, tokens: int, keys: str = "f16", values: str = "f16") -> Value:
    """Bytes of one sequence of `tokens`; `keys` and `values` are the cache types, "" where not told."""
    unit = "B"
    if shape is None or shape.attention is None:
        return absent(unit, shape.why if shape and shape.why else "the model's layers are not known")
    k, v = value_bytes(keys), value_bytes(values)
    if k is None or v is None:
        return absent(unit, f"unknown cache type {keys if k is None else values}")
    total = float(shape.state_bytes)
    for one in shape.attention:
        held = tokens if one.window is None else min(tokens, one.window)
        total += one.layers * one.kv_heads * (one.k_dim * k + one.v_dim * v) * held
    types = f"{keys}/{values}" if keys and values else "f16 assumed, the engine does not tell the type"
    note = f"layers x kv heads x (key + value) x {tokens} tokens, {types}"
    return Value(total, unit, Provenance.ESTIMATED, note)


def kv_token_bytes(shape: ModelShape | None, keys: str = "f16", values: str = "f16", at: int = 1) -> Value:
    """Bytes that one more token adds at length `at`: layers whose window is full add nothing."""
    before, after = kv_bytes(shape, max(at - 1, 0), keys, values), kv_bytes(shape, max(at, 1), keys, values)
    if before.number is None or after.number is None:
        return after
    return Value(after.number - before.number, "B", Provenance.ESTIMATED, "what one more token adds")


def headroom(free_bytes: int | None, token: Value, left: int | None) -> Value:
    """Tokens that still fit in `free_bytes` at `token` bytes each, at most the `left` ones of the context."""
    unit = "tok"
    if free_bytes is None:
        return absent(unit, "the free memory is not known")
    if token.number is None:
        return absent(unit, token.note)
    if token.number <= 0:
        return absent(unit, "the cache does not grow")
    fits = int(free_bytes / token.number)
    note = f"free memory / {token.number:.0f} B per token"
    if left is not None and left < fits:
        return Value(left, unit, Provenance.ESTIMATED, "the context ends before the memory does")
    return Value(fits, unit, Provenance.ESTIMATED, note)
