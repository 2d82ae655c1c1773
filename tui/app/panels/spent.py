"""What a phase of the request cost, in a row of the panel: load, power, energy by token."""

from __future__ import annotations

from collections.abc import Callable

from tui.app.panels.lines import column, most
from tui.app.scene import Scene
from tui.domain.band import NOT_READ
from tui.domain.cost import PhaseCost
from tui.domain.flow import SECOND_NS
from tui.domain.values import Provenance, Value
from tui.plot.cells import clean
from tui.plot.numbers import ABSENT, percent, three
from tui.plot.rows import Row

NAME = 8
PHASES = ("prefill", "decode")


def marked(value: Value, shown: Callable[[float], str]) -> str:
    """A figure as it stands in a panel: `≈ 64 %`, `~ 80 mJ` where it is doubtful, `–` where there is none."""
    if value.number is None:
        return ABSENT
    sign = "~ " if not value.reliable else "≈ " if value.provenance is Provenance.ESTIMATED else ""
    return sign + shown(value.number)


def cost_of(scene: Scene, name: str) -> PhaseCost | None:
    """The cost of a phase, None before it happened."""
    return None if scene.told is None else scene.told.prefill if name == "prefill" else scene.told.decode


def spent(name: str, scene: Scene, width: int, graphics: bool) -> Row:
    """As many figures of a phase as fit, or why there are none."""
    head: Row = ((" ", "text"), column(name, NAME, name))
    cost = cost_of(scene, name)
    parts = [] if cost is None else _graphics(cost, scene) if graphics else _processor(cost)
    return most(
        head,
        [((" " * bool(i) + part, "text"),) for i, part in enumerate(parts)] or _none(cost, scene),
        width - 1,
    )


def _none(cost: PhaseCost | None, scene: Scene) -> list[Row]:
    phase = scene.view.phase(cost.name) if cost else None
    why = [((f" {NOT_READ}", "secondary"),)] if phase is not None and not phase.running else []
    return [((ABSENT, "secondary"),), *why]


def _graphics(cost: PhaseCost, scene: Scene) -> list[str]:
    power_w = watts(cost, limit=False)
    unread = cost.gpu_pct is None and cost.gpu_why == NOT_READ  # stands in the row of the use already
    parts = ["" if unread and power_w else use_of(cost, ", "), power_w]
    if cost.name == "decode" and scene.told is not None:
        parts.append(per_token(scene.told.joules_per_token, "J/tok"))
    elif scene.told is not None:
        parts.append(per_token(scene.told.mj_per_prompt_token, "mJ/tok"))
    return [part for part in parts if part]


def _processor(cost: PhaseCost) -> list[str]:
    if cost.cpu_pct is None and cost.server_cpu_pct is None:
        return ["too short to say"] if cost.span_ns < SECOND_NS else []
    parts = [percent(cost.cpu_pct) if cost.cpu_pct is not None else ""]
    parts += [f"server {percent(cost.server_cpu_pct)}" if cost.server_cpu_pct is not None else ""]
    parts += [f"busiest thread {percent(cost.thread_pct)}" if cost.thread_pct is not None else ""]
    return [part for part in parts if part]


def use_of(cost: PhaseCost, between: str = ", ", band: bool = False) -> str:
    """`99 %`, `≥ 34 %, window 1 s`, `too short to say`; a gauge is never told as a short phase's value."""
    if cost.gpu_pct is None:
        return clean(cost.gpu_why).split(":")[0] if not band else clean(cost.gpu_why)
    if cost.gpu_at_least:
        return f"≥ {percent(cost.gpu_pct)}{between}window {three(cost.gpu_window_ns / SECOND_NS)} s"
    told = percent(cost.gpu_pct)
    least, most_ = cost.gpu_min_pct, cost.gpu_max_pct
    if band and least is not None and most_ is not None and round(least) != round(most_):
        told += f" ({least:.0f}–{most_:.0f})"
    return told


def watts(cost: PhaseCost, limit: bool) -> str:
    """Mean power of the working GPUs: by their gauges, else by the energy counter."""
    about, power_w = "", cost.power_w
    if power_w is None and cost.energy_j is not None and cost.span_ns:
        about, power_w = "~" * cost.energy_about, cost.energy_j * SECOND_NS / cost.span_ns
    if power_w is None:
        return ""
    of = f" of {cost.power_limit_w:,.0f}" if limit and cost.power_limit_w else ""
    return f"{about}{power_w:,.0f}{of} W"


def per_token(value: Value, unit: str) -> str:
    """`3.75 J/tok`, `~3.75 J/tok`; "" where it is not known."""
    return marked(value, lambda number: f"{three(number)} {unit}").replace("~ ", "~") if value.known else ""
