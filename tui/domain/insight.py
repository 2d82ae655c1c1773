"""What the readings of the machine say about one request: costs, estimates and a verdict for each phase."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from tui.domain.bandwidth import decode_bandwidth, plausible, share_of_peak, weights_read
from tui.domain.bound import verdict
from tui.domain.cost import PhaseCost
from tui.domain.costs import Costs
from tui.domain.evidence import Evidence, Verdict
from tui.domain.flops import flops_share, prefill_flops, ridge
from tui.domain.kv import kv_bytes
from tui.domain.machine import Reading
from tui.domain.memory_words import Word
from tui.domain.moments import Moment, Moments, moments
from tui.domain.per_token import joules_per_token, mj_per_prompt_token, tokens_per_wh
from tui.domain.shape import ModelShape, shape_from_conditions
from tui.domain.split import Split, split_of
from tui.domain.state import learned
from tui.domain.stored import Stored, cache_types, load_rate, stored
from tui.domain.values import Provenance, Value, absent
from tui.domain.view import View

_S = 1_000_000_000
_REMOTE = "server is on another machine"
AFTER_NS = 3 * _S  # a server that was killed is missed this long after its last token


@dataclass(frozen=True, slots=True)
class Insight:
    """A figure that can't be told is an absent Value with its reason. Costs and verdicts are None for a phase
    that did not happen."""

    prefill: PhaseCost | None
    decode: PhaseCost | None
    shape: ModelShape | None
    split: Split
    stored: Stored
    bandwidth: Value  # GB/s in decode
    bandwidth_pct: Value  # of the peak; measured where the GPU counts it itself
    flops: Value  # TFLOP/s in prefill
    flops_pct: Value
    ridge: Value  # tokens in flight
    load_rate: Value
    joules_per_token: Value
    mj_per_prompt_token: Value
    tokens_per_wh: Value
    prefill_verdict: Verdict | None
    decode_verdict: Verdict | None
    moments: Moments
    costs: Costs = field(default_factory=Costs, compare=False, repr=False)  # what was made of the readings


def insight(view: View, before: Insight | None = None) -> Insight:
    """The insight into one request as it stands. `before`: an earlier one of the same request, to go on from.

    With the server on another machine there are costs of this one, but no estimate and no verdict.
    """
    readings = view.samples
    last = readings[-1] if readings else Reading(view.now_ns)
    happened = moments(readings, view.phase("decode"), before.moments if before else None)
    costs = (before.costs if before else Costs()).going_on(readings)
    prefill, decode = (_cost(view, name, costs) for name in ("prefill", "decode"))
    shape = None if last.remote else shape_of_model(view, costs) or (before.shape if before else None)
    split = split_of(view.conditions, readings, shape, decode or prefill)
    bandwidth, bandwidth_pct = _bandwidth(view, shape, split, decode)
    flops, flops_pct = _flops(view, shape, split)
    told = Insight(
        prefill=prefill,
        decode=decode,
        shape=shape,
        split=split,
        stored=stored(view, shape, last, prefill),
        bandwidth=bandwidth,
        bandwidth_pct=bandwidth_pct,
        flops=flops,
        flops_pct=flops_pct,
        ridge=_ridge(shape, split),
        load_rate=load_rate(view, costs),
        joules_per_token=joules_per_token(decode, view.tokens),
        mj_per_prompt_token=mj_per_prompt_token(prefill, _processed(view)),
        tokens_per_wh=tokens_per_wh(decode, view.tokens),
        prefill_verdict=None,
        decode_verdict=None,
        moments=happened,
        costs=costs,
    )
    if last.remote:
        told = _elsewhere(told)
    return replace(
        told, prefill_verdict=_judge(view, told, prefill), decode_verdict=_judge(view, told, decode)
    )


def shape_of_model(view: View, costs: Costs) -> ModelShape | None:
    """By the header of the model file when it was read, else by what the engine told."""
    return costs.columns.model or shape_from_conditions(view.conditions)


def _cost(view: View, name: str, costs: Costs) -> PhaseCost | None:
    phase = view.phase(name)
    if phase is None or not view.samples:
        return None
    if name == "prefill" and phase.provenance is Provenance.ESTIMATED:
        return None  # its edges are a calibration's guess
    return costs.of(phase)


def _processed(view: View) -> int | None:
    if view.processed_tokens is not None or view.prompt_tokens is None or view.cached_tokens is None:
        return view.processed_tokens
    return max(view.prompt_tokens - view.cached_tokens, 0)


def _passes_per_s(view: View) -> float | None:
    """Passes over the weights per second: tokens/s, without those that were guessed ahead and taken."""
    known = (view.decode_engine, view.decode, view.decode_run)
    rate = next((rate.number for rate in known if rate.number is not None), None)
    if rate is None or not view.accepted_tokens or not view.tokens:
        return rate
    return rate * max(view.tokens - view.accepted_tokens, 0) / view.tokens


def _bandwidth(
    view: View, shape: ModelShape | None, split: Split, decode: PhaseCost | None
) -> tuple[Value, Value]:
    weights = weights_read(shape)
    mean_length = (view.prompt_tokens or 0) + (view.tokens or 0) // 2
    kv = kv_bytes(shape, mean_length, *cache_types(view)).number
    drafts = bool(view.conditions.get("speculative")) and view.accepted_tokens is None
    used = decode_bandwidth(weights, kv, _passes_per_s(view), drafts)
    pct = share_of_peak(used, split.gb_s, split.why or "the peak of this device is not known")
    if decode is not None and decode.dram_pct is not None:
        pct = Value(decode.dram_pct, "%", Provenance.MEASURED, "the GPU's own count of its memory traffic")
    return plausible(used, split.gb_s), pct


def _flops(view: View, shape: ModelShape | None, split: Split) -> tuple[Value, Value]:
    told_ns = view.told_ns.get("prefill")
    seconds = told_ns / _S if told_ns else None
    used = prefill_flops(shape, _processed(view), view.cached_tokens or 0, seconds)
    return plausible(used, split.tflops), flops_share(used, split.tflops)


def _ridge(shape: ModelShape | None, split: Split) -> Value:
    size = shape.weight_bytes if shape else None
    return ridge(split.tflops, split.gb_s, size, shape.active_params if shape else None)


def _judge(view: View, told: Insight, cost: PhaseCost | None) -> Verdict | None:
    phase = view.phase(cost.name) if cost else None
    if cost is None or phase is None:
        return None
    last = view.samples[-1]
    missed_ns = AFTER_NS if phase is (view.phase("decode") or phase) else 0
    return verdict(
        Evidence(
            cost=cost,
            remote=last.remote,
            troubles=_troubles(told.moments, phase.start_ns, phase.end_ns, missed_ns),
            gpu_read=bool(last.gpus),
            threads=_threads(view, last),
            bandwidth=told.bandwidth,
            bandwidth_pct=told.bandwidth_pct,
            peak_gb_s=told.split.gb_s,
            flops_pct=told.flops_pct,
            offload=told.split.text,
        )
    )


def _troubles(happened: Moments, start_ns: int, end_ns: int, missed_ns: int) -> tuple[Moment, ...]:
    return tuple(
        one
        for one in happened.marks
        if one.end_ns >= start_ns
        and one.start_ns <= end_ns + (missed_ns if one.word == Word.OOM_KILLED.value else 0)
    )


def _threads(view: View, last: Reading) -> int | None:
    """Threads that compute: by the engine's word, else all of the server's, at most one for each core."""
    told = learned(view.conditions, "threads")
    if told:
        return told
    known = [n for n in (last.cpu_cores, last.server.threads if last.server else None) if n]
    return min(known) if known else None


def _elsewhere(told: Insight) -> Insight:
    """All estimates off: the readings are of this computer, the request ran on another one."""
    kept = Stored(*(absent(unit, _REMOTE) for unit in ("B", "B", "B", "B", "tok")))
    units = {
        "bandwidth": "GB/s",
        "bandwidth_pct": "%",
        "flops": "TFLOP/s",
        "flops_pct": "%",
        "ridge": "tok",
        "load_rate": "B/s",
        "joules_per_token": "J/token",
        "mj_per_prompt_token": "mJ/token",
        "tokens_per_wh": "tok/Wh",
    }
    off = {name: absent(unit, _REMOTE) for name, unit in units.items()}
    split = Split(None, None, None, _REMOTE, absent("%", _REMOTE), absent("tok/s", _REMOTE))
    return replace(told, stored=kept, split=split, **off)  # type: ignore[arg-type]
