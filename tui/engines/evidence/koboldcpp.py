"""KoboldCpp: it answers like OpenAI, Ollama and others too, but names itself at a path of its own."""

from __future__ import annotations

from tui.domain.values import count
from tui.engines.asking import Ask
from tui.engines.evidence.heard import Heard
from tui.engines.evidence.kind import Facts, Kind, Wish, listed
from tui.engines.shapes import text

_VERSION, _CONTEXT = "/api/extra/version", "/api/extra/true_max_context_length"


def _likely(heard: Heard) -> bool:
    return heard.owner == "koboldcpp"


def _known(heard: Heard) -> bool:
    return heard.object(_VERSION).get("result") == "KoboldCpp"


def _more(heard: Heard, wish: Wish) -> list[Ask]:
    return [Ask("GET", _VERSION), Ask("GET", _CONTEXT)]


def _facts(heard: Heard) -> Facts:
    context = count(heard.object(_CONTEXT).get("value"))
    version = text(heard.object(_VERSION).get("version"))
    return Facts(listed(heard), version, conditions={"context_length": context})


KIND = Kind("koboldcpp", (_VERSION,), _likely, _known, _more, _facts)
