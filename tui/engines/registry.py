"""Which engine speaks how: one line per engine."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from tui.engines import llamacpp, ollama, openai
from tui.engines.base import Adapter
from tui.engines.decoder import Decoder
from tui.engines.shapes import mapping, text
from tui.engines.tongue import Tongue

# What has no line here is spoken to in the OpenAI dialect.
_ADAPTERS: Mapping[str, Adapter] = {
    "openai": openai.ADAPTER,
    "llama.cpp": llamacpp.ADAPTER,
    "embedded": llamacpp.ADAPTER,
}
# Paths that only one engine has, whatever a recording calls its engine.
_PATHS: Mapping[str, Callable[[], Tongue]] = {
    "/api/chat": ollama.OllamaTongue,
    "/api/generate": ollama.OllamaTongue,
    "/completion": llamacpp.LlamaCppTongue,
}


def adapter(engine: str) -> Adapter:
    """The adapter of an engine by its name."""
    return _ADAPTERS.get(engine.lower(), openai.ADAPTER)


def decoder_for(fields: Mapping[str, object]) -> Decoder:
    """A decoder for one run, from its `Meta` fields: by the request's path, else by the engine's name."""
    path = text(mapping(fields.get("request")).get("path")).split("?")[0].rstrip("/")
    for ending, tongue in _PATHS.items():
        if path.endswith(ending):
            return Decoder(tongue())
    return adapter(text(fields.get("engine"))).decoder()
