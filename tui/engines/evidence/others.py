"""Engines that a single mark gives away and that tell little more than their models."""

from __future__ import annotations

from dataclasses import replace

from tui.domain.values import count
from tui.engines.asking import Ask
from tui.engines.evidence.heard import MODELS, Heard
from tui.engines.evidence.kind import Facts, Kind, Wish, listed, plain
from tui.engines.evidence.vllm import VERSION
from tui.engines.shapes import items, mapping, text

_STATUS, _NODE, _TOPOLOGY, _HEALTH = "/v1/models/status", "/node_id", "/state", "/health"
_STATES = ("loaded", "unloaded", "reloading")


def _never(heard: Heard) -> bool:
    return False


# -- llamafile's own server, up to 0.9.3 ------------------------------------------------------------------


def _llamafiler(heard: Heard) -> bool:
    return heard.serves("llamafile/")


def _llamafiler_facts(heard: Heard) -> Facts:
    return Facts(listed(heard), heard.answer(MODELS).headers.get("server", "").partition("/")[2])


# -- TensorRT-LLM: its metrics are emptied by who reads them, so only its version is asked for ------------


def _trtllm(heard: Heard) -> bool:
    return heard.owner == "tensorrt_llm"


def _trtllm_more(heard: Heard, wish: Wish) -> list[Ask]:
    return [Ask("GET", VERSION)]


def _trtllm_facts(heard: Heard) -> Facts:
    return Facts(listed(heard), text(heard.object(VERSION).get("version")))


# -- LMDeploy ---------------------------------------------------------------------------------------------


def _lmdeploy(heard: Heard) -> bool:
    return heard.owner == "lmdeploy"


# -- mistral.rs, on LM Studio's port ----------------------------------------------------------------------


def _mistralrs(heard: Heard) -> bool:
    return any(entry.get("status") in _STATES for entry in heard.models)


def _mistralrs_facts(heard: Heard) -> Facts:
    states = {text(entry.get("id")): text(entry.get("status")) for entry in heard.models}
    loaded = {"loaded": True, "unloaded": False, "reloading": False}
    return Facts(tuple(replace(model, loaded=loaded.get(states[model.name])) for model in listed(heard)))


# -- exo --------------------------------------------------------------------------------------------------


def _exo(heard: Heard) -> bool:
    """Its node has a name, a bare string, and its state knows a topology."""
    return isinstance(heard.json(_NODE), str) and "topology" in heard.object(_TOPOLOGY)


# -- oMLX -------------------------------------------------------------------------------------------------


def _omlx(heard: Heard) -> bool:
    return heard.owner == "omlx"


def _omlx_more(heard: Heard, wish: Wish) -> list[Ask]:
    return [Ask("GET", _STATUS)]


def _omlx_facts(heard: Heard) -> Facts:
    entries = map(mapping, items(heard.object(_STATUS).get("models")))
    loaded = {text(it.get("id")): told for it in entries if isinstance(told := it.get("loaded"), bool)}
    return Facts(tuple(replace(model, loaded=loaded.get(model.name)) for model in listed(heard)))


# -- mlx-vlm, whose models are the folders they lie in -----------------------------------------------------


def _mlx_vlm(heard: Heard) -> bool:
    return heard.serves("mlx_vlm/")


def _mlx_vlm_more(heard: Heard, wish: Wish) -> list[Ask]:
    return [Ask("GET", _HEALTH)]


def _mlx_vlm_facts(heard: Heard) -> Facts:
    """It loads a model by its name, and tells the context of the one that is loaded."""
    loaded = {text(it.get("id")): told for it in heard.models if isinstance(told := it.get("loaded"), bool)}
    return Facts(
        tuple(replace(model, loaded=loaded.get(model.name)) for model in listed(heard)),
        heard.answer(MODELS).headers.get("server", "").partition("/")[2],
        conditions={"context_length": count(heard.object(_HEALTH).get("effective_context_limit"))},
    )


# -- llama-cpp-python, whose models are owned by "me" ------------------------------------


def _llama_cpp_python(heard: Heard) -> bool:
    return heard.owner == "me" and "openai-processing-ms" in heard.answer(MODELS).headers


LLAMAFILER = Kind("llamafiler", (), _llamafiler, _llamafiler, facts=_llamafiler_facts)
TRTLLM = Kind("trtllm", (), _trtllm, _trtllm, _trtllm_more, _trtllm_facts)
LMDEPLOY = Kind("lmdeploy", (), _lmdeploy, _lmdeploy)
MISTRALRS = Kind("mistralrs", (), _mistralrs, _mistralrs, facts=_mistralrs_facts)
EXO = Kind("exo", (_NODE, _TOPOLOGY), _never, _exo)
OMLX = Kind("omlx", (), _omlx, _omlx, _omlx_more, _omlx_facts)
MLX_VLM = Kind("mlx-vlm", (), _mlx_vlm, _mlx_vlm, _mlx_vlm_more, _mlx_vlm_facts)
LLAMA_CPP_PYTHON = Kind("llama-cpp-python", (), _llama_cpp_python, _llama_cpp_python)
OPENAI = Kind("openai", (), _never, _never, facts=plain)
