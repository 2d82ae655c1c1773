"""The costs and limits of a request that can be explained, each with its definition and its value."""

from __future__ import annotations

from collections.abc import Callable

from tui.app.panels.spent import marked
from tui.app.screens.evidence import Number
from tui.domain.cost import PhaseCost
from tui.domain.evidence import Verdict
from tui.domain.insight import Insight
from tui.domain.values import Provenance, Value, absent
from tui.plot.numbers import count, percent, size, three, throughput
from tui.settings.definitions import BY_NAME

_NO_PHASE = "it did not happen, or nothing was read during it"


def costs(told: Insight | None) -> tuple[Number, ...]:
    """In the order of the definitions; none while no request was watched."""
    if told is None:
        return ()
    kept = told.stored
    return (
        _use(told),
        _power(told),
        _energy(told),
        _figure("joules_per_token", told.joules_per_token, lambda n: f"{three(n)} J"),
        _figure("mj_per_prompt_token", told.mj_per_prompt_token, lambda n: f"{three(n)} mJ"),
        _figure("tokens_per_wh", told.tokens_per_wh, lambda n: f"{count(round(n))} tokens"),
        _figure("bandwidth", told.bandwidth, lambda n: f"{three(n)} GB/s"),
        _figure("bandwidth_pct", told.bandwidth_pct, percent),
        _figure("flops", told.flops, lambda n: f"{three(n)} TFLOP/s"),
        _figure("flops_pct", told.flops_pct, percent),
        _figure("ridge", told.ridge, lambda n: f"{count(round(n))} tokens"),
        _figure("kv_used", kept.used, size),
        _figure("kv_reserved", kept.reserved, size),
        _figure("headroom", kept.headroom, lambda n: f"{count(round(n))} tokens"),
        _figure("offload", told.split.offload, percent),
        _figure("ceiling", told.split.ceiling, lambda n: f"{three(n)} tok/s"),
        _figure("load_rate", told.load_rate, throughput),
        _held_back(told),
        _verdict("verdict_prefill", told.prefill_verdict),
        _verdict("verdict_decode", told.decode_verdict),
    )


def _figure(name: str, value: Value, shown: Callable[[float], str]) -> Number:
    return Number(BY_NAME[name], value, marked(value, shown) if value.known else "")


def _costs(told: Insight) -> list[PhaseCost]:
    return [cost for cost in (told.decode, told.prefill) if cost is not None]


def _use(told: Insight) -> Number:
    """Of decode, else of prefill."""
    cost = next((one for one in _costs(told) if one.gpu_pct is not None), None)
    if cost is None or cost.gpu_pct is None:
        why = next((one.gpu_why for one in _costs(told) if one.gpu_why), "no GPU was read")
        return Number(BY_NAME["phase_use"], absent("%", why))
    shown = f"{'≥ ' * cost.gpu_at_least}{percent(cost.gpu_pct)}"
    band = (
        f"{cost.name}, between {percent(cost.gpu_min_pct)} and {percent(cost.gpu_max_pct)}"
        if cost.gpu_min_pct is not None and cost.gpu_max_pct is not None
        else f"{cost.name}, shorter than two of the driver's windows of {cost.gpu_window_ns / 1e9:.1f} s"
    )
    return Number(BY_NAME["phase_use"], Value(cost.gpu_pct, "%", Provenance.MEASURED, band), shown)


def _power(told: Insight) -> Number:
    cost = next((one for one in _costs(told) if one.power_w is not None), None)
    if cost is None or cost.power_w is None:
        return Number(
            BY_NAME["phase_power"], absent("W", "no GPU power was read, or the phases were too short")
        )
    of = f" of {cost.power_limit_w:,.0f} W" if cost.power_limit_w else ""
    value = Value(cost.power_w, "W", Provenance.MEASURED, f"of {cost.name}")
    return Number(BY_NAME["phase_power"], value, f"{cost.power_w:,.0f} W{of}")


def _energy(told: Insight) -> Number:
    cost = next((one for one in _costs(told) if one.energy_j is not None), None)
    if cost is None or cost.energy_j is None:
        return Number(BY_NAME["energy"], absent("J", told.joules_per_token.note or _NO_PHASE))
    origin = Provenance.ESTIMATED if cost.energy_about else Provenance.MEASURED
    value = Value(cost.energy_j, "J", origin, f"of {cost.name}", reliable=not cost.energy_about)
    return Number(BY_NAME["energy"], value, f"{'~ ' * cost.energy_about}{count(round(cost.energy_j))} J")


def _held_back(told: Insight) -> Number:
    cost = next((one for one in _costs(told) if one.throttle is not None), None)
    if cost is None or cost.throttle is None or cost.throttle_share is None:
        return Number(BY_NAME["held_back"], absent("%", "no GPU ran below its clock, or none tells so"))
    share = 100 * cost.throttle_share
    value = Value(
        share, "%", Provenance.MEASURED, f"{cost.throttle.word} in {cost.name}", cost.throttle_counted
    )
    return Number(BY_NAME["held_back"], value, percent(share))


def _verdict(name: str, verdict: Verdict | None) -> Number:
    """A verdict is no number: its words stand in the place of one."""
    if verdict is None:
        return Number(BY_NAME[name], absent("", _NO_PHASE))
    if verdict.word == "no verdict":
        return Number(BY_NAME[name], absent("", verdict.evidence))
    return Number(BY_NAME[name], Value(0, "", Provenance.ESTIMATED, verdict.evidence), verdict.word)
