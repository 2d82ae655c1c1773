"""llama.cpp's server, also inside llamafile and Jan: its `Server` header, `/props`, its models' `meta`."""

from __future__ import annotations

from tui.domain.values import count
from tui.engines.asking import Ask
from tui.engines.conditions import last_part, shown_model
from tui.engines.evidence.heard import MODELS, Heard
from tui.engines.evidence.kind import Facts, Kind, Wish
from tui.engines.found import Model
from tui.engines.shapes import Object, mapping, text

_PROPS = "/props"


def _likely(heard: Heard) -> bool:
    return heard.serves("llama.cpp") or heard.owner == "llamacpp"


def _known(heard: Heard) -> bool:
    props = heard.object(_PROPS)
    return _likely(heard) or ("build_info" in props and "default_generation_settings" in props)


def _more(heard: Heard, wish: Wish) -> list[Ask]:
    return [Ask("GET", _PROPS)]


def _facts(heard: Heard) -> Facts:
    props = heard.object(_PROPS)
    context = count(mapping(props.get("default_generation_settings")).get("n_ctx"))
    models = tuple(_model(entry, context) for entry in heard.models)
    if len(models) != 1:  # a router: what `/props` says is not one model's
        context = None
    version = text(props.get("build_info"))
    told: dict[str, object] = {
        "file": last_part(text(props.get("model_path"))),
        "quantization": text(props.get("model_ftype")),
        "context_length": context,
        "slots": count(props.get("total_slots")),
        "sleeping": True if props.get("is_sleeping") is True else None,
    }
    if not models and props:
        models = (Model(shown_model(text(props.get("model_alias"))), context=context),)
    return Facts(
        models,
        "" if "unknown" in version else version,
        conditions=told,
        loading=heard.answer(MODELS).status == 503,
        denied=heard.refuses(_PROPS),
    )


def _model(entry: Object, context: int | None) -> Model:
    """The server of one model ignores the name that a request sends, so it need not carry folders."""
    meta = mapping(entry.get("meta"))
    state = text(mapping(entry.get("status")).get("value"))  # of a router
    return Model(
        shown_model(text(entry.get("id"))),
        quantization=text(meta.get("ftype")),
        parameters=count(meta.get("n_params")),
        size_bytes=count(meta.get("size")),
        context=count(meta.get("n_ctx")) or (None if state else context),
        context_most=count(meta.get("n_ctx_train")),
        loaded=state == "loaded" if state else True,
    )


KIND = Kind("llama.cpp", (_PROPS,), _likely, _known, _more, _facts)
