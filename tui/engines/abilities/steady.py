"""Engines and services that tell the same however they were started."""

from __future__ import annotations

from collections.abc import Mapping

from tui.engines.abilities.ability import Ability, derived, estimated, filled, measured, missing, observed
from tui.engines.abilities.flagged import ALONE

_REST = "what is before prefill is one wait"
_ALL_ONE = "queue, tokenize and prefill are one wait"
_USAGE = measured("cached_tokens", "its usage counts, where it sends them")
_UNKNOWN_LOAD = missing("load", "inside the wait, if a request loads")
_TRIALS = "`toklane run --calibrate` estimates the split (≈)"
_ONE_WAIT = tuple(missing(name, _ALL_ONE, _TRIALS) for name in ("queue", "tokenize", "prefill"))
_BEFORE = (missing("queue", _REST), missing("tokenize", _REST))
_ONLY_ONE = "if no other ran meanwhile"

_LLAMA = filled(
    estimated("load", "sent to response head", "if it was put away"),
    estimated("queue", "the wait before it began, less tokenize"),
    estimated("tokenize", "the same prompt tokenized just before"),
    measured("prefill", "prompt_ms in its timings"),
    measured("decode", "predicted_ms in its timings"),
    measured("tokens", "predicted_n, in each event"),
    measured("cached_tokens", "cache_n in its timings"),
    measured("progress", "prompt_progress, each batch (-b, -ub)"),
)
_MLX = filled(
    missing("load", "load, queue and tokenize are one wait"),
    missing("queue", "load, queue and tokenize are one wait"),
    missing("tokenize", "load, queue and tokenize are one wait"),
    observed("prefill", "response head to the first token"),
    measured("cached_tokens", "its usage counts, at the end"),
    measured(
        "progress",
        "its keep-alive comments, one a step",
        "",
        "finer: start mlx_lm.server with --prefill-step-size 256",
    ),
)
_MLX_VLM = filled(
    _UNKNOWN_LOAD,
    *_BEFORE,
    measured("prefill", "prompt_ms in its timings"),
    derived("decode", "tokens by rate", "without drafts"),
    _USAGE,
)
_KOBOLD = filled(
    *_BEFORE,
    measured("prefill", "/api/extra/perf", _ONLY_ONE),
    measured("decode", "/api/extra/perf", _ONLY_ONE),
)
_TGI = filled(
    *(measured(name, "its histograms", ALONE) for name in ("queue", "tokenize", "prefill", "decode"))
)
_LMDEPLOY = filled(
    *(measured(name, "its histograms", ALONE) for name in ("queue", "prefill", "decode")),
    missing("tokenize", "in what is left over"),
    _USAGE,
)
_EXO = filled(
    _UNKNOWN_LOAD,
    *_BEFORE,
    derived("prefill", "tokens by rate", "when nothing was reused"),
    _USAGE,
    measured("progress", "its comments prefill_progress"),
)
_MISTRAL = filled(
    _UNKNOWN_LOAD,
    *_BEFORE,
    measured("prefill", "total_prompt_time_sec"),
    measured("decode", "total_completion_time_sec"),
)
_OMLX = filled(
    measured("load", "model_load_duration", "when it has to load"),
    missing("queue", "in what is left over"),
    missing("tokenize", "in what is left over"),
    measured("prefill", "prompt_eval_duration"),
    measured("decode", "generation_duration"),
    _USAGE,
)
_LEMONADE = filled(
    _UNKNOWN_LOAD,
    *_BEFORE,
    measured("prefill", "its backend's timings", "with llama.cpp"),
    measured("decode", "its backend's timings", "with llama.cpp"),
    measured("cached_tokens", "its timings, or /v1/stats"),
)
_LLAMAFILER = filled(
    *_BEFORE,
    observed("prefill", "its first report to the first token"),
    measured("progress", "x_prefill_progress, a share"),
)
_TIMED = filled(
    measured("queue", "queue_time in its last chunk"),
    missing("tokenize", "in what is left over"),
    measured("prefill", "prompt_time in its last chunk"),
    measured("decode", "completion_time in its last chunk"),
    _USAGE,
)
_FIREWORKS = filled(
    *(
        measured(name, "perf_metrics in its last chunk")
        for name in ("queue", "tokenize", "prefill", "decode")
    ),
    _USAGE,
)
_COUNTS = measured("tokens", "its usage counts, where it sends them")
_PLAIN = filled(_UNKNOWN_LOAD, *_ONE_WAIT, _COUNTS, _USAGE)

STEADY: Mapping[str, tuple[Ability, ...]] = {
    "llama.cpp": _LLAMA,
    "embedded": _LLAMA,
    "mlx-lm": _MLX,
    "mlx-vlm": _MLX_VLM,
    "koboldcpp": _KOBOLD,
    "tgi": _TGI,
    "lmdeploy": _LMDEPLOY,
    "exo": _EXO,
    "mistralrs": _MISTRAL,
    "omlx": _OMLX,
    "lemonade": _LEMONADE,
    "llamafiler": _LLAMAFILER,
    "ovms": filled(*_ONE_WAIT),
    "groq": _TIMED,
    "cerebras": _TIMED,
    "fireworks": _FIREWORKS,
    "llama-cpp-python": filled(
        *_ONE_WAIT,
        missing("load", "at its start"),
        missing("tokens", "not counted in streams"),
        missing("cached_tokens", "not told"),
    ),
    "openai": _PLAIN,
}
