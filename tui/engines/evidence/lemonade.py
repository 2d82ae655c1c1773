"""Lemonade: its health lists what is loaded; it fronts llama.cpp and others, and answers like Ollama too."""

from __future__ import annotations

from dataclasses import replace

from tui.engines.asking import Ask
from tui.engines.evidence.heard import Heard
from tui.engines.evidence.kind import Facts, Kind, Wish, listed
from tui.engines.shapes import items, mapping, text

_HEALTH = "/v1/health"


def _likely(heard: Heard) -> bool:
    return heard.owner == "lemonade"


def _known(heard: Heard) -> bool:
    """Old ones list one loaded model, and name themselves as the owner of each."""
    health = heard.object(_HEALTH)
    listed_all = "version" in health and "all_models_loaded" in health
    return "status" in health and (listed_all or ("model_loaded" in health and _likely(heard)))


def _more(heard: Heard, wish: Wish) -> list[Ask]:
    return [Ask("GET", _HEALTH)]


def _facts(heard: Heard) -> Facts:
    health = heard.object(_HEALTH)
    loaded = {text(mapping(it).get("model_name")) for it in items(health.get("all_models_loaded"))}
    loaded.add(text(health.get("model_loaded")))
    models = tuple(replace(model, loaded=model.name in loaded) for model in listed(heard))
    return Facts(models, text(health.get("version")))


KIND = Kind("lemonade", (_HEALTH,), _likely, _known, _more, _facts)
