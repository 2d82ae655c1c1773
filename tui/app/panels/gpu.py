"""GPU load and what each phase cost; without a GPU the processor instead, and why."""

from __future__ import annotations

from collections.abc import Sequence

from tui.app.panels.lines import column, most, wrapped
from tui.app.panels.memory import NAME, NOT_YET, gauged, not_read
from tui.app.panels.panel import SLOW, Panel
from tui.app.panels.titles import titled
from tui.app.scene import Scene
from tui.app.theming import Ink
from tui.domain.cost import PhaseCost, phase_cost
from tui.domain.machine import Gpu, Reading
from tui.domain.pressure import Pressure
from tui.domain.throttle import throttle
from tui.domain.view import View
from tui.plot.cells import clean
from tui.plot.glyphs import Fill
from tui.plot.numbers import ABSENT, percent, size_of, three
from tui.plot.rows import Row

_S = 1_000_000_000
_SETTLE_NS = _S // 2  # a phase that runs is costed twice a second


class Load(Panel):
    every = SLOW

    def __init__(self, ink: Ink, name: str) -> None:
        super().__init__(ink, name)
        self._costs: dict[tuple[str, int, int], PhaseCost] = {}

    def rows(self, scene: Scene, width: int, height: int) -> Sequence[Row]:
        now = scene.pressure.latest
        gpus = now.gpus if now else ()
        remote = " · this computer, not the server" if now and now.remote else ""
        if not gpus:
            title = titled("cpu" + remote, width, self.fill, lit=self.selected)
            body = processor(scene, width, self.fill)
        else:
            name = clean(gpus[0].name).removeprefix("NVIDIA ").removeprefix("GeForce ")
            name = f"{len(gpus)} × {name}" if len(gpus) > 1 else name
            room = width - 12
            title = titled(
                "gpu" + remote, width, self.fill, name if len(name) <= room else "", lit=self.selected
            )
            body = graphics(gpus, width, self.fill)
        costs = [self._cost(scene.view, phase) for phase in ("prefill", "decode")]
        spent = [
            _spent(name, cost, scene.view, width)
            for name, cost in zip(("prefill", "decode"), costs, strict=True)
        ]
        last = _last(scene.pressure, gpus, width)
        return (title, *body[: max(0, height - 3 - len(last))], *spent, *last)[:height]

    def _cost(self, view: View, name: str) -> PhaseCost | None:
        """What a phase of the request cost, worked out anew only when it has grown."""
        phase = view.phase(name)
        if phase is None or not view.samples:
            return None
        end_ns = phase.end_ns // _SETTLE_NS * _SETTLE_NS if phase.running else phase.end_ns
        key = (name, phase.start_ns, end_ns if phase.running else end_ns + len(view.samples))
        if key not in self._costs:
            self._costs = {kept: cost for kept, cost in self._costs.items() if kept[0] != name}
            self._costs[key] = phase_cost(name, phase.start_ns, end_ns, view.samples)
        return self._costs[key]


def processor(scene: Scene, width: int, fill: Fill) -> list[Row]:
    """Busy cores and clock."""
    now, flow = scene.pressure.latest, scene.pressure.flow
    if now is None:
        return [((f" {line}", "secondary"),) for line in wrapped(not_read(scene) or NOT_YET, width - 1)]
    busy = flow.cpu_busy_cores if flow else None
    cores = now.cpu_cores or 0
    told = f"{busy:.2f}/{cores}" if busy is not None else ABSENT
    rows = [gauged("cores", busy / cores if busy is not None and cores else None, told, width, fill)]
    if now.cpu_mhz:
        share = now.cpu_mhz / now.cpu_max_mhz if now.cpu_max_mhz else None
        rows.append(gauged("clock", share, f"{now.cpu_mhz / 1000:.1f} GHz", width, fill))
    return rows


def graphics(gpus: Sequence[Gpu], width: int, fill: Fill) -> list[Row]:
    """Use, power and memory of the busiest GPU."""
    gpu = busiest(gpus)
    rows = [
        gauged(
            "use",
            _share(gpu.util_pct, 100),
            percent(gpu.util_pct) if gpu.util_pct is not None else ABSENT,
            width,
            fill,
        )
    ]
    if gpu.power_w is not None:
        told = f"{gpu.power_w:.0f}/{gpu.power_limit_w:.0f} W" if gpu.power_limit_w else f"{gpu.power_w:.0f} W"
        rows.append(gauged("power", _share(gpu.power_w, gpu.power_limit_w), told, width, fill))
    if gpu.mem_used_bytes is not None and gpu.mem_total_bytes:
        figure = size_of(gpu.mem_used_bytes, gpu.mem_total_bytes)
        share = gpu.mem_used_bytes / gpu.mem_total_bytes
        rows.append(gauged("VRAM", share, f"{figure.number} {figure.unit[0]}", width, fill))
    return rows


