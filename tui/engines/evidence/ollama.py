"""Ollama: its version and its greeting together, for others answer parts of its API too."""

from __future__ import annotations

from tui.domain.gguf_shape import shape_of
from tui.domain.shape import shape_raw
from tui.domain.values import count
from tui.engines.asking import Ask
from tui.engines.evidence.heard import Heard
from tui.engines.evidence.kind import Facts, Kind, Wish, pick
from tui.engines.found import Model
from tui.engines.shapes import Object, items, mapping, text

_VERSION, _ROOT, _TAGS, _RUNNING, _SHOW = "/api/version", "/", "/api/tags", "/api/ps", "/api/show"


def _likely(heard: Heard) -> bool:
    return heard.owner == "library"


def _known(heard: Heard) -> bool:
    """A version that is no number is an emulator's."""
    greets = heard.words(_ROOT).strip('"') == "Ollama is running"
    return greets and text(heard.object(_VERSION).get("version"))[:1].isdigit()


def _more(heard: Heard, wish: Wish) -> list[Ask]:
    """The description of one model is asked for only when the person chose this engine."""
    if not heard.answer(_TAGS).status:
        return [Ask("GET", _TAGS), Ask("GET", _RUNNING)]
    name = pick(_models(heard), wish.model).name
    return [Ask("POST", _SHOW, body={"model": name})] if wish.chosen and name else []


def _facts(heard: Heard) -> Facts:
    version = text(heard.object(_VERSION).get("version"))
    return Facts(_models(heard), "" if version == "0.0.0" else version)  # so says one that was built by hand


def _models(heard: Heard) -> tuple[Model, ...]:
    """Installed models that write text, the loaded ones first."""
    running = {text(it.get("name")): it for it in _entries(heard, _RUNNING)}
    entries = [entry for entry in _entries(heard, _TAGS) if _writes(entry)]
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


def _of_chosen(heard: Heard, model: str) -> dict[str, object]:
    """What is told about one model: its exact size from the description, and where it lies when loaded.

    gpu_share: bytes on the GPU by all bytes, as its load log had them; both are the engine's estimates.
    """
    shown = mapping(heard.object(_SHOW).get("model_info"))
    arch = text(shown.get("general.architecture"))
    running = next((it for it in _entries(heard, _RUNNING) if text(it.get("name")) == model), {})
    listed = next((it for it in _entries(heard, _TAGS) if text(it.get("name")) == model), {})
    size, on_gpu = count(running.get("size")), count(running.get("size_vram"))
    return {
        "parameters": count(shown.get("general.parameter_count")),
        "context_trained": count(shown.get(f"{arch}.context_length")) if arch else None,
        "gpu_share": min(1.0, on_gpu / size) if size and on_gpu is not None else None,
        "shape": shape_raw(shape_of(shown, (), count(listed.get("size")))) if arch else None,
    }


KIND = Kind("ollama", (_VERSION, _ROOT), _likely, _known, _more, _facts, _of_chosen)
