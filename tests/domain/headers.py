"""Model headers made for tests: GGUF bytes and the metadata of known models."""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from typing import Any

ALIGNMENT = 32
LLAMA_8B: dict[str, Any] = {
    "general.architecture": "llama",
    "general.parameter_count": 8_030_000_000,
    "llama.block_count": 32,
    "llama.context_length": 131072,
    "llama.embedding_length": 4096,
    "llama.attention.head_count": 32,
    "llama.attention.head_count_kv": 8,
}


def text(value: str) -> bytes:
    raw = value.encode()
    return struct.pack("<Q", len(raw)) + raw


def value(one: Any) -> bytes:
    """A value with its kind in front."""
    match one:
        case bool():
            return struct.pack("<I?", 7, one)
        case int():
            return struct.pack("<IQ", 10, one)
        case float():
            return struct.pack("<If", 6, one)
        case str():
            return struct.pack("<I", 8) + text(one)
        case [str(), *_]:
            return struct.pack("<IIQ", 9, 8, len(one)) + b"".join(map(text, one))
        case [bool(), *_]:
            return struct.pack(f"<IIQ{len(one)}?", 9, 7, len(one), *one)
        case _:
            return struct.pack(f"<IIQ{len(one)}I", 9, 4, len(one), *one)


def gguf(
    metadata: Mapping[str, Any], tensors: Sequence[tuple[str, Sequence[int], int]] = (), version: int = 3
) -> bytes:
    """A header; each tensor is (name, dimensions, bytes), and they follow each other without a gap."""
    head = b"GGUF" + struct.pack("<IQQ", version, len(tensors), len(metadata))
    body = b"".join(text(key) + value(one) for key, one in metadata.items())
    at = 0
    for name, dimensions, size in tensors:
        body += text(name) + struct.pack(f"<I{len(dimensions)}QIQ", len(dimensions), *dimensions, 0, at)
        at += size
    whole = head + body
    return whole + bytes(-len(whole) % ALIGNMENT)
