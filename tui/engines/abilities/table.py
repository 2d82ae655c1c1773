"""The one table of what each engine tells; doctor and the monitor's hatched wait both read it."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from tui.engines.abilities import flagged
from tui.engines.abilities.ability import Ability, Case, Version
from tui.engines.abilities.steady import STEADY
from tui.engines.found import Found

_FLAGGED: Mapping[str, Callable[[Case], tuple[Ability, ...]]] = {
    "vllm": flagged.vllm,
    "nim-vllm": flagged.vllm,
    "sglang": flagged.sglang,
    "nim-sglang": flagged.sglang,
    "trtllm": flagged.trtllm,
    "tensorrt-llm": flagged.trtllm,
    "nim": flagged.nim,
    "ollama": flagged.ollama,
    "lmstudio": flagged.lmstudio,
    "lm-studio": flagged.lmstudio,
}
_LLAMA_COUNTS = "POST /v1/chat/completions/input_tokens; older builds /apply-template, /tokenize"
# Who counts the tokens of a prompt without running it, and how.
COUNTERS: Mapping[str, str] = {
    "llama.cpp": _LLAMA_COUNTS,
    "embedded": _LLAMA_COUNTS,
    "vllm": "POST /tokenize",
    "nim-vllm": "POST /tokenize",
}
_CAUTIONS: Mapping[str, str] = {
    "trtllm": "each request reads /perf_metrics, which takes the records from other readers",
    "lmstudio": "requests with a seed go by the OpenAI route, which tells no phase",
    "lmdeploy": "started with --disable-metrics it tells no phase",
    "mlx-lm": "a seed takes a request off its batched path: it waits for the others, and they for it",
    "mlx-vlm": "a model's name that it can't load puts away the model it has loaded",
    "litellm": "the engine behind a name may be any, and cost money",
    "llama-cpp-python": "a new request, such as a rival, breaks off the one that runs",
}
_WAITS = ("queue", "prefill", "tokenize")


def abilities(case: Case) -> tuple[Ability, ...]:
    """All phases and counts of an engine, each once and in order."""
    name = case.engine.lower()
    if name in _FLAGGED:
        return _FLAGGED[name](case)
    return STEADY.get(name, STEADY["openai"])


def case_of(found: Found) -> Case:
    """An engine as detection found it."""
    return Case(found.engine, version_of(found.version), found.features)


def version_of(words: str) -> Version | None:
    """The first three numbers of a version, None for what has no such beginning."""
    told = re.match(r"v?(\d{1,4})\.(\d{1,4})(?:\.(\d{1,4}))?", words)
    return (int(told[1]), int(told[2]), int(told[3] or 0)) if told else None


def caution(engine: str) -> str:
    """What a person should know before a request is sent there; mostly empty."""
    return _CAUTIONS.get(engine.lower(), "")


def remedy_of_wait(conditions: Mapping[str, object]) -> str:
    """What would split a hatched wait of this run's engine; empty where nothing is known to."""
    engine, version = conditions.get("engine"), conditions.get("engine_version")
    if not isinstance(engine, str):
        return ""
    kept = conditions.get("timings_kept") is True  # but they were not this request's alone
    features = {"metrics": kept, "per_request": kept and engine == "trtllm"}
    case = Case(engine, version_of(version) if isinstance(version, str) else None, features)
    told = {ability.name: ability for ability in abilities(case)}
    return next((remedy for name in _WAITS if (remedy := told[name].remedy)), "").removeprefix(flagged.ALSO)
