"""Which engine answers at an address, by evidence: a few GETs, none of which changes anything there."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from tui.domain.values import count
from tui.engines.asking import Answer, Ask, Asking
from tui.engines.conditions import shown_model
from tui.engines.shapes import Object, items, mapping, parsed_or_none, text
from tui.engines.urls import Base

_ASKS = [Ask("GET", "/props"), Ask("GET", "/v1/models"), Ask("GET", "/health")]
_OWNERS: Mapping[str, str] = {
    "llamacpp": "llama.cpp",
    "vllm": "vllm",
    "sglang": "sglang",
    "tensorrt_llm": "trtllm",
    "library": "ollama",
    "organization_owner": "lmstudio",
    "lmdeploy": "lmdeploy",
}


@dataclass(frozen=True, slots=True)
class Found:
    """An engine that answers. `conditions` has keys of the product's JSON; None is not told.

    has_tokenizer: it counts the tokens of a prompt without running it. slots: how many requests run at once.
    context: tokens a request may hold. auth_needed: it wants a key, or another one. loading: not ready yet.
    """

    engine: str
    base: Base
    model: str
    models: tuple[str, ...] = ()
    conditions: Mapping[str, object] = field(default_factory=dict)
    has_tokenizer: bool = False
    slots: int | None = None
    context: int | None = None
    auth_needed: bool = False
    loading: bool = False


@dataclass(frozen=True, slots=True)
class Nothing:
    """No engine there; the reason in one plain line."""

    reason: str


def detect(base: Base, model: str = "") -> Asking[Found | Nothing]:
    """Ask at one address; `model` is the one the person wants, else the first that the engine names."""
    answers = yield list(_ASKS)
    props_answer, models_answer, health_answer = answers
    if all(answer.status == 0 for answer in answers):
        return Nothing(_silence(base, answers))
    props = _object(props_answer)
    models = [entry for entry in map(mapping, items(_object(models_answer).get("data"))) if entry.get("id")]
    engine = _engine(answers, props, models)
    auth_needed = any(answer.status in (401, 403) for answer in (props_answer, models_answer))
    if not engine and auth_needed:
        engine = "openai"
    if not engine:
        return Nothing(f"{base.root} answers, but not like an engine that toklane knows. Check the address.")
    entry = next((m for m in models if m["id"] == model), models[0] if models else {})
    conditions = _conditions(engine, props, entry)
    return Found(
        engine,
        base,
        model or _sent_model(engine, text(entry.get("id"))),
        tuple(_sent_model(engine, text(m["id"])) for m in models),
        conditions,
        has_tokenizer=engine == "llama.cpp",
        slots=count(conditions.get("slots")),
        context=count(conditions.get("context_length")),
        auth_needed=auth_needed,
        loading=health_answer.status == 503 or models_answer.status == 503,
    )


def _silence(base: Base, answers: list[Answer]) -> str:
    """What came instead of an answer; a server that is there is not asked for."""
    failed = next((answer for answer in answers if answer.error), Answer(0, error="no answer"))
    match failed.error_kind:
        case "refused":
            return f"Nothing answers at {base.root} (connection refused). Is the server running?"
        case "tls" | "unknown_host" | "other":
            why = failed.error.rstrip(".")
            return f"No engine can be heard at {base.root}: {why}. Check the address."
        case _:
            return f"Nothing answers at {base.root} ({failed.error}). Is the server running?"


def _object(answer: Answer) -> Object:
    return mapping(parsed_or_none(answer.body)) if answer.status == 200 else {}


def _engine(answers: list[Answer], props: Object, models: list[Object]) -> str:
    """The engine's name, empty when nothing speaks for one.

    Status alone proves nothing: LM Studio answers unknown paths with 200. MLX-LM names no owner; it must be
    known, since any model name but `default_model` makes it load another model.
    """
    servers = [answer.headers.get("server", "") for answer in answers]
    if "llama.cpp" in servers or ("build_info" in props and "default_generation_settings" in props):
        return "llama.cpp"
    if not models:
        return ""
    owner = text(models[0].get("owned_by"))
    if not owner and any(server.startswith("BaseHTTP/") for server in servers):
        return "mlx-lm"
    return _OWNERS.get(owner, "openai")


def _sent_model(engine: str, name: str) -> str:
    """What a request says as its model: for MLX-LM never a name, for llama.cpp (which ignores it) no path."""
    match engine:
        case "mlx-lm":
            return "default_model"
        case "llama.cpp":
            return shown_model(name)
        case _:
            return name


def _conditions(engine: str, props: Object, entry: Object) -> dict[str, object]:
    """What the engine tells about itself: `/props` of llama.cpp first, else its entry in `/v1/models`."""
    meta = mapping(entry.get("meta"))
    settings = mapping(props.get("default_generation_settings"))
    version = text(props.get("build_info"))
    lengths = (settings.get("n_ctx"), meta.get("n_ctx"), entry.get("max_model_len"))
    found: dict[str, object] = {
        "engine": engine,
        "engine_version": "" if "unknown" in version else version,
        "model": shown_model(text(entry.get("id")) or text(props.get("model_alias"))),
        "file": re.split(r"[/\\]", text(props.get("model_path")))[-1],
        "quantization": text(props.get("model_ftype")) or text(meta.get("ftype")),
        "parameters": count(meta.get("n_params")),
        "model_bytes": count(meta.get("size")),
        "context_length": next((n for n in map(count, lengths) if n), None),
        "slots": count(props.get("total_slots")),
        "sleeping": props.get("is_sleeping") if props.get("is_sleeping") is True else None,
    }
    return {key: value for key, value in found.items() if value not in (None, "")}
