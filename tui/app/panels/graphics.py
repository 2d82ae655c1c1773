"""One GPU: its use, power and memory, who holds it, and what slows it down."""

from __future__ import annotations

from collections.abc import Sequence

from tui.app.panels.fold import Block
from tui.app.panels.lines import most, wrapped
from tui.app.panels.machine_rows import EACH, STYLES, dimmed, facts, gauged, past
from tui.app.scene import Scene
from tui.domain.flow import SECOND_NS
from tui.domain.gpu_use import working
from tui.domain.machine import Gpu, Reading
from tui.domain.pool import pool_of
from tui.domain.throttle import Throttle, throttle
from tui.plot.cells import clean
from tui.plot.glyphs import Fill
from tui.plot.numbers import ABSENT, percent, size, size_of
from tui.plot.rows import Row, join

MOST_ROWS = 4
_SIGNS = {"info": "●", "warn": "▲", "crit": "✖"}
_NEAR_C = 5  # degrees before it slows itself down
_FULL = 0.97  # of VRAM: what comes next does not fit


def shown_first(now: Reading) -> list[int]:
    """Places of the GPUs, those of the server first, else the busiest."""
    ours = {id(gpu) for gpu in working(now)}
    return sorted(
        range(len(now.gpus)), key=lambda n: (id(now.gpus[n]) not in ours, -(now.gpus[n].util_pct or 0), n)
    )


def shortened(name: str) -> str:
    """`RTX 4090` for `NVIDIA GeForce RTX 4090`."""
    told = clean(name)
    for words in ("NVIDIA ", "GeForce ", "AMD ", "Advanced Micro Devices ", "Intel(R) ", "Apple "):
        told = told.removeprefix(words)
    return told


def graphics(scene: Scene, now: Reading, width: int, fill: Fill) -> list[Block]:
    """One GPU in full."""
    gpu = now.gpus[0]
    power_of = [one.power for one in scene.history]
    values = [
        Block(0, [_use(gpu, width, fill)]),
        Block(9, [past("past", [one.gpu for one in scene.history], width, fill, EACH)]),
        *([Block(3, [_power(gpu, width, fill)])] if gpu.power_w is not None else []),
        *([Block(13, [past("past", power_of, width, fill, EACH)])] if any(power_of) else []),
        Block(1, [_memory(gpu, now, width, fill)]),
        Block(11, _holders(gpu, width)),
        Block(8, [state(gpu, width)]) if _stated(gpu) else Block(8, []),
        Block(14, _link(gpu, width)),
    ]
    if gpu.stale or gpu.reason:
        values = [Block(block.rank, dimmed(block.rows)) for block in values]
    return [*values, *_trouble(gpu, width)]


def _use(gpu: Gpu, width: int, fill: Fill) -> Row:
    if gpu.util_pct is None:
        return facts("use", [ABSENT, clean(gpu.absent.get("util_pct", "not told here"))], width)
    return gauged("use", gpu.util_pct / 100, percent(gpu.util_pct), width, fill)


def _power(gpu: Gpu, width: int, fill: Fill) -> Row:
    watts = gpu.power_w or 0.0
    told = f"{watts:.0f}/{gpu.power_limit_w:.0f} W" if gpu.power_limit_w else f"{watts:.0f} W"
    return gauged("power", watts / gpu.power_limit_w if gpu.power_limit_w else None, told, width, fill)


def _memory(gpu: Gpu, now: Reading, width: int, fill: Fill) -> Row:
    """VRAM; of a GPU without memory of its own the part it holds of the RAM."""
    if gpu.unified:
        pool = pool_of(now)
        if pool is None or pool.gpu_bytes is None:
            return facts("memory", [ABSENT, "shared with the RAM"], width)
        most_of = pool.budget_bytes or pool.total_bytes
        both = size_of(pool.gpu_bytes, most_of)
        return gauged(
            "budget" if pool.budget_bytes else "of RAM",
            pool.gpu_bytes / most_of,
            f"{both.number} {both.unit[0]}",
            width,
            fill,
        )
    used, total = gpu.mem_used_bytes, gpu.mem_total_bytes
    if used is None or not total:
        return facts("VRAM", [ABSENT, clean(gpu.absent.get("mem_used_bytes", "not told here"))], width)
    both = size_of(used, total)
    full = used + (gpu.mem_reserved_bytes or 0) >= _FULL * total
    role = (
        "stall bold" if full and not gpu.server_bytes else "text"
    )  # a server that reserves it all is normal
    return gauged("VRAM", used / total, f"{both.number} {both.unit[0]}", width, fill, role)


