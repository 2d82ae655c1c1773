"""The small screen's panels: reading, writing, memory and load, each half a line."""

from __future__ import annotations

from collections.abc import Sequence

from tui.app.layout import Form
from tui.app.panels.gpu import in_short
from tui.app.panels.lines import column, most
from tui.app.panels.machine_rows import ELSEWHERE, SIGNS, STYLES, not_read
from tui.app.panels.memory import short, used_share
from tui.app.panels.panel import SLOW, Panel
from tui.app.panels.phases import answer_limit, reading, told_so_far
from tui.app.panels.titles import rule
from tui.app.scene import Scene
from tui.plot.gauge import gauge
from tui.plot.glyphs import Fill
from tui.plot.numbers import ABSENT, count
from tui.plot.rows import Row, join, row_width

_CORES = 6  # cells of that name


class Gauges(Panel):
    every = SLOW

    def rows(self, scene: Scene, width: int, height: int) -> Sequence[Row]:
        if self.plan.form is Form.LINE:
            return (machine(scene, width, self.fill, wide=False), load(scene, width, self.fill))[:height]
        lines = (work(scene, width, self.fill), machine(scene, width, self.fill))
        line = rule(width, self.fill)
        return (line, *lines, line)[:height] if height > len(lines) + 1 else (line, *lines)[-height:]


def work(scene: Scene, width: int, fill: Fill) -> Row:
    """How far the prompt is read, and how much of the answer is written."""
    wait = next((p for p in scene.view.phases if p.name == "waiting"), None)
    if wait is not None and not scene.view.reports:
        return most((), [((f" {wait.source}", "secondary"),)], width)
    right = _written(scene, fill)
    for cells, asked in ((20, True), (10, True), (20, False)):
        bar, told = reading(scene.view, cells, fill, asked)
        left = join(((" ", "text"), column("read", 6, "secondary")), bar, ((f" {told}", "text"),))
        place = max(row_width(left) + 2, width * 53 // 80) if right else row_width(left)
        if place + row_width(right) <= width:
            return join(left, ((" " * (place - row_width(left)), "text"),), right)
    return left


def _written(scene: Scene, fill: Fill) -> Row:
    written, limit = told_so_far(scene.view), answer_limit(scene.view)
    if not written:
        return ()
    if limit is None:
        return (("write ", "secondary"), (f"{count(written)} tok", "text"))
    bar = gauge(min(1.0, written / limit), 10, fill, "decode")
    return join((("write ", "secondary"),), bar, ((f" {count(written)}/{count(limit)}", "text"),))


def machine(scene: Scene, width: int, fill: Fill, wide: bool = True) -> Row:
    """Memory, and behind it the load where there is room for both."""
    now = scene.pressure.latest
    if now is None and (why := not_read(scene)):
        return most((), [((f" {why}", "secondary"),)], width)
    told, word = short(scene.pressure)
    level = scene.pressure.word.level
    left = join(
        ((" ", "text"), column("mem", 6, "secondary")),
        gauge(used_share(now) if now else None, 10, fill, "text"),
        ((f" {told}  ", "text"), (word, "secondary" if level == "info" else "stall bold")),
    )
    if not wide:
        return left
    place = max(row_width(left) + 2, width // 2)
    right = load(scene, width - place, fill, indent="")
    return join(left, ((" " * (place - row_width(left)), "text"),), right)


def load(scene: Scene, width: int, fill: Fill, indent: str = " ") -> Row:
    """The GPU's load, or the processor's where there is none, and why so."""
    now = scene.pressure.latest
    if now is None and not_read(scene):
        return ()
    name, share, percent, more = in_short(scene)
    head = join(
        ((indent, "text"), column(name, 5, "secondary")),
        gauge(share, 10, fill, "text"),
        ((f" {percent}", "text"),),
    )
    if now is not None and now.remote:
        return most(head, [((f"  {part}", "secondary"),) for part in (ELSEWHERE, "not the server's")], width)
    if now is not None and not now.gpus and now.cpu_cores:
        return _cores(share, now.cpu_cores, more, width - len(indent), fill, indent)
    return most(head, [((f"  {part}", _style(part)),) for part in more if part], width)


def _cores(share: float | None, cores: int, why: Sequence[str], width: int, fill: Fill, indent: str) -> Row:
    """Busy cores under the name they have in the panel; a shorter gauge leaves room to say why no GPU."""
    busy = ABSENT if share is None else f"{share * cores:.1f}"
    told = f"{busy}/{cores}".rjust(2 * len(str(cores)) + 3)  # no gauge moves with its number
    reason = f"  {why[0]}" if why and why[0] else ""
    need = _CORES + 1 + len(told) + len(reason)
    cells = next((cells for cells in (10, 6, 3) if need + cells < width), 0)
    return join(
        ((indent, "text"), column("cores", _CORES, "secondary")),
        gauge(share, cells or 10, fill, "text"),
        ((f" {told}", "text"), (reason if cells else "", "secondary")),
    )


def _style(part: str) -> str:
    """What hurts begins with its sign."""
    return STYLES["crit"] if part.startswith((SIGNS["crit"], SIGNS["warn"])) else "secondary"
