"""Which engine speaks how: one line per engine."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from tui.engines import (
    exo,
    histograms,
    koboldcpp,
    lemonade,
    llamacpp,
    llamafiler,
    lmstudio,
    mlxlm,
    nim,
    ollama,
    openai,
    plain,
    sglang,
    trtllm,
    vllm,
)
from tui.engines.base import Adapter
from tui.engines.decoder import Decoder
from tui.engines.lmstudio_native import LmStudioTongue
from tui.engines.lmstudio_route import LmStudioRouteTongue
from tui.engines.shapes import mapping, text
from tui.engines.tongue import Tongue

# What has no line here is spoken to in the OpenAI dialect.
_ADAPTERS: Mapping[str, Adapter] = {
    "openai": openai.ADAPTER,
    "llama.cpp": llamacpp.ADAPTER,
    "embedded": llamacpp.ADAPTER,
    "vllm": vllm.ADAPTER,
    "trtllm": trtllm.ADAPTER,
    "tensorrt-llm": trtllm.ADAPTER,
    "nim": nim.ADAPTER,
    "nim-vllm": nim.WITH_VLLM,
    "nim-sglang": nim.WITH_SGLANG,
    "sglang": sglang.ADAPTER,
    "mlx-lm": mlxlm.ADAPTER,
    "exo": exo.ADAPTER,
    "koboldcpp": koboldcpp.ADAPTER,
    "lemonade": lemonade.ADAPTER,
    "llamafiler": llamafiler.ADAPTER,
    "tgi": histograms.TGI_ADAPTER,
    "lmdeploy": histograms.LMDEPLOY_ADAPTER,
    "ovms": plain.OVMS,
    "fireworks": plain.FIREWORKS,
    **plain.SPOKEN,
    "ollama": ollama.ADAPTER,
    "lmstudio": lmstudio.ADAPTER,
    "lm-studio": lmstudio.ADAPTER,
}
# Paths that only one engine has, whatever a recording calls its engine.
_PATHS: Mapping[str, Callable[[], Tongue]] = {
    "/api/chat": ollama.OllamaTongue,
    "/api/generate": ollama.OllamaTongue,
    "/api/v1/chat": LmStudioTongue,
    "/api/v0/chat/completions": LmStudioRouteTongue,
    "/completion": llamacpp.LlamaCppTongue,
}
# Engines with an API of their own: who speaks on their OpenAI routes.
_ROUTES: Mapping[str, Callable[[], Tongue]] = {
    "ollama": openai.OpenAiTongue,
    "lmstudio": LmStudioRouteTongue,
    "lm-studio": LmStudioRouteTongue,
}


def names() -> tuple[str, ...]:
    """Every name that an engine can have here."""
    return tuple(sorted(_ADAPTERS.keys() - {"embedded"}))


def adapter(engine: str) -> Adapter:
    """The adapter of an engine by its name."""
    return _ADAPTERS.get(engine.lower(), openai.ADAPTER)


def decoder_for(fields: Mapping[str, object]) -> Decoder:
    """A decoder for one run, from its `Meta` fields: by the request's path, else by the engine's name."""
    path = text(mapping(fields.get("request")).get("path")).split("?")[0].rstrip("/")
    for ending, tongue in _PATHS.items():
        if path.endswith(ending):
            return Decoder(tongue())
    engine = _known(text(fields.get("engine")))
    if path and engine in _ROUTES:
        return Decoder(_ROUTES[engine]())
    return adapter(engine).decoder()


def _known(name: str) -> str:
    """The name an engine has here; files of others may spell it otherwise, such as `llama-cpp`."""
    squeezed = _squeezed(name)
    return _SPELLED.get(squeezed, name.lower())


def _squeezed(name: str) -> str:
    return "".join(filter(str.isalnum, name.lower()))


_SPELLED = {_squeezed(name): name for name in _ADAPTERS} | {
    "llamaserver": "llama.cpp",
    "mlx": "mlx-lm",
    "trt": "trtllm",
    "textgenerationinference": "tgi",
}
