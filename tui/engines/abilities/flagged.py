"""Engines that tell more when they are started for it, or from some version on."""

from __future__ import annotations

from tui.engines.abilities.ability import (
    Ability,
    Case,
    derived,
    estimated,
    filled,
    measured,
    missing,
    observed,
)

ALONE = "while it is alone"
ALSO = "beside other requests too: "
_ONE_WAIT = "queue and prefill are one wait"
_ALL_ONE = "queue, tokenize and prefill are one wait"
_LONG = "when long"
_HEAD = "sent to response head"
_COUNTERS = "growth of its counters"
_VLLM_FLAGS = "--enable-per-request-metrics --enable-prompt-tokens-details"
_SGLANG_FLAGS = "--enable-metrics --enable-cache-report"


def vllm(case: Case) -> tuple[Ability, ...]:
    """vLLM, also inside NIM 2: its stream's metrics, else its counters, else one wait."""
    remedy = _vllm_remedy(case)
    counters = case.on("metrics")
    also = f"{ALSO}{remedy}" if counters else remedy
    if case.on("per_request"):
        told = [measured(name, "metrics in its stream") for name in ("queue", "prefill", "decode")]
    elif counters:
        told = [measured(name, _COUNTERS, ALONE, also) for name in ("queue", "prefill")]
        told.append(measured("decode", _COUNTERS, ALONE))
    else:
        told = [missing(name, _ONE_WAIT, remedy) for name in ("queue", "prefill")]
    if case.on("cache_report"):
        cached = measured("cached_tokens", "its usage counts")
    elif counters:
        cached = measured("cached_tokens", "its cache's counters", ALONE)
    else:
        cached = missing("cached_tokens", "off by default", remedy)
    progress = missing("progress", "no counters", "its counters; it runs with --disable-log-stats")
    if counters:
        progress = estimated("progress", "its KV cache in use", ALONE)
    elif "metrics" not in case.features:
        progress = missing("progress", "no counters were seen")
    return filled(
        observed("tokenize", _HEAD),
        *told,
        measured("tokens", "a running count in each chunk"),
        cached,
        progress,
    )


def _vllm_remedy(case: Case) -> str:
    if case.engine == "nim-vllm":
        return f'start NIM with NIM_PASSTHROUGH_ARGS="{_VLLM_FLAGS}"'
    newer = "take vLLM 0.25 or newer and " if case.older(0, 25, 0) else ""
    return f"{newer}start vLLM with {_VLLM_FLAGS}" + ("" if case.version else " (0.25 or newer)")


def sglang(case: Case) -> tuple[Ability, ...]:
    """SGLang's chat, also inside NIM 2: its head comes with the first token, so only counters split it."""
    name = "NIM" if case.engine == "nim-sglang" else "SGLang"
    remedy = f"start {name} with {_SGLANG_FLAGS}"
    counters = case.on("metrics")
    if counters:
        told = [
            measured("queue", _COUNTERS, ALONE),
            derived("tokenize", "the rest of TTFT", ALONE),
            measured("prefill", _COUNTERS, ALONE),
        ]
    else:
        told = [missing(phase, _ALL_ONE, remedy) for phase in ("queue", "tokenize", "prefill")]
    cached = missing("cached_tokens", "off by default", remedy)
    if case.on("cache_report"):
        cached = measured("cached_tokens", "its usage counts")
    elif counters:
        always = f"{ALSO}start {name} with --enable-cache-report"
        cached = measured("cached_tokens", _COUNTERS, ALONE, always)
    return filled(*told, measured("tokens", "a running count in each chunk"), cached)


def trtllm(case: Case) -> tuple[Ability, ...]:
    """TensorRT-LLM: its record of the request, where it keeps records."""
    remedy = (
        "return_perf_metrics: true and perf_metrics_max_requests: 256 in the YAML file of trtllm-serve"
        " (--config; older: --extra_llm_api_options)"
    )
    tokens = measured("tokens", "a running count in each chunk")
    cached = measured("cached_tokens", "its usage counts")
    if case.on("per_request"):
        phases = ("queue", "tokenize", "prefill", "decode")
        return filled(*(measured(name, "its record in /perf_metrics") for name in phases), tokens, cached)
    return filled(
        observed("tokenize", _HEAD),
        *(missing(name, _ONE_WAIT, remedy) for name in ("queue", "prefill")),
        tokens,
        cached,
    )


def nim(case: Case) -> tuple[Ability, ...]:
    """NIM 1.x: the stats object of each answer, off by default."""
    remedy = "start NIM with -e NIM_PER_REQ_METRICS_ENABLE=1 (1.x)"
    if not case.on("per_request"):
        return filled(*(missing(name, _ALL_ONE, remedy) for name in ("queue", "tokenize", "prefill")))
    return filled(
        measured("queue", "its stats", "with vLLM inside"),
        missing("tokenize", "in what is left over"),
        measured("prefill", "its stats"),
        derived("decode", "its stats: gaps × tokens"),
    )


def ollama(case: Case) -> tuple[Ability, ...]:
    """Ollama's last record; a wait in its scheduler is inside load_duration, one for a slot in the rest."""
    cached = measured("cached_tokens", "prompt_eval_cached_count", "" if case.version else "from 0.33.3 on")
    if case.older(0, 33, 3):
        cached = missing("cached_tokens", "not told before 0.33.3", "take Ollama 0.33.3 or newer")
    return filled(
        measured("load", "load_duration", "when it was not in memory"),
        estimated("queue", "the rest of total_duration", _LONG),
        missing("tokenize", "in the rest of total_duration"),
        measured("prefill", "prompt_eval_duration, at the end"),
        measured("decode", "eval_duration, at the end"),
        measured("tokens", "eval_count, at the end"),
        cached,
        missing("progress", "nothing comes before the first token"),
    )


def lmstudio(case: Case) -> tuple[Ability, ...]:
    """LM Studio's own chat where the server has it; its OpenAI route tells no phase."""
    if case.features.get("native_chat") is False:
        remedy = "take LM Studio 0.4.0 or newer: its own API tells it"
        return filled(
            *(missing(name, _ALL_ONE, remedy) for name in ("load", "queue", "tokenize", "prefill")),
            missing("progress", "only its own API tells it", remedy),
        )
    return filled(
        measured("load", "its load events", "when it has to load"),
        estimated("queue", "sent to prompt_processing.start", _LONG),
        missing("tokenize", "with the queue in one wait"),
        observed("prefill", "its events at our clock"),
        measured("tokens", "its stats, at the end"),
        missing("cached_tokens", "no version tells it"),
        measured("progress", "its events, as a share of the prompt"),
    )
