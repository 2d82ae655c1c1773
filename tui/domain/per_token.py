"""Energy of the GPU boards by token: without processor and power supply, with whoever else uses them."""

from __future__ import annotations

from tui.domain.cost import PhaseCost
from tui.domain.flow import SECOND_NS
from tui.domain.values import Provenance, Value, absent

WH_J = 3600


def joules_per_token(cost: PhaseCost | None, tokens: int | None) -> Value:
    """Joules of decode / tokens of the answer."""
    return _divided(cost, tokens, "J/token", 1.0, "the engine gave no token count")


def mj_per_prompt_token(cost: PhaseCost | None, processed: int | None) -> Value:
    """Millijoules of prefill / prompt tokens really processed."""
    return _divided(cost, processed, "mJ/token", 1000.0, "how many prompt tokens were processed is not told")


def tokens_per_wh(cost: PhaseCost | None, tokens: int | None) -> Value:
    """Tokens of the answer for one watt-hour of decode: 3600 / (J/token)."""
    each = joules_per_token(cost, tokens)
    if not each.number:
        return absent("tok/Wh", each.note if each.number is None else "no energy was counted")
    return Value(WH_J / each.number, "tok/Wh", each.provenance, f"3600 J / {each.number:.3g} J per token")


def _divided(cost: PhaseCost | None, tokens: int | None, unit: str, scale: float, why: str) -> Value:
    if cost is None or cost.energy_j is None:
        return absent(unit, _why(cost))
    if not tokens:
        return absent(unit, why)
    source = Provenance.ESTIMATED if cost.energy_about else Provenance.DERIVED
    note = f"{cost.energy_j:.0f} J of GPU energy in {cost.name} / {tokens} tokens"
    return Value(scale * cost.energy_j / tokens, unit, source, note, reliable=not cost.energy_about)


def _why(cost: PhaseCost | None) -> str:
    if cost is not None and 0 < cost.span_ns < SECOND_NS // 5:
        return "the phase was too short for the energy counter"
    return "no GPU energy can be read here"
