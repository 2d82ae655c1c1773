"""Memory pressure: how full, how much stall, what is swapped and read, and what the server holds."""

from __future__ import annotations

from collections.abc import Sequence

from tui.app.panels.costs import MEMORY, table
from tui.app.panels.fold import Block, folded
from tui.app.panels.machine_rows import (
    SIGNS,
    STYLES,
    dimmed,
    facts,
    gauge_cells,
    gauged,
    numbered,
    past,
    said,
    unread,
    whose,
)  # fmt: skip
from tui.app.panels.memory_kept import cache, events, holders, room
from tui.app.panels.panel import SLOW, Panel
from tui.app.panels.titles import titled
from tui.app.scene import Scene
from tui.domain.machine import Reading
from tui.domain.pool import pool_of
from tui.domain.pressure import Pressure
from tui.plot.cells import clean
from tui.plot.gauge import pool_gauge
from tui.plot.glyphs import Fill
from tui.plot.numbers import ABSENT, size, size_of, throughput
from tui.plot.rows import Row

_TABLE = 60  # columns from which prefill and decode stand side by side
_SWAP_TOP, _DISK_TOP = 1e6, 100e6  # bytes per second that a history reaches at least


class Memory(Panel):
    every = SLOW

    def rows(self, scene: Scene, width: int, height: int) -> Sequence[Row]:
        now = scene.pressure.latest
        word, style = state(scene.pressure)
        title = whose("memory", now, width - (len(word) + 4 if word else 0))
        head = titled(title, width, self.fill, word, style, lit=self.selected)
        if now is None:
            return (head, *unread(scene, width)[: height - 1])
        body = folded(memory(scene, now, width, self.fill), height - 1)
        return (head, *(dimmed(body) if now.remote else body))


def state(pressure: Pressure) -> tuple[str, str]:
    """(word with its sign, style) of the state of the memory; nothing before the first reading."""
    if pressure.latest is None or pressure.latest.remote:
        return "", "secondary"
    level = pressure.word.level
    return f"{pressure.word.value} {SIGNS[level]}", STYLES[level]


def memory(scene: Scene, now: Reading, width: int, fill: Fill) -> list[Block]:
    """Everything about the memory, from top to bottom; what matters least has the highest rank."""
    pressure, past_of = scene.pressure, scene.history
    flow = pressure.flow
    told = size_of(_used(now) or 0, now.ram_total_bytes or 1)
    ram = f"{told.number} {told.unit[0]}" if used_share(now) is not None else ABSENT
    left = size(now.ram_available_bytes) if now.ram_available_bytes is not None else ""
    return [
        Block(0, [_ram(now, ram, width, fill)]),
        *_pool(now, width),
        *_limit(now, width),
        Block(13, [past("past", [one.ram for one in past_of], width, fill, f"{left} left")] if left else []),
        Block(2, [_stall(scene, now, width, fill)]),
        Block(16, _waits(pressure, width)),
        Block(3, [facts("swap", _swap(pressure), width)]),
        Block(14, _rates([one.swap_in for one in past_of], _SWAP_TOP, width, fill)),
        Block(4, [facts("disk", _disk(pressure), width)]),
        Block(12, _rates([one.disk for one in past_of], _DISK_TOP, width, fill)),
        Block(5, [facts("server", _server(now, scene.setup.pid), width)]),
        *holders(now, flow, width),
        *_why(pressure, width),
        *(() if now.remote else cache(scene, width)),
        *room(scene, now, width),
        *(table(scene, width, MEMORY) if width >= _TABLE and not now.remote else ()),
        *(() if now.remote else events(scene, width, 10, ("memory",))),
    ]  # fmt: skip


def _rates(values: Sequence[float | None], least: float, width: int, fill: Fill) -> list[Row]:
    """The history of a rate, with its scale; nothing where it was never told."""
    told = [value for value in values if value is not None]
    top = max([least, *told])
    return [past("past", values, width, fill, f"top {throughput(top)}", top)] if told else []


def _why(pressure: Pressure, width: int) -> list[Block]:
    """The evidence of a state that is an alarm, right below it."""
    if not pressure.why:
        return []
    style = "text" if pressure.word.level == "info" else STYLES[pressure.word.level]
    rows = said("why", clean(pressure.why), width, style)
    return [Block(1 if pressure.word.level != "info" else 6, rows)]


def _ram(now: Reading, ram: str, width: int, fill: Fill) -> Row:
    """One bar; where the GPU has no memory of its own its part is drawn inside, with a tick at its budget."""
    pool = pool_of(now)
    if pool is None or pool.gpu_bytes is None:
        return gauged("RAM", used_share(now), ram, width, fill)
    total = pool.total_bytes
    budget = pool.budget_bytes / total if pool.budget_bytes else None
    bar = pool_gauge(gauge_cells(ram, width), fill, pool.used_bytes / total, pool.gpu_bytes / total, budget)
    return numbered("RAM", bar, ram, width)


