"""The processor, where no GPU works: its cores, its clock, the server's threads, and why there is no GPU."""

from __future__ import annotations

from tui.app.panels.fold import Block
from tui.app.panels.lines import wrapped
from tui.app.panels.machine_rows import EACH, facts, gauged, past
from tui.app.scene import Scene
from tui.domain.machine import Reading
from tui.plot.cells import clean
from tui.plot.glyphs import Fill
from tui.plot.numbers import ABSENT, percent
from tui.plot.rows import Row


def processor(scene: Scene, now: Reading, width: int, fill: Fill, reason: str) -> list[Block]:
    """`reason`: why no GPU was read, where the title does not say it."""
    flow = scene.pressure.flow
    busy = flow.cpu_busy_cores if flow else None
    cores = now.cpu_cores or 0
    told = f"{busy:.2f}/{cores}" if busy is not None else ABSENT
    return [
        Block(0, [gauged("cores", busy / cores if busy is not None and cores else None, told, width, fill)]),
        Block(9, [past("past", [one.cpu for one in scene.history], width, fill, EACH)]),
        *([Block(1, [_clock(now, width, fill)])] if now.cpu_mhz else []),
        Block(6, _server(scene, now, width)),
        *(
            [Block(5, [((f" {line}", "secondary"),) for line in wrapped(reason, width - 2)])]
            if reason
            else []
        ),
    ]


def _clock(now: Reading, width: int, fill: Fill) -> Row:
    mhz = now.cpu_mhz or 0.0
    share = mhz / now.cpu_max_mhz if now.cpu_max_mhz else None
    return gauged("clock", share, f"{mhz / 1000:.1f} GHz", width, fill)


def _server(scene: Scene, now: Reading, width: int) -> list[Row]:
    flow, server = scene.pressure.flow, now.server
    if server is None or flow is None or flow.server_cpu_cores is None:
        return []
    threads = f"{server.threads} thread{'s' * (server.threads != 1)}" if server.threads else ""
    parts = [
        percent(100 * flow.server_cpu_cores),
        threads,
        f"busiest {percent(server.thread_pct)}" if server.thread_pct is not None else "",
    ]
    return [
        facts("server", [("· " if i else "") + part for i, part in enumerate(p for p in parts if p)], width)
    ]


def why_none(now: Reading) -> str:
    """Why no GPU was read, in words."""
    return clean(now.gpu_reason)