def _holders(gpu: Gpu, width: int) -> list[Row]:
    others = (
        f"{gpu.other_processes} other process{'es' * (gpu.other_processes > 1)}"
        if gpu.other_processes
        else ""
    )
    held = f" {size(gpu.other_bytes)}" if others and gpu.other_bytes else ""
    parts = [
        f"server {size(gpu.server_bytes)}" if gpu.server_bytes is not None else "",
        f"busy for it {percent(gpu.server_busy_pct)}" if gpu.server_busy_pct is not None else "",
        f"{others}{held}" if others else "",
        f"driver {size(gpu.mem_reserved_bytes)}" if gpu.mem_reserved_bytes else "",
        f"spilled into RAM {size(gpu.spilled_bytes)}" if gpu.spilled_bytes else "",
        f"asked for {size(gpu.mem_alloc_bytes)}" if gpu.mem_alloc_bytes else "",
    ]
    return _dotted("", parts, width)


def _stated(gpu: Gpu) -> bool:
    return gpu.temperature_c is not None or gpu.sm_mhz is not None or bool(gpu.throttle_mask)


def held_back(gpu: Gpu) -> Throttle | None:
    """Why it runs below its clock right now; a lost one tells nothing."""
    return None if gpu.reason else throttle(gpu.throttle_mask)


def state(gpu: Gpu, width: int) -> Row:
    """Temperature, clock and what holds it back; hot is what is near its own limit, not a number."""
    slow = held_back(gpu)
    near = gpu.margin_c is not None and gpu.margin_c <= _NEAR_C
    margin = f" ({gpu.margin_c:.0f} below its limit)" if gpu.margin_c is not None and width >= 60 else ""
    clock = f"{gpu.sm_mhz:.0f}" if gpu.sm_mhz is not None else ""
    of = f"/{gpu.sm_max_mhz:.0f}" if clock and gpu.sm_max_mhz and width >= 40 else ""
    parts: list[Row] = []
    if gpu.temperature_c is not None:
        parts.append(
            ((f"{'▲ ' * near}{gpu.temperature_c:.0f} °C{margin}", "stall bold" if near else "text"),)
        )
    if clock:
        parts.append(((f"{clock}{of} MHz", "text"),))
    if slow is not None and slow.level == "info":
        parts.append(((f"{_SIGNS[slow.level]} {slow.word}", "secondary"),))
    if gpu.mem_temperature_c is not None:
        parts.append(((f"memory {gpu.mem_temperature_c:.0f} °C", "text"),))
    spaced = [join((("  " * bool(n), "text"),), part) for n, part in enumerate(parts)]
    return most(((" ", "text"),), spaced, width)


def _link(gpu: Gpu, width: int) -> list[Row]:
    measured = (("SMs", gpu.sm_pct), ("tensor", gpu.tensor_pct), ("memory traffic", gpu.dram_pct))
    parts = [
        *(f"{name} {percent(share)}" for name, share in measured if share is not None),
        f"PCIe gen {gpu.pcie_gen} x{gpu.pcie_width}" if gpu.pcie_gen and gpu.pcie_width else "",
        f"of gen {gpu.pcie_max_gen} x{gpu.pcie_max_width}" if gpu.pcie_max_gen and gpu.pcie_max_width else "",
        f"fan {percent(gpu.fan_pct)}" if gpu.fan_pct is not None else "",
        f"shipped with {gpu.power_default_w:.0f} W"
        if gpu.power_default_w and gpu.power_default_w != gpu.power_limit_w
        else "",
        clean(gpu.note),
    ]
    return _dotted("more", parts, width)


def _trouble(gpu: Gpu, width: int) -> list[Block]:
    """What hurts, on top: a lost or silent card, heat, the hardware's brake; and how old the values are."""
    rows: list[Row] = []
    if gpu.reason:
        rows += [
            ((f" {'✖ ' * (not n)}{line}", "stall bold"),)
            for n, line in enumerate(wrapped(clean(gpu.reason), width - 3))
        ]
    slow = held_back(gpu)
    if slow is not None and slow.level != "info":
        clock = f", {gpu.sm_mhz:.0f} of {gpu.sm_max_mhz:.0f} MHz" if gpu.sm_mhz and gpu.sm_max_mhz else ""
        told = f"{_SIGNS[slow.level]} {slow.word}"
        row = most(((" ", "text"),), [((told, STYLES[slow.level]),), ((clock, "text"),)], width)
        rows.append(row)
    blocks = [Block(2, rows)] if rows else []
    if gpu.stale and not gpu.reason and (told := aged(gpu)):
        blocks.append(Block(2, [((f" {told}", "secondary"),)]))
    return blocks


def aged(gpu: Gpu) -> str:
    """`3 s old`, for values whose driver has not told newer ones; "" for fresh ones."""
    return f"{max(1, round(gpu.age_ns / SECOND_NS))} s old" if gpu.stale else ""


def _dotted(name: str, parts: Sequence[str], width: int) -> list[Row]:
    told = [part for part in parts if part]
    return [facts(name, [("· " if i else "") + part for i, part in enumerate(told)], width)] if told else []
