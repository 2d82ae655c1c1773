"""LM Studio: it answers anything with 200, so only its greeting and the shape of its model lists count."""

from __future__ import annotations

from tui.domain.values import count
from tui.engines.asking import Ask
from tui.engines.evidence.heard import Heard
from tui.engines.evidence.kind import Facts, Kind, Wish, listed
from tui.engines.found import Model
from tui.engines.shapes import Object, items, mapping, text

_GREETING, _NEW, _OLD = "/lmstudio-greeting", "/api/v1/models", "/api/v0/models"
_WRITES = ("llm", "vlm")


def _likely(heard: Heard) -> bool:
    return heard.owner == "organization_owner"


def _known(heard: Heard) -> bool:
    greets = heard.object(_GREETING).get("lmstudio") is True
    return greets or bool(_native(heard)) or any("compatibility_type" in entry for entry in _old(heard))


def _more(heard: Heard, wish: Wish) -> list[Ask]:
    if not heard.answer(_NEW).status:
        return [Ask("GET", _NEW)]
    return [] if isinstance(heard.object(_NEW).get("models"), list) else [Ask("GET", _OLD)]


def _facts(heard: Heard) -> Facts:
    """Its version is not told anywhere. Its plain list does not tell which models write text."""
    native = isinstance(heard.object(_NEW).get("models"), list)
    models = tuple(map(_model, _native(heard))) or tuple(map(_old_model, _old(heard)))
    if not native and not isinstance(heard.object(_OLD).get("data"), list):
        models = listed(heard)
    told = heard.answer(_NEW).status == 200
    return Facts(models, features={"native_chat": native} if told else {})


def _native(heard: Heard) -> list[Object]:
    entries = map(mapping, items(heard.object(_NEW).get("models")))
    return [entry for entry in entries if text(entry.get("key")) and entry.get("type") in _WRITES]


def _old(heard: Heard) -> list[Object]:
    entries = map(mapping, items(heard.object(_OLD).get("data")))
    return [entry for entry in entries if text(entry.get("id")) and entry.get("type") in _WRITES]


def _loaded_config(entry: Object) -> Object:
    instances = items(entry.get("loaded_instances"))
    return mapping(mapping(instances[0]).get("config")) if instances else {}


def _model(entry: Object) -> Model:
    return Model(
        text(entry.get("key")),
        quantization=text(mapping(entry.get("quantization")).get("name")),
        parameters=text(entry.get("params_string")) or None,
        size_bytes=count(entry.get("size_bytes")),
        context=count(_loaded_config(entry).get("context_length")),
        context_most=count(entry.get("max_context_length")),
        loaded=bool(items(entry.get("loaded_instances"))),
    )


def _old_model(entry: Object) -> Model:
    state = text(entry.get("state"))
    return Model(
        text(entry.get("id")),
        quantization=text(entry.get("quantization")),
        context=count(entry.get("loaded_context_length")),
        context_most=count(entry.get("max_context_length")),
        loaded=state == "loaded" if state else None,
    )


def _of_chosen(heard: Heard, model: str) -> dict[str, object]:
    """How the model was loaded."""
    entry = next((it for it in _native(heard) if it.get("key") == model), {})
    config = _loaded_config(entry)
    return {"batch": count(config.get("eval_batch_size")), "slots": count(config.get("parallel"))}


KIND = Kind("lmstudio", (_GREETING, _NEW), _likely, _known, _more, _facts, _of_chosen)
