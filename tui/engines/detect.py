"""Which engine answers at an address, by evidence: questions, none of which changes anything there.

A port that is only looked at gets nothing but GETs. Ollama describes a model only to a POST: that one is sent
where the person chose the engine.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from urllib.parse import urlsplit

from tui.domain.values import count
from tui.engines import gateways
from tui.engines.asking import Ask, Asking
from tui.engines.evidence import (
    koboldcpp,
    lemonade,
    litellm,
    llamacpp,
    lmstudio,
    mlx,
    nim,
    ollama,
    others,
    ovms,
    sglang,
    tgi,
    vllm,
)
from tui.engines.evidence.heard import MODELS, Heard
from tui.engines.evidence.kind import Facts, Kind, Wish, pick
from tui.engines.failures import one_line, without_secrets
from tui.engines.found import Found, Model, Nothing
from tui.engines.shapes import mapping, parsed_or_none
from tui.engines.urls import Base

__all__ = ["Found", "Model", "Nothing", "detect"]

# Those that answer like others come before them; Ollama, whom most copy, is last.
_KINDS: Sequence[Kind] = (
    others.LLAMAFILER,
    llamacpp.KIND,
    koboldcpp.KIND,
    lmstudio.KIND,
    lemonade.KIND,
    others.EXO,
    nim.KIND,
    sglang.KIND,
    others.TRTLLM,
    others.LMDEPLOY,
    others.OMLX,
    others.MLX_VLM,
    others.LLAMA_CPP_PYTHON,
    others.MISTRALRS,
    tgi.KIND,
    vllm.KIND,
    mlx.KIND,
    ovms.KIND,
    litellm.KIND,
    ollama.KIND,
)
_ROUNDS = 3  # of asking for a description: each may depend on the one before
_PATIENCE_S = 2.0
_FAR_PATIENCE_S = 5.0  # a greeting of its own comes before the first answer
_LOOK_S = 0.3
_USERINFO = re.compile(r"//[^/?#]*@")


def detect(base: Base, model: str = "", chosen: bool = True) -> Asking[Found | Nothing]:
    """Ask at one address; `model` is the one the person wants, else one that is loaded, else the first.

    Far away the first of many is nobody's wish, and may cost money: there none is taken.
    chosen: the person named this address. Then it is asked for all that marks an engine; a port that is only
    looked at is asked on where its list of models looks like one.
    """
    far = base.root.startswith("https:")
    heard = Heard(_LOOK_S if not chosen else _FAR_PATIENCE_S if far else _PATIENCE_S)
    service = gateways.service(urlsplit(base.root).hostname or "")
    yield from heard.ask([Ask("GET", MODELS)])
    if heard.silent:
        return Nothing(_silence(base, heard), heard.failure.error_kind == "timeout")
    if service:
        return _hosted(service, base, heard, model)
    kind = yield from _kind(heard, chosen)
    if kind is None:
        return Nothing(_stranger(base, heard))
    wish = Wish(model, chosen)
    for _ in range(_ROUNDS):
        yield from heard.ask(kind.more(heard, wish))
    return _found(kind, base, heard, model)


def _kind(heard: Heard, chosen: bool) -> Asking[Kind | None]:
    """First what the list of models makes likely is proven, then any engine's marks are looked for."""
    likely = [kind for kind in _KINDS if kind.likely(heard)]
    yield from heard.ask(_marks(likely))
    known = next((kind for kind in likely if kind.known(heard)), None)
    if known is not None:
        return known
    if not (chosen or _looks_like_one(heard)):
        return None
    yield from heard.ask(_marks([kind for kind in _KINDS if kind.wide]))
    known = next((kind for kind in _KINDS if kind.known(heard)), None)
    if known is None and (heard.models or heard.denied):
        return others.OPENAI
    return known


def _marks(kinds: Sequence[Kind]) -> list[Ask]:
    return [Ask("GET", path) for path in dict.fromkeys(path for kind in kinds for path in kind.marks)]


def _looks_like_one(heard: Heard) -> bool:
    """A page, or a path that is not there, is no engine's: a stranger is not asked for more."""
    answer = heard.answer(MODELS)
    json = isinstance(parsed_or_none(answer.body), (dict, list))
    return heard.denied or (answer.status in (200, 503) and json)


def _hosted(service: str, base: Base, heard: Heard, model: str) -> Found | Nothing:
    """A hosted service is known by its address; its list of models may need a key."""
    if heard.models or heard.denied or model:
        return _found(others.OPENAI, base, heard, model, service)
    status = heard.answer(MODELS).status
    return Nothing(f"{base.root} answers with status {status} and no models. Name one with --model.")


def _stranger(base: Base, heard: Heard) -> str:
    """What answered is no engine; a redirect tells where one may be."""
    answer = heard.answer(MODELS)
    target = one_line(answer.headers.get("location", "")) if 300 <= answer.status < 400 else ""
    shown = without_secrets(_USERINFO.sub("//", target).partition("?")[0])
    if shown:
        return f"{base.root} redirects to {shown}. Give the engine's own address."
    if answer.status == 200 and mapping(parsed_or_none(answer.body)).get("data") == []:
        return f"{base.root} lists no models. Load one there first."
    return f"{base.root} answers, but not like an engine that toklane knows. Check the address."


def _silence(base: Base, heard: Heard) -> str:
    """What came instead of an answer; a server that is there is not asked for."""
    failed = heard.failure
    match failed.error_kind:
        case "refused":
            return f"Nothing answers at {base.root} (connection refused). Is the server running?"
        case "tls" | "unknown_host" | "other":
            why = failed.error.rstrip(".")
            return f"No engine can be heard at {base.root}: {why}. Check the address."
        case "timeout" if "answer" in failed.error:  # a connection was taken
            return f"Nothing answers at {base.root} ({failed.error}), but something is there. Is it busy?"
        case _:
            return f"Nothing answers at {base.root} ({failed.error}). Is the server running?"


def _found(kind: Kind, base: Base, heard: Heard, wanted: str, name: str = "") -> Found:
    facts = kind.facts(heard)
    engine = name or facts.engine or kind.engine
    anyone = wanted or engine not in (*gateways.NAMES, others.OPENAI.engine) or len(facts.models) < 2
    model = pick(facts.models, wanted) if anyone or not base.root.startswith("https:") else Model("")
    told = _conditions(engine, facts, model) | dict(kind.of_chosen(heard, model.name))
    conditions = {key: value for key, value in told.items() if value not in (None, "")}
    return Found(
        engine,
        base,
        model.name,
        facts.models,
        conditions,
        slots=count(conditions.get("slots")),
        context=count(conditions.get("context_length")),
        auth_needed=heard.denied or facts.denied,
        loading=facts.loading,
        features=facts.features,
        api=facts.api,
    )


def _conditions(engine: str, facts: Facts, model: Model) -> dict[str, object]:
    """The model's own facts, then what the engine tells; what is not told is left out later."""
    told: dict[str, object] = {
        "engine": engine,
        "engine_version": facts.version,
        "model": model.label,
        "quantization": model.quantization,
        "parameters": model.parameters,
        "model_bytes": model.size_bytes,
        "context_length": model.context,
        "context_trained": model.context_most,
    }
    return told | {key: value for key, value in facts.conditions.items() if value not in (None, "")}
