"""OpenVINO Model Server: its OpenAI routes lie under `/v3`, and its own state under `/v1/config`."""

from __future__ import annotations

from tui.engines.asking import Ask
from tui.engines.evidence.heard import Heard
from tui.engines.evidence.kind import Facts, Kind, Wish, standard
from tui.engines.shapes import Object, items, mapping, text

_MODELS, _STATE = "/v3/models", "/v1/config"


def _likely(heard: Heard) -> bool:
    return False


def _known(heard: Heard) -> bool:
    return bool(_listed(heard))


def _more(heard: Heard, wish: Wish) -> list[Ask]:
    return [Ask("GET", _STATE)]


def _facts(heard: Heard) -> Facts:
    """Another server that has its routes there speaks plain OpenAI."""
    states = [mapping(state) for state in heard.object(_STATE).values()]
    its_own = any("model_version_status" in state for state in states)
    models = tuple(map(standard, _listed(heard)))
    return Facts(models, engine="ovms" if its_own else "openai", api="/v3")


def _listed(heard: Heard) -> list[Object]:
    entries = map(mapping, items(heard.object(_MODELS).get("data")))
    return [entry for entry in entries if text(entry.get("id"))]


KIND = Kind("ovms", (_MODELS,), _likely, _known, _more, _facts)
