"""The cost of prefill and decode side by side, as the maximised panels show it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import zip_longest
from typing import NamedTuple

from tui.app.panels.fold import Block
from tui.app.panels.lines import column, measured
from tui.app.panels.spent import PHASES, cost_of, marked, use_of, watts
from tui.app.scene import Scene
from tui.domain.cost import PhaseCost
from tui.domain.insight import Insight
from tui.domain.values import Provenance, Value
from tui.plot.cells import clean
from tui.plot.numbers import ABSENT, count, duration, percent, size, three, throughput
from tui.plot.rows import Row

_MS = 1_000_000
_NAME = 17
Told = Callable[[PhaseCost, Insight], str]


class Line(NamedTuple):
    """A figure of each phase; `rank` as in the blocks of a panel."""

    name: str
    rank: int
    told: Told


def table(scene: Scene, width: int, lines: Sequence[Line]) -> list[Block]:
    """A heading, and a block for each figure that either phase has something to say about."""
    told = scene.told
    costs = [cost for name in PHASES if (cost := cost_of(scene, name)) is not None]
    if told is None or not costs:
        return []
    cells = (width - 2 - _NAME) // len(costs) - 1
    head = [column(_titled(cost), cells + 1, f"{cost.name} bold") for cost in costs]
    first = min(line.rank for line in lines)
    blocks = [Block(first, [((" ", "text"), column("each phase", _NAME, "secondary"), *head)])]
    for line in lines:
        texts = [clean(line.told(cost, told)) for cost in costs]
        if any(texts):
            blocks.append(Block(line.rank, _figure(line.name, texts, cells)))
    return blocks


def _titled(cost: PhaseCost) -> str:
    return f"{cost.name} {duration(cost.span_ns)}"


def _figure(name: str, texts: Sequence[str], cells: int) -> list[Row]:
    columns = [measured(text or ABSENT, cells) for text in texts]
    rows: list[Row] = []
    for n, line in enumerate(zip_longest(*columns, fillvalue="")):
        spans = [
            column(text, cells + 1, "secondary" if columns[i][0].startswith(ABSENT) else "text")
            for i, text in enumerate(line)
        ]
        rows.append(((" ", "text"), column("" if n else name, _NAME, "secondary"), *spans))
    return rows


def _of_peak(used: Value, pct: Value, peak: float | None, unit: str) -> str:
    """`≈ 642 of 1008 GB/s = 64 %`; measured shares without an estimate; else the reason."""
    if pct.number is not None and pct.provenance is Provenance.MEASURED:
        return f"{percent(pct.number)}, measured"
    if used.number is None:
        return f"{ABSENT} {used.note}"
    if unit == "TFLOP/s" and used.number < 1:
        used, peak, unit = replace(used, number=1000 * used.number), peak and 1000 * peak, "GFLOP/s"
    told = f"≈ {three(used.number or 0)}"
    if pct.number is None or not peak:
        return f"{told} {unit}; of what peak is not known: {pct.note}" if pct.note else f"{told} {unit}"
    share = percent(pct.number) if pct.number >= 1 else "<5 %" if unit.endswith("FLOP/s") else "<1 %"
    return f"{told} of {peak:,.0f} {unit} = {share}"


def _bandwidth(cost: PhaseCost, told: Insight) -> str:
    if cost.name != "decode":
        return "" if cost.dram_pct is None else f"{percent(cost.dram_pct)}, measured"
    return _of_peak(told.bandwidth, told.bandwidth_pct, told.split.gb_s, "GB/s")


def _arithmetic(cost: PhaseCost, told: Insight) -> str:
    return (
        _of_peak(told.flops, told.flops_pct, told.split.tflops, "TFLOP/s") if cost.name == "prefill" else ""
    )


def _energy(cost: PhaseCost, told: Insight) -> str:
    if cost.energy_j is None:
        return (
            f"{ABSENT} {(told.joules_per_token if cost.name == 'decode' else told.mj_per_prompt_token).note}"
        )
    return f"{'~ ' * cost.energy_about}{count(round(cost.energy_j))} J of GPU energy"


def _by_token(cost: PhaseCost, told: Insight) -> str:
    if cost.name == "prefill":
        value = told.mj_per_prompt_token
        return marked(value, lambda mj: f"{three(mj)} mJ a prompt token") if value.known else ""
    if not told.joules_per_token.known:
        return ""
    each = marked(told.joules_per_token, lambda joules: f"{three(joules)} J a token")
    per_wh = told.tokens_per_wh.number
    return each if per_wh is None else f"{each} · {count(round(per_wh))} tokens per Wh"


def _held_back(cost: PhaseCost, told: Insight) -> str:
    del told
    if cost.throttle is None:
        return ""
    about = "" if cost.throttle_counted else "~ "
    share = f" {about}{percent(100 * cost.throttle_share)} of it" if cost.throttle_share is not None else ""
    return f"{cost.throttle.word}{share}"


def _clock(cost: PhaseCost, told: Insight) -> str:
    del told
    if cost.sm_mhz is None:
        return ""
    return f"{cost.sm_mhz:,.0f}{f' of {cost.sm_max_mhz:,.0f}' if cost.sm_max_mhz else ''} MHz"


def _bus(cost: PhaseCost, told: Insight) -> str:
    del told
    both = (("in", cost.pcie_rx_bytes_s), ("out", cost.pcie_tx_bytes_s))
    return " · ".join(f"{way} {throughput(rate)}" for way, rate in both if rate is not None)


def _grown(field: str) -> Told:
    def told(cost: PhaseCost, _: Insight) -> str:
        change = getattr(cost, field)
        return "" if change is None else f"{'−' if change < 0 else '+'}{size(abs(change))}"

    return told


def _rate(field: str) -> Told:
    def told(cost: PhaseCost, _: Insight) -> str:
        rate = getattr(cost, field)
        return "" if rate is None else throughput(rate)

    return told


def _pct(field: str) -> Told:
    def told(cost: PhaseCost, _: Insight) -> str:
        share = getattr(cost, field)
        return "" if share is None else percent(share)

    return told


def _stalled(field: str) -> Told:
    def told(cost: PhaseCost, _: Insight) -> str:
        ms = getattr(cost, field)
        return "" if ms is None else duration(round(ms * _MS))

    return told


def _reads(cost: PhaseCost, told: Insight) -> str:
    del told
    if cost.read_bytes is None:
        return ""
    rate = f" · {throughput(cost.read_bytes_s)}" if cost.read_bytes_s else ""
    return f"{size(cost.read_bytes)}{rate}"


def _each(cost: PhaseCost, told: Insight) -> str:
    del told
    return " · ".join(percent(one) for one in cost.gpu_each) if len(cost.gpu_each) > 1 else ""


def _faults(cost: PhaseCost, told: Insight) -> str:
    del told
    return "" if cost.major_faults is None else count(cost.major_faults)


GRAPHICS = (
    Line("GPU use", 4, lambda cost, _: use_of(cost, band=True)),
    Line("of each GPU", 8, _each),
    Line("power", 5, lambda cost, _: watts(cost, limit=True)),
    Line("energy", 7, _energy),
    Line("by token", 5, _by_token),
    Line("memory traffic", 6, _bandwidth),
    Line("arithmetic", 6, _arithmetic),
    Line("held back", 7, _held_back),
    Line("GPU clock", 13, _clock),
    Line("PCIe", 10, _bus),
    Line("VRAM", 15, _grown("vram_delta_bytes")),
)
PROCESSOR = (
    Line("CPU, all", 12, _pct("cpu_pct")),
    Line("CPU, server", 11, _pct("server_cpu_pct")),
    Line("busiest thread", 12, _pct("thread_pct")),
)
TRAFFIC = (Line("memory traffic", 6, _bandwidth), Line("arithmetic", 6, _arithmetic))
MEMORY = (
    Line("RAM", 12, _grown("mem_delta_bytes")),
    Line("server's RAM", 9, _grown("rss_delta_bytes")),
    Line("VRAM", 12, _grown("vram_delta_bytes")),
    Line("server read", 9, _reads),
    Line("major faults", 10, _faults),
    Line("disk read", 12, _rate("disk_read_bytes_s")),
    Line("swap in", 11, _rate("swap_in_bytes_s")),
    Line("cache read again", 12, _rate("refault_bytes_s")),
    Line("memory stall", 9, _stalled("stall_ms")),
    Line("I/O stall", 11, _stalled("io_stall_ms")),
)
