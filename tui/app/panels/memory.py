"""Memory pressure: how full, how much stall, what is swapped and read, and what the server holds."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

from tui.app.panels.lines import column, most, wrapped
from tui.app.panels.panel import SLOW, Panel
from tui.app.panels.titles import titled
from tui.app.scene import Scene
from tui.app.theming import Ink
from tui.domain.machine import Reading
from tui.domain.pressure import Pressure
from tui.plot.cells import clean
from tui.plot.cells import width as cells_of
from tui.plot.gauge import gauge, sparkline
from tui.plot.glyphs import Fill
from tui.plot.numbers import ABSENT, size, size_of, throughput
from tui.plot.rows import Row, Span, join, row_width

NAME = 8
NOT_YET = "not read yet"
_HISTORY = 600
_LEVELS = {"info": "secondary", "warn": "text bold", "crit": "stall bold"}
_SIGNS = {"info": "●", "warn": "▲", "crit": "✖"}


class Memory(Panel):
    every = SLOW

    def __init__(self, ink: Ink, name: str) -> None:
        super().__init__(ink, name)
        self._stalls: deque[float | None] = deque(maxlen=_HISTORY)
        self._latest: Reading | None = None

    def rows(self, scene: Scene, width: int, height: int) -> Sequence[Row]:
        pressure = scene.pressure
        if pressure.latest is not self._latest:
            self._latest = pressure.latest
            self._stalls.append(pressure.flow.stall_some_pct if pressure.flow else None)
        word, style = state(pressure)
        title = (
            "memory"
            if not (pressure.latest and pressure.latest.remote)
            else "memory · this computer, not the server"
        )
        body = memory(scene, list(self._stalls), width, self.fill)
        return (titled(title, width, self.fill, word, style, lit=self.selected), *body[: height - 1])


def not_read(scene: Scene) -> str:
    """Why there will never be a reading; "" where there is one or may be."""
    return "" if scene.replay is None or scene.replay.sampled else "the recording holds no machine samples"


def state(pressure: Pressure) -> tuple[str, str]:
    """(word with its sign, style) of the state of the memory; nothing before the first reading."""
    if pressure.latest is None:
        return "", "secondary"
    level = pressure.word.level
    return f"{pressure.word.value} {_SIGNS[level]}", _LEVELS[level]


def memory(scene: Scene, stalls: Sequence[float | None], width: int, fill: Fill) -> Sequence[Row]:
    """Up to seven rows."""
    pressure = scene.pressure
    now, flow = pressure.latest, pressure.flow
    if now is None:
        why = wrapped(not_read(scene) or NOT_YET, width - 1)
        return tuple(((f" {line}", "secondary"),) for line in why)
    told = (
        size_of(_used(now) or 0, now.ram_total_bytes)
        if now.ram_total_bytes and _used(now) is not None
        else None
    )
    stall = flow.stall_some_pct if flow else None
    rows = [
        gauged("RAM", used_share(now), f"{told.number} {told.unit[0]}" if told else ABSENT, width, fill),
        _history(stalls, stall, width, fill, now),
        facts("swap", _swap(pressure), width),
        facts("disk", [_rate(flow.disk_read_bytes_s if flow else None, "read ")], width),
        facts("server", _server(now, scene.setup.pid), width),
    ]
    if now.limit_bytes is not None:
        limit = f"container limit {size(now.limit_bytes)}"
        rows.append(facts("", [limit], width))
    return rows


def gauged(name: str, share: float | None, text: str, width: int, fill: Fill, role: str = "text") -> Row:
    """A name, a gauge as wide as there is room, and a number at the right edge."""
    cells = width - 1 - NAME - 2 - max(11, cells_of(text))
    head: Row = ((" ", "text"), column(name, NAME - 1, "secondary"))
    bar = gauge(share, max(0, cells), fill, role) if share is not None else (((" " * max(0, cells)), "text"),)
    free = width - 1 - row_width(join(head, bar))
    return join(head, bar, (column(text, free, right=True),))


def facts(name: str, parts: Sequence[str], width: int) -> Row:
    """A name and short facts, as many as fit whole."""
    head: Row = ((" ", "text"), column(name, NAME - 1, "secondary"))
    return most(head, [(((" " if i else "") + part, "text"),) for i, part in enumerate(parts) if part], width)


def used_share(now: Reading) -> float | None:
    used = _used(now)
    return used / now.ram_total_bytes if used is not None and now.ram_total_bytes else None


def _used(now: Reading) -> int | None:
    if now.ram_total_bytes is None or now.ram_available_bytes is None:
        return None
    return now.ram_total_bytes - now.ram_available_bytes


def _history(
    values: Sequence[float | None], stall: float | None, width: int, fill: Fill, now: Reading
) -> Row:
    if now.stall_some_us is None:
        return facts("stall", [ABSENT, now.absent.get("stall_some_us", "not told here")], width)
    cells = width - 1 - NAME - 13
    text: Span = (f"{stall:.1f} %" if stall is not None else ABSENT, "text")
    line = sparkline(values, max(0, cells), fill, top=100.0)
    head: Row = ((" ", "text"), column("stall", NAME - 1, "secondary"))
    free = width - 1 - row_width(join(head, line))
    return join(head, line, (column(text[0], free, right=True),))


def _swap(pressure: Pressure) -> list[str]:
    now, flow = pressure.latest, pressure.flow
    if now is None or now.swap_total_bytes is None:
        return [ABSENT]
    if not now.swap_total_bytes:
        return ["none set up"]
    parts = [_rate(flow.swap_in_bytes_s if flow else None, "in ")]
    return [*parts, f"· {size(now.swap_used_bytes)} used"] if now.swap_used_bytes else parts


def _rate(bytes_per_s: float | None, words: str) -> str:
    return ABSENT if bytes_per_s is None else f"{words}{throughput(bytes_per_s)}"


def _server(now: Reading, own_pid: int | None) -> list[str]:
    """The process that answers; the built-in engine's is called so, whatever interpreter it runs in."""
    if now.server is None:
        return [ABSENT, clean(now.server_reason)]
    held = size(now.server.rss_bytes) if now.server.rss_bytes is not None else ABSENT
    name = "built-in engine" if now.server.pid == own_pid else clean(now.server.name)
    return [name, held, clean(now.server.note)]


def short(pressure: Pressure) -> tuple[str, str]:
    """(memory in a few cells, state word) for the small screen."""
    now = pressure.latest
    if now is None or now.ram_total_bytes is None or _used(now) is None:
        return ABSENT, ""
    told = size_of(_used(now) or 0, now.ram_total_bytes)
    return f"{told.number} {told.unit[0]}", state(pressure)[0]