def busiest(gpus: Sequence[Gpu]) -> Gpu:
    return max(gpus, key=lambda gpu: gpu.util_pct or 0.0)


def _share(part: float | None, whole: float | None) -> float | None:
    return part / whole if part is not None and whole else None


def _spent(name: str, cost: PhaseCost | None, view: View, width: int) -> Row:
    """What a phase cost: load, power, energy per token of the answer."""
    head: Row = ((" ", "text"), column(name, NAME, name))
    if cost is None:
        return most(head, [((ABSENT, "secondary"),)], width)
    parts = []
    if cost.gpu_pct is not None:
        parts.append(("≥ " if cost.gpu_at_least else "") + percent(cost.gpu_pct))
    elif cost.cpu_pct is not None:
        parts.append(("cpu " if any(r.gpus for r in view.samples[-1:]) else "") + percent(cost.cpu_pct))
    phase = view.phase(name)
    if cost.energy_j is not None and phase is not None and phase.duration_ns:
        about = "~" if cost.energy_about else ""
        parts.append(f"{about}{cost.energy_j * _S / phase.duration_ns:.0f} W")
        if name == "decode" and view.tokens:
            parts.append(f"{about}{three(cost.energy_j / view.tokens)} J/tok")
    return most(
        head,
        [((" " * bool(i) + part, "text"),) for i, part in enumerate(parts)] or [((ABSENT, "secondary"),)],
        width,
    )


def _last(pressure: Pressure, gpus: Sequence[Gpu], width: int) -> list[Row]:
    """What slows the GPU down; where none was read, why."""
    now = pressure.latest
    if now is None:
        return []
    if not gpus:
        return without_gpu(pressure, now, width)
    gpu = busiest(gpus)
    if gpu.reason:
        return [((f" {line}", "stall bold"),) for line in wrapped(clean(gpu.reason), width - 1)]
    slow = throttle(gpu.throttle_mask)
    parts = [
        f"{gpu.temperature_c:.0f} °C" if gpu.temperature_c is not None else "",
        f"▲ {slow.word}" if slow else "",
    ]
    style = "stall bold" if slow and slow.level == "crit" else "text"
    return [most(((" ", "text"),), [((part + "  ", style),) for part in parts if part], width)]


def without_gpu(pressure: Pressure, now: Reading, width: int) -> list[Row]:
    """Why no GPU was read and what the processor does: in one row, else in one for each."""
    parts = [part for part in (clean(now.gpu_reason), busy_cores(pressure)) if part]
    lines = [": ".join(parts)]
    if len(parts) > 1 and len(lines[0]) >= width:
        lines = [*wrapped(f"{parts[0]}:", width - 1), parts[1]]
    return [((f" {line}", "secondary"),) for line in lines if line]


def busy_cores(pressure: Pressure) -> str:
    """`CPU 2 of 2 cores`, `CPU 1.7 of 2 cores`; "" where it is not known."""
    busy = pressure.flow.cpu_busy_cores if pressure.flow else None
    cores = pressure.latest.cpu_cores if pressure.latest else None
    return f"CPU {f'{busy:.1f}'.removesuffix('.0')} of {cores} cores" if busy is not None and cores else ""


def in_short(pressure: Pressure) -> tuple[str, float | None, str, str]:
    """(name, share, percent, more) for the small screen."""
    now, flow = pressure.latest, pressure.flow
    if now is None:
        return "cpu", None, ABSENT, ""
    if now.gpus:
        gpu = busiest(now.gpus)
        power = f"{gpu.power_w:.0f} W" if gpu.power_w is not None else ""
        use = gpu.util_pct
        return "gpu", _share(use, 100), percent(use) if use is not None else ABSENT, power
    if flow is None or flow.cpu_busy_cores is None or not now.cpu_cores:
        return "cpu", None, ABSENT, clean(now.gpu_reason)
    share = flow.cpu_busy_cores / now.cpu_cores
    return "cpu", share, percent(100 * share), clean(now.gpu_reason)
