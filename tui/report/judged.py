"""What is derived from the readings of the machine: estimates, energy by token, marks and two verdicts."""

from __future__ import annotations

from dataclasses import fields

from tui.domain.cost import PhaseCost
from tui.domain.evidence import Verdict
from tui.domain.insight import Insight
from tui.domain.moments import Moment
from tui.domain.shape import shape_raw
from tui.domain.values import Value

_S = 1e9
_FIGURES = (
    "bandwidth", "bandwidth_pct", "flops", "flops_pct", "ridge", "load_rate",
    "joules_per_token", "mj_per_prompt_token", "tokens_per_wh",
)  # fmt: skip


def judged(told: Insight) -> dict[str, object]:
    """`estimates`: by name, with unit, provenance and formula or reason; `marks`; `verdict` by phase."""
    named = {name: getattr(told, name) for name in _FIGURES}
    named |= {
        f"kv_{f.name}": getattr(told.stored, f.name) for f in fields(told.stored) if f.name != "headroom"
    }
    named |= {
        "headroom": told.stored.headroom,
        "offload_pct": told.split.offload,
        "ceiling": told.split.ceiling,
    }
    peak = told.split.peak
    return {
        "estimates": {name: _value(value) for name, value in named.items()},
        "peak": None
        if peak is None
        else {
            "device": peak.name,
            "gb_s": peak.gb_s,
            "tflops": peak.tflops,
            "source": peak.source,
            "confidence": peak.confidence,
        },
        "model": None if told.shape is None else shape_raw(told.shape),
        "marks": [_mark(mark) for mark in told.moments.marks],
        "verdict": {"prefill": _verdict(told.prefill_verdict), "decode": _verdict(told.decode_verdict)},
    }


def _value(value: Value) -> dict[str, object]:
    return {
        "value": value.number,
        "unit": value.unit,
        "provenance": value.provenance.value,
        "note": value.note or None,
        "reliable": value.reliable,
    }


def _mark(mark: Moment) -> dict[str, object]:
    return {
        "start_s": mark.start_ns / _S,
        "end_s": mark.end_ns / _S,
        "word": mark.word,
        "level": mark.level,
        "source": mark.source,
        "evidence": mark.why or None,
    }


def _verdict(verdict: Verdict | None) -> dict[str, object] | None:
    if verdict is None:
        return None
    return {"word": verdict.word, "evidence": verdict.evidence, "level": verdict.level}


def cost_object(cost: PhaseCost) -> dict[str, object]:
    """One phase's cost; a lower bound of the GPU's use has a key of its own: it is no mean."""
    same = (
        "name", "cpu_pct", "server_cpu_pct", "thread_pct", "gpu_min_pct", "gpu_max_pct", "power_w",
        "power_limit_w",
        "dram_pct", "sm_mhz", "sm_max_mhz", "pcie_rx_bytes_s", "pcie_tx_bytes_s",
        "vram_delta_bytes", "mem_delta_bytes",
        "rss_delta_bytes", "read_bytes", "read_bytes_s", "disk_read_bytes_s", "swap_in_bytes_s",
        "refault_bytes_s", "major_faults", "stall_ms", "io_stall_ms", "energy_j", "energy_about",
    )  # fmt: skip
    return {name: getattr(cost, name) for name in same} | {
        "gpu_pct": None if cost.gpu_at_least else cost.gpu_pct,
        "gpu_at_least_pct": cost.gpu_pct if cost.gpu_at_least else None,
        "gpu_each_pct": list(cost.gpu_each),
        "gpu_reason": cost.gpu_why or None,
        "gpu_window_s": cost.gpu_window_ns / _S,
        "throttle": None
        if cost.throttle is None
        else {"word": cost.throttle.word, "share": cost.throttle_share, "counted": cost.throttle_counted},
    }
