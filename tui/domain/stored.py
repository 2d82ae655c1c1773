"""What the request keeps in memory: its KV cache computed, reserved and grown, and how much still fits."""

from __future__ import annotations

from dataclasses import dataclass, replace

from tui.domain.cost import PhaseCost
from tui.domain.costs import Costs
from tui.domain.gpu_use import working
from tui.domain.kv import headroom, kv_bytes, kv_token_bytes
from tui.domain.machine import Reading
from tui.domain.shape import ModelShape
from tui.domain.state import learned
from tui.domain.values import Provenance, Value, absent
from tui.domain.view import View

_RESERVING = ("llama.cpp", "ollama", "builtin")  # they hold the cache of the whole context from the start
_POOLING = ("vllm", "sglang", "trtllm", "lmdeploy")  # they hold a pool for all requests
_CACHED_BYTES_S = 1e6  # a load that reads less than this per second came out of the page cache


@dataclass(frozen=True, slots=True)
class Stored:
    """Bytes, but for `headroom`, tokens. `used`, `reserved` and `token` are computed; `grown` was read."""

    used: Value
    reserved: Value
    token: Value
    grown: Value
    headroom: Value


def cache_types(view: View) -> tuple[str, str]:
    """The types of keys and values in the cache, "" where the engine does not tell."""
    told = view.conditions.get
    keys, values = told("cache_type_k"), told("cache_type_v")
    return (keys if isinstance(keys, str) else ""), (values if isinstance(values, str) else "")


def stored(view: View, shape: ModelShape | None, last: Reading, prefill: PhaseCost | None) -> Stored:
    """The cache of this request; `last` is the newest reading of the machine."""
    types = cache_types(view)
    length = None if view.prompt_tokens is None else view.prompt_tokens + (view.tokens or 0)
    context = learned(view.conditions, "context_length")
    token = kv_token_bytes(shape, *types, at=max(length or 1, 1))
    why = "the engine told no prompt length"
    return Stored(
        used=absent("B", why) if length is None else kv_bytes(shape, length, *types),
        reserved=_reserved(view, shape, context, types),
        token=token,
        grown=_grown(prefill),
        headroom=_headroom(view, last, token, length, context),
    )


def _reserved(view: View, shape: ModelShape | None, context: int | None, types: tuple[str, str]) -> Value:
    engine = view.conditions.get("engine")
    pool = learned(view.conditions, "kv_bytes")
    if pool is not None:
        return Value(pool, "B", Provenance.MEASURED, "the engine's pool for all requests, by its own word")
    if engine in _POOLING:
        return absent("B", "this engine keeps one pool for all requests")
    if engine not in _RESERVING:
        return absent("B", "whether this engine reserves its cache is not known")
    if context is None:
        return absent("B", "the context of the engine is not told")
    each = kv_bytes(shape, context, *types)
    slots = learned(view.conditions, "slots") or 1
    if each.number is None:
        return each
    return replace(
        each, number=each.number * slots, note=f"{each.note} x {slots} slots" if slots > 1 else each.note
    )


def _grown(prefill: PhaseCost | None) -> Value:
    if prefill is None or prefill.vram_delta_bytes is None:
        return absent("B", "the GPU memory was not read at both edges of prefill")
    note = "GPU memory at the end of prefill - at its start; nothing where the engine reserved it before"
    return Value(prefill.vram_delta_bytes, "B", Provenance.DERIVED, note)


def _headroom(view: View, last: Reading, token: Value, length: int | None, context: int | None) -> Value:
    left = None if context is None or length is None else max(context - length, 0)
    engine = view.conditions.get("engine")
    if engine in _RESERVING:
        if left is None:
            return absent("tok", "the context or the prompt's length is not told")
        return Value(left, "tok", Provenance.DERIVED, "left of the context, whose memory is reserved")
    if engine in _POOLING:
        return absent("tok", "this engine keeps one pool for all requests")
    return headroom(_free(last), token, left)


def _free(last: Reading) -> int | None:
    """Memory that a growing cache can take: of the GPU, or of the RAM below a limit."""
    gpus = [gpu for gpu in working(last) if not gpu.unified]
    if gpus:
        free = [
            gpu.mem_total_bytes - gpu.mem_used_bytes - (gpu.mem_reserved_bytes or 0)
            for gpu in gpus
            if gpu.mem_total_bytes is not None and gpu.mem_used_bytes is not None
        ]
        return max(min(free), 0) if len(free) == len(gpus) else None
    known = [one for one in (last.ram_available_bytes, last.limit_available_bytes) if one is not None]
    known += [
        gpu.mem_budget_bytes - gpu.mem_used_bytes
        for gpu in working(last)
        if gpu.mem_budget_bytes is not None and gpu.mem_used_bytes is not None
    ]
    return max(min(known), 0) if known else None


def load_rate(view: View, costs: Costs) -> Value:
    """Bytes per second that the server read from disk while its model was loaded."""
    unit = "B/s"
    phase = view.phase("load")
    if phase is None:
        return absent(unit, "no model was loaded for this request")
    rate = costs.load_bytes_s(phase)
    if rate is None:
        return absent(unit, "what the server reads from disk can't be seen here")
    cached = rate < _CACHED_BYTES_S
    note = "from page cache" if cached else "read by the server / time of the load"
    return Value(rate, unit, Provenance.DERIVED, note)
