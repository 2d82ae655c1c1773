"""GPU load and what each phase cost; without a GPU the processor instead, and why."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tui.app.panels.costs import GRAPHICS, PROCESSOR, TRAFFIC, table
from tui.app.panels.fold import Block, folded
from tui.app.panels.graphics import aged, graphics, held_back, shortened, shown_first
from tui.app.panels.machine_rows import SIGNS, dimmed, facts, said, unread, whose
from tui.app.panels.memory_kept import events
from tui.app.panels.panel import SLOW, Panel
from tui.app.panels.processor import processor, why_none
from tui.app.panels.several_gpus import several
from tui.app.panels.spent import PHASES, marked, spent
from tui.app.panels.titles import titled
from tui.app.panels.verdicts import judged
from tui.app.scene import Scene
from tui.domain.insight import Insight
from tui.domain.machine import Gpu, Reading
from tui.domain.values import Value
from tui.plot.cells import clean
from tui.plot.cells import width as cells_of
from tui.plot.glyphs import Fill
from tui.plot.numbers import ABSENT, count, percent, size, three
from tui.plot.rows import Row

_FIRST = tuple(
    line._replace(rank=line.rank - 8) for line in PROCESSOR
)  # where it is the processor that works
_FACTS = 50  # first readings of a request, one of which tells the facts of the host
_TABLE = 60  # columns from which prefill and decode stand side by side


class Load(Panel):
    every = SLOW

    def rows(self, scene: Scene, width: int, height: int) -> Sequence[Row]:
        now = scene.pressure.latest
        if now is None:
            return (titled("cpu", width, self.fill, lit=self.selected), *unread(scene, width)[: height - 1])
        title, name, reason = _heading(now, width)
        body = folded(load(scene, now, width, self.fill, reason), height - 1)
        head = titled(title, width, self.fill, name, lit=self.selected)
        return (head, *(dimmed(body) if now.remote else body))


def _heading(now: Reading, width: int) -> tuple[str, str, str]:
    """(title, what stands at its right, what did not fit into it)."""
    if not now.gpus:
        title, why = whose("cpu", now, width), why_none(now)
        whole = f"{title} · {why}"
        return (whole, "", "") if why and cells_of(whole) + 5 <= width else (title, "", why)
    title = whose("gpu", now, width)
    name = shortened(now.gpus[shown_first(now)[0]].name)
    name = f"{len(now.gpus)} × {name}" if len(now.gpus) > 1 else name
    return title, name if cells_of(title) + cells_of(name) + 8 <= width else "", ""


def load(scene: Scene, now: Reading, width: int, fill: Fill, reason: str) -> list[Block]:
    """The device, what each phase cost on it, and what limited it."""
    if not now.gpus:
        device = processor(scene, now, width, fill, reason)
    else:
        device = several(now, width, fill) if len(now.gpus) > 1 else graphics(scene, now, width, fill)
    return [*device, *_phases(scene, now, width), *judged(scene, width), *_derived(scene, now, width)]


def _phases(scene: Scene, now: Reading, width: int) -> list[Block]:
    """A row for each phase, or where there is room a table; of another machine's request nothing."""
    if now.remote:
        return []
    figures = (*GRAPHICS, *PROCESSOR) if now.gpus else (*_FIRST, *TRAFFIC)
    whole = table(scene, width, figures) if width >= _TABLE else []
    return whole or [
        Block(4 + n, [spent(name, scene, width, bool(now.gpus))]) for n, name in enumerate(PHASES)
    ]


def _derived(scene: Scene, now: Reading, width: int) -> list[Block]:
    """What the verdicts rest on: the device's peaks with their source, the split of the model, the ridge."""
    told = scene.told
    if told is None or width < _TABLE or now.remote:
        return []
    return [
        Block(12, _peak(told, width)),
        *([Block(13, _offload(told, width))] if now.gpus else []),
        Block(13, _host(scene, now, width)),
        *events(scene, width, 11, ("gpu", "lost", "heat")),
        Block(14, _figure("ridge", told.ridge, lambda n: f"{count(round(n))} tokens in flight", width)),
    ]


def _host(scene: Scene, now: Reading, width: int) -> list[Row]:
    """Processor, memory and driver: told with the first reading, not with each."""
    facts_told = next((one.host for one in (now, *scene.view.samples[:_FACTS]) if one.host), {})
    parts = [clean(facts_told[name]) for name in ("cpu", "memory", "driver", "power") if facts_told.get(name)]
    return (
        [facts("host", [("· " if n else "") + part for n, part in enumerate(parts)], width)] if parts else []
    )


def _peak(told: Insight, width: int) -> list[Row]:
    peak = told.split.peak
    if peak is None:
        return said("peak", f"{ABSENT} {clean(told.split.why)}", width, "secondary") if told.split.why else []
    tflops = f"· {three(peak.tflops)} TFLOP/s" if peak.tflops else ""
    source = f"· {clean(peak.source)} ({clean(peak.confidence)})"
    return [facts("peak", [f"{clean(peak.name)}: {peak.gb_s:,.0f} GB/s", tflops, source], width)]


def _offload(told: Insight, width: int) -> list[Row]:
    if told.split.text:
        most = marked(told.split.ceiling, lambda rate: f"at most {three(rate)} tok/s")
        return said(
            "split",
            f"{clean(told.split.text)} · {most}" if told.split.ceiling.known else clean(told.split.text),
            width,
        )
    if told.split.offload.number == 0:
        return [facts("split", ["all weights on the GPU"], width)]
    return _figure("split", told.split.offload, lambda pct: f"{percent(pct)} of the weights in RAM", width)


def _figure(name: str, value: Value, shown: Callable[[float], str], width: int) -> list[Row]:
    if not value.known:
        return said(name, f"{ABSENT} {clean(value.note)}", width, "secondary") if value.note else []
    return [facts(name, [marked(value, shown), f"· {clean(value.note)}"], width)]


def in_short(scene: Scene) -> tuple[str, float | None, str, Sequence[str]]:
    """(name, share, percent, more) for the small screen."""
    now, flow = scene.pressure.latest, scene.pressure.flow
    if now is None:
        return "cpu", None, ABSENT, ()
    if now.gpus:
        gpu = now.gpus[shown_first(now)[0]]
        use = gpu.util_pct
        told = percent(use) if use is not None else ABSENT
        return "gpu", None if use is None else use / 100, told, _more(gpu)
    if flow is None or flow.cpu_busy_cores is None or not now.cpu_cores:
        return "cpu", None, ABSENT, (why_none(now),)
    share = flow.cpu_busy_cores / now.cpu_cores
    return "cpu", share, percent(100 * share), (why_none(now),)


def _more(gpu: Gpu) -> Sequence[str]:
    """What stands behind the use of a GPU: what is wrong with it, then watts and memory."""
    if gpu.reason:
        return (f"{SIGNS['crit']} {clean(gpu.reason)}", SIGNS["crit"])
    slow = held_back(gpu)
    hurts = slow is not None and slow.level != "info"
    used = gpu.mem_used_bytes
    return (
        f"{SIGNS[slow.level]} {slow.word}" if slow is not None and hurts else "",
        aged(gpu),
        f"{gpu.power_w:.0f} W" if gpu.power_w is not None else "",
        size(used).replace("iB", "") if used is not None else "",
    )