def _pool(now: Reading, width: int) -> list[Block]:
    pool = pool_of(now)
    if pool is None or pool.gpu_bytes is None:
        return []
    if pool.budget_bytes:
        both = size_of(pool.gpu_bytes, pool.budget_bytes)
        used, _, budget = both.number.partition("/")
        return [Block(1, [facts("GPU", [f"{used} of budget {budget} {both.unit}"], width)])]
    return [Block(1, [facts("GPU", [f"{size(pool.gpu_bytes)} in it"], width)])]


def _limit(now: Reading, width: int) -> list[Block]:
    if now.limit_bytes is None:
        return [Block(15, [facts("", [clean(now.memory_note)], width)])] if now.memory_note else []
    left = f"· {size(now.limit_available_bytes)} left" if now.limit_available_bytes is not None else ""
    group = f"· {clean(now.limit_group)}" if now.limit_group else ""
    return [Block(2, [facts("limit", [f"container {size(now.limit_bytes)}", left, group], width)])]


def _stall(scene: Scene, now: Reading, width: int, fill: Fill) -> Row:
    flow = scene.pressure.flow
    if now.stall_some_us is None:
        if now.pressure_level is not None:
            level = {1: "normal", 2: "warning", 4: "critical"}.get(now.pressure_level, "")
            return facts("level", [f"{level or now.pressure_level} by macOS"], width)
        return facts("stall", [ABSENT, clean(now.absent.get("stall_some_us", "not told here"))], width)
    share = flow.stall_some_pct if flow else None
    text = f"{share:.1f} %" if share is not None else ABSENT
    return past("stall", [one.stall for one in scene.history], width, fill, text, top=100.0)


def _waits(pressure: Pressure, width: int) -> list[Row]:
    """Stalls beside the one in the panel: of everything, of the container, of the disks."""
    flow = pressure.flow
    if flow is None:
        return []
    shares = (
        ("everything waits", flow.stall_full_pct),
        ("in the container", flow.group_stall_some_pct),
        ("for the disk", flow.io_stall_some_pct),
    )
    parts = [f"{name} {share:.1f} %" for name, share in shares if share is not None]
    return [facts("", [("· " if i else "") + part for i, part in enumerate(parts)], width)] if parts else []


def _swap(pressure: Pressure) -> list[str]:
    now, flow = pressure.latest, pressure.flow
    if now is None or now.swap_total_bytes is None:
        return [ABSENT]
    if not now.swap_total_bytes:
        return ["none set up"]
    parts = [_rate(flow.swap_in_bytes_s if flow else None, "in ")]
    if now.swap_used_bytes:
        calm = flow is not None and not flow.swap_in_bytes_s and not flow.swap_out_bytes_s
        parts.append(f"· {size(now.swap_used_bytes)} used{' earlier' * calm}")
    out = flow.swap_out_bytes_s if flow else None
    parts.append(f"· out {throughput(out)}" if out is not None else "")
    parts.append("· compressed memory, no disk" if now.swap_compressed else "")
    return parts


def _disk(pressure: Pressure) -> list[str]:
    flow = pressure.flow
    server = flow.server_read_bytes_s if flow else None
    return [
        _rate(flow.disk_read_bytes_s if flow else None, ""),
        f"· server {throughput(server)}" if server is not None else "",
    ]


def _rate(bytes_per_s: float | None, words: str) -> str:
    return ABSENT if bytes_per_s is None else f"{words}{throughput(bytes_per_s)}"


def _server(now: Reading, own_pid: int | None) -> list[str]:
    """The process that answers; the built-in engine's is called so, whatever interpreter it runs in."""
    if now.remote:
        return ["on another machine"]
    if now.server is None:
        return [ABSENT, clean(now.server_reason)]
    held = size(now.server.rss_bytes) if now.server.rss_bytes is not None else ABSENT
    name = "built-in engine" if now.server.pid == own_pid else clean(now.server.name)
    return [name, held, clean(now.server.note)]


def used_share(now: Reading) -> float | None:
    used = _used(now)
    return used / now.ram_total_bytes if used is not None and now.ram_total_bytes else None


def _used(now: Reading) -> int | None:
    if now.ram_total_bytes is None or now.ram_available_bytes is None:
        return None
    return now.ram_total_bytes - now.ram_available_bytes


def short(pressure: Pressure) -> tuple[str, str]:
    """(memory in a few cells, state word) for the small screen."""
    now = pressure.latest
    if now is None or now.ram_total_bytes is None or _used(now) is None:
        return ABSENT, ""
    told = size_of(_used(now) or 0, now.ram_total_bytes)
    return f"{told.number} {told.unit[0]}", state(pressure)[0]
