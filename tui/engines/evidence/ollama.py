"""Ollama: its version and its greeting together, for others answer parts of its API too."""

from __future__ import annotations

from tui.domain.values import count
from tui.engines.asking import Ask
from tui.engines.evidence.heard import MODELS, Heard
from tui.engines.evidence.kind import Facts, Kind, Wish
from tui.engines.found import Model
from tui.engines.shapes import Object, items, mapping, text

VERSION, ROOT, TAGS, RUNNING, SHOW = "/api/version", "/", "/api/tags", "/api/ps", "/api/show"


def _likely(heard: Heard) -> bool:
    return heard.owner == "library"


def _known(heard: Heard) -> bool:
    greets = heard.words(ROOT).strip('"') == "Ollama is running"
    return greets and bool(text(heard.object(VERSION).get("version")))


def _more(heard: Heard, wish: Wish) -> list[Ask]:
    """The description of one model is asked for only when the person chose this engine."""
    if not heard.answer(TAGS).status:
        return [Ask("GET", TAGS), Ask("GET", RUNNING)]
    names = [model.name for model in _models(heard)]
    name = wish.model or next(iter(names), "")
    if not wish.chosen or not name:
        return []
    return [Ask("POST", SHOW, body={"model": name})]


def _facts(heard: Heard) -> Facts:
    version = text(heard.object(VERSION).get("version"))
    conditions: dict[str, object] = {}
    return Facts(_models(heard), "" if version == "0.0.0" else version, conditions=conditions)


def _models(heard: Heard) -> tuple[Model, ...]:
    """Installed models that write text, the loaded ones first."""
    running = {text(it.get("name")): it for it in _entries(heard, RUNNING)}
    entries = [entry for entry in _entries(heard, TAGS) if _writes(entry)]
    models = [_model(entry, running.get(text(entry.get("name")))) for entry in entries]
    return tuple(sorted(models, key=lambda model: not model.loaded))


def _entries(heard: Heard, path: str) -> list[Object]:
    listed = map(mapping, items(heard.object(path).get("models")))
    return [entry for entry in listed if text(entry.get("name"))]


def _writes(entry: Object) -> bool:
    able = items(entry.get("capabilities"))
    return not able or "completion" in able


def _model(entry: Object, running: Object | None) -> Model:
    details = mapping(entry.get("details"))
    now = running or {}
    return Model(
        text(entry.get("name")),
        quantization=text(details.get("quantization_level")),
        parameters=text(details.get("parameter_size")) or None,
        size_bytes=count(entry.get("size")),
        context=count(now.get("context_length")),
        context_most=count(details.get("context_length")),
        loaded=running is not None,
        remote=bool(text(entry.get("remote_host"))),
    )


def of_chosen(heard: Heard, model: str) -> dict[str, object]:
    """What is told about one model: its exact size from the description, and where it lies when loaded.

    gpu_share: bytes on the GPU by all bytes, as its load log had them; both are the engine's estimates.
    """
    shown = mapping(heard.object(SHOW).get("model_info"))
    arch = text(shown.get("general.architecture"))
    running = next((it for it in _entries(heard, RUNNING) if text(it.get("name")) == model), {})
    size, on_gpu = count(running.get("size")), count(running.get("size_vram"))
    return {
        "parameters": count(shown.get("general.parameter_count")),
        "context_trained": count(shown.get(f"{arch}.context_length")) if arch else None,
        "gpu_share": min(1.0, on_gpu / size) if size and on_gpu is not None else None,
    }


KIND = Kind("ollama", (VERSION, ROOT), _likely, _known, _more, _facts)
_ = MODELS
