"""TGI: one path describes the model it serves and the lengths it takes."""

from __future__ import annotations

from tui.domain.values import count
from tui.engines.asking import Ask
from tui.engines.conditions import last_part, shown_model
from tui.engines.evidence.heard import Heard
from tui.engines.evidence.kind import Facts, Kind, Wish, listed
from tui.engines.found import Model
from tui.engines.shapes import text

_INFO = "/info"


def _likely(heard: Heard) -> bool:
    return False


def _known(heard: Heard) -> bool:
    info = heard.object(_INFO)
    return bool(text(info.get("model_id"))) and "max_total_tokens" in info


def _more(heard: Heard, wish: Wish) -> list[Ask]:
    return [Ask("GET", _INFO)]


def _facts(heard: Heard) -> Facts:
    info = heard.object(_INFO)
    name = text(info.get("model_id"))
    shown = shown_model(name)
    models = listed(heard) or (Model(name, "" if shown == name else shown),)
    told: dict[str, object] = {
        "file": last_part(name),
        "context_length": count(info.get("max_total_tokens")),
        "slots": count(info.get("max_concurrent_requests")),
    }
    return Facts(models, text(info.get("version")), conditions=told)


KIND = Kind("tgi", (_INFO,), _likely, _known, _more, _facts)
