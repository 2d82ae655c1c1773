"""The run object of the JSON output: every key always there, null when not known, nothing rounded."""

from __future__ import annotations

from collections.abc import Mapping

from tui.domain.phases import Phase
from tui.domain.values import Provenance, Value
from tui.domain.view import View
from tui.report.machine import machine_object

_S = 1e9
_DURATIONS = ("load", "queue", "tokenize", "prefill", "decode", "unattributed")
_CONDITIONS = (
    "engine", "engine_version", "model", "file", "quantization", "parameters", "context_length", "slots",
    "batch", "gpu_share", "kv_tokens", "kv_bytes", "prompt_tokens_asked", "answer_limit", "cache_mode",
    "profile", "rivals", "sampling", "connection", "certificate", "start_time",
    "timings_note",
)  # fmt: skip


def run_object(view: View) -> dict[str, object]:
    """One run with the keys of the product's JSON; times in seconds since sent, rates in tok/s."""
    return {
        "ttft_s": view.ttft.number,
        "first_answer_s": view.first_answer.number,
        "last_token_s": view.last_token.number,
        "tokens": view.tokens,
        "chunks": view.chunks,
        "decode_tok_s": view.decode.number,
        "server_decode_tok_s": view.decode_engine.number,
        "prefill_tok_s": view.prefill.number,
        "cached_tokens": view.cached_tokens,
        "prompt_tokens": view.prompt_tokens,
        "reasoning_tokens": view.reasoning_tokens,
        "answer_text": str(view.answer),
        "reasoning_text": str(view.reasoning),
        "tool_calls": [{"name": t.name, "arguments": t.arguments} for t in view.tools],
        "finish_reason": view.finish_reason,
        **{f"{name}_s": _seconds(view, name) for name in _DURATIONS},
        "decode_reliable": _reliable(view.decode),
        "prefill_reliable": _reliable(view.prefill),
        "complete": view.complete,
        "error": _error(view),
        "warnings": sorted(view.warnings),
        "phases": [_phase(p) for p in view.phases],
        "total_s": None if view.total_ns is None else view.total_ns / _S,
        "gap_ms": _gaps(view),
        "stalls": [
            {"at_token": s.at_token if s.counted else None, "at_s": s.end_ns / _S, "gap_ms": s.gap_ns / 1e6}
            for s in view.stalls
        ],
        "conditions": _conditions(view),
        "machine": machine_object(view),
        "clock": _clock(view),
    }


def _seconds(view: View, name: str) -> float | None:
    """By the engine's own word where it says one, else the phase as it was seen."""
    if name in view.told_ns:
        return view.told_ns[name] / _S
    phase = view.phase(name)
    if phase is None or (name == "prefill" and phase.provenance is Provenance.ESTIMATED):
        return None  # by a calibration: that stands among the phases alone
    return phase.duration_ns / _S


def _reliable(value: Value) -> bool | None:
    return value.reliable if value.known else None


def _phase(phase: Phase) -> dict[str, object]:
    return {
        "name": phase.name,
        "start_s": phase.start_ns / _S,
        "end_s": phase.end_ns / _S,
        "provenance": phase.provenance.value,
        "source": phase.source,
    }


def _error(view: View) -> dict[str, object] | None:
    failed = view.failure
    if failed is None:
        return None
    return {
        "kind": failed.kind.value,
        "status": failed.status,
        "message": failed.whole,
        "retry_after_s": failed.retry_after_s,
        "remedy": failed.remedy or None,
    }


def _gaps(view: View) -> dict[str, object]:
    gaps = view.gaps

    def ms(ns: float | None) -> float | None:
        return None if ns is None else ns / 1e6

    return {"p50": ms(gaps.p50_ns), "p95": ms(gaps.p95_ns), "max": ms(gaps.max_ns), "n": gaps.n}


def _conditions(view: View) -> dict[str, object]:
    told: Mapping[str, object] = view.conditions
    return {key: told.get(key) for key in _CONDITIONS} | {
        "prompt_tokens": view.prompt_tokens,
        "reuse_seen": view.cached_tokens,
    }


def _clock(view: View) -> dict[str, object]:
    clock = view.clock

    def ms(ns: int | None) -> float | None:
        return None if ns is None else ns / 1e6

    return {
        "source": clock.source,
        "delay_ms": {"p50": ms(clock.p50_ns), "p99": ms(clock.p99_ns), "max": ms(clock.max_ns)},
        "merged_share": clock.merged_share,
        "late": clock.late,
        "late_reason": clock.why or None,
    }
