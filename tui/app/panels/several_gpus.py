"""Several GPUs: those the server works on in a row each, the others in one line."""

from __future__ import annotations

from collections.abc import Sequence

from tui.app.panels.fold import Block
from tui.app.panels.graphics import aged, held_back, shortened, shown_first, state
from tui.app.panels.lines import column, most
from tui.app.panels.machine_rows import STYLES, facts
from tui.domain.gpu_use import working
from tui.domain.machine import Gpu, Reading
from tui.plot.cells import clean
from tui.plot.gauge import gauge, sparkline
from tui.plot.glyphs import Fill
from tui.plot.numbers import ABSENT, percent, size, size_of
from tui.plot.rows import Row, join, row_width

MOST_ROWS = 4


def several(now: Reading, width: int, fill: Fill) -> list[Block]:
    """A row for each GPU of the server, the others as one line of heat; below them the details of each."""
    order = shown_first(now)
    ours = working(now)
    first = order[: min(MOST_ROWS, len(ours) or 1)]
    others = [n for n in range(len(now.gpus)) if n not in first]
    unknown = [
        facts(
            "server", ["works on one that is not known", "its GPU unknown"][width < 40 :], width, "secondary"
        )
    ]
    blocks = [] if ours else [Block(5, unknown)]
    for n in first:
        blocks += _trouble_of(n, now.gpus[n], width)
        blocks.append(Block(0 if n == first[0] else 1, [_one_row(n, now.gpus[n], width, fill)]))
    if len(ours) > 1:
        blocks.append(Block(7, [_sum(ours, width)]))
    blocks.append(Block(4, [_heat([now.gpus[n] for n in others], width, fill)] if others else []))
    blocks.append(Block(12, [_detail(n, now.gpus[n], width) for n in first]))
    if others:
        blocks.append(Block(15, [_one_row(n, now.gpus[n], width, fill, "secondary") for n in others]))
    return blocks


def _one_row(n: int, gpu: Gpu, width: int, fill: Fill, role: str = "text") -> Row:
    """Number, use, memory and watts of one of several GPUs."""
    use = percent(gpu.util_pct) if gpu.util_pct is not None else ABSENT
    both = (
        size_of(gpu.mem_used_bytes, gpu.mem_total_bytes)
        if gpu.mem_used_bytes is not None and gpu.mem_total_bytes
        else None
    )
    watts = f"{gpu.power_w:.0f} W" if gpu.power_w is not None else ""
    told = [
        f" {use:>5}",
        f" {f'{both.number} {both.unit[0]}':>11}" if both else "",
        f" {watts:>6}" if watts else "",
    ]
    text = "".join(told[:2] if width < 40 else told)
    head: Row = ((" ", "text"), column(f"gpu {n}", 6, "secondary"))
    cells = max(0, min(40, width - row_width(head) - len(text) - 1))
    bar: Row = (
        gauge(gpu.util_pct / 100, cells, fill, role) if gpu.util_pct is not None else ((" " * cells, "text"),)
    )
    style = "secondary" if gpu.stale or gpu.reason else role
    return join(head, bar, ((text, style),))


def _trouble_of(n: int, gpu: Gpu, width: int) -> list[Block]:
    slow = held_back(gpu)
    told = (
        clean(gpu.reason)
        or (f"{slow.word}" if slow is not None and slow.level != "info" else "")
        or aged(gpu)
    )
    style = STYLES["crit"] if gpu.reason or (slow and slow.level == "crit") else STYLES["warn"]
    return [Block(2, [most(((" ", "text"),), [((f"gpu {n}: {told}", style),)], width)])] if told else []


def _sum(ours: Sequence[Gpu], width: int) -> Row:
    """What the server's GPUs use together; of those that still answer, where one doesn't."""
    live = [gpu for gpu in ours if not gpu.reason]
    watts = [gpu.power_w for gpu in live if gpu.power_w is not None]
    held = [gpu.mem_used_bytes for gpu in live if gpu.mem_used_bytes is not None]
    parts = [
        f"{sum(watts):,.0f} W" if live and len(watts) == len(live) else "",
        f"{size(sum(held))}" if live and len(held) == len(live) else "",
        f"of {len(live)} of the server's {len(ours)}"
        if len(live) < len(ours)
        else f"of the server's {len(ours)}",
    ]
    return facts("sum", parts, width)


def _heat(others: Sequence[Gpu], width: int, fill: Fill) -> Row:
    """The GPUs of nobody here, one cell each."""
    line = sparkline(
        [(gpu.util_pct or 0) / 100 if gpu.util_pct is not None else None for gpu in others],
        len(others),
        fill,
        top=1.0,
    )
    head: Row = ((" ", "text"), column("others", 7, "secondary"))
    busy = max((gpu.util_pct for gpu in others if gpu.util_pct is not None), default=None)
    told = [f"  {len(others)} more", f", busiest {percent(busy)}" if busy is not None else ""]
    return most(join(head, line), [((text, "secondary"),) for text in told if text], width)


def _detail(n: int, gpu: Gpu, width: int) -> Row:
    head: Row = ((" ", "text"), column(f"gpu {n}", 6, "secondary"))
    name: Row = ((f"  {shortened(gpu.name)}", "secondary"),)
    return most(join(head, state(gpu, width - row_width(head))), [name], width)
