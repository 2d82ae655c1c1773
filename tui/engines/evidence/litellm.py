"""LiteLLM's proxy: known by how it says that it is alive; a model may run elsewhere, and cost money."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from ipaddress import ip_address
from urllib.parse import urlsplit

from tui.engines.asking import Ask
from tui.engines.evidence.heard import Heard
from tui.engines.evidence.kind import Facts, Kind, Wish, listed
from tui.engines.shapes import items, mapping, text

_ALIVE, _INFO = "/health/liveliness", "/model/info"
_AT_HOME = ("ollama/", "ollama_chat/")  # on this machine unless an address says otherwise


def _never(heard: Heard) -> bool:
    return False


def _known(heard: Heard) -> bool:
    return heard.json(_ALIVE) == "I'm alive!"


def _more(heard: Heard, wish: Wish) -> list[Ask]:
    return [Ask("GET", _INFO)]


def _facts(heard: Heard) -> Facts:
    """A model runs here where each of its targets is known to; one name may stand for several of them."""
    here: dict[str, bool] = {}
    for name, near in _targets(heard):
        here[name] = near and here.get(name, True)
    return Facts(tuple(replace(model, remote=not here.get(model.name, False)) for model in listed(heard)))


def _targets(heard: Heard) -> Iterator[tuple[str, bool]]:
    for entry in map(mapping, items(heard.object(_INFO).get("data"))):
        told = mapping(entry.get("litellm_params"))
        address = text(told.get("api_base"))
        near = _near(address) if address else text(told.get("model")).startswith(_AT_HOME)
        yield text(entry.get("model_name")), near


def _near(address: str) -> bool:
    """This machine, or one of a private network."""
    try:
        host = urlsplit(address).hostname or ""
        return host == "localhost" or ip_address(host).is_private
    except ValueError:  # a name of which nothing is known, or no address at all
        return False


KIND = Kind("litellm", (_ALIVE,), _never, _known, _more, _facts)
