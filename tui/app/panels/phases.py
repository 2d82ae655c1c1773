"""The phase table: how long each phase took, who says so, its share, and how far reading and writing are."""

from __future__ import annotations

from collections.abc import Sequence

from tui.app.panels.costs import GRAPHICS, MEMORY, PROCESSOR
from tui.app.panels.costs import table as costs
from tui.app.panels.fold import Block, folded
from tui.app.panels.lines import column, wrapped
from tui.app.panels.panel import SLOW, Panel
from tui.app.panels.titles import titled
from tui.app.panels.verdicts import judged
from tui.app.scene import Scene
from tui.domain.phases import Phase
from tui.domain.state import learned
from tui.domain.view import Stage, View
from tui.plot.cells import clean
from tui.plot.gauge import gauge, progress
from tui.plot.glyphs import Fill
from tui.plot.numbers import count, duration, share, three
from tui.plot.paint import area
from tui.plot.read_so_far import read_so_far
from tui.plot.rows import Row, join
from tui.report.hatched import unsplit

_BEFORE_GAUGE = 34
_GAUGE, _LONG_GAUGE = 20, 40  # cells; the long one where its words have room beside it
_WORDS = 34  # cells of the longest of these words
QUIET = ("send", "connect", "finish")  # shown when they count, and the first to go when rows are short
_COUNTS = 0.01
COSTS = (*GRAPHICS, *PROCESSOR, *(line for line in MEMORY if line.name != "VRAM"))
"""What the maximised panel tells of reading and writing side by side."""


class Phases(Panel):
    every = SLOW

    def rows(self, scene: Scene, width: int, height: int) -> Sequence[Row]:
        head = titled("phases", width, self.fill, lit=self.selected)
        if self.plan.maximised != self.id:
            return (head, *table(scene, width, height - 1, self.fill))
        body = table(scene, width, max(height // 2, height - 1 - len(COSTS)), self.fill)
        more = folded(
            [*_sources(scene, width), *costs(scene, width, COSTS), *judged(scene, width)],
            height - 2 - len(body),
        )
        return (head, *body, (), *more)


def _sources(scene: Scene, width: int) -> list[Block]:
    """Who says how long each phase was."""
    told = [
        (p.name, f"{p.provenance.mark} {clean(p.source)}") for p in scene.view.phases if p.name not in QUIET
    ]
    rows: list[Row] = [
        ((" ", "text"), column(name, 17, "secondary"), (line if not n else f"  {line}", "text"))
        for name, text in told
        for n, line in enumerate(wrapped(text, width - 20))
    ]
    return [Block(7, rows)] if rows else []


def table(scene: Scene, width: int, height: int, fill: Fill) -> Sequence[Row]:
    """At most `height` rows, one or two for each phase; the words end where the gauges do."""
    view = scene.view
    if not view.phases:
        return (((" nothing was sent yet", "secondary"),),) if height else ()
    total = sum(p.duration_ns for p in view.phases)
    shown = [p for p in view.phases if p.name not in QUIET or p.duration_ns >= _COUNTS * total or p.running]
    blocks = [(phase, _lines(phase, scene, total, width, fill)) for phase in shown]
    for quiet in (*QUIET, "unattributed"):
        if sum(len(lines) for _, lines in blocks) <= height:
            break
        blocks = [(phase, lines) for phase, lines in blocks if phase.name != quiet]
    if sum(len(lines) for _, lines in blocks) > height:
        blocks = [(phase, lines[:1]) for phase, lines in blocks]
    rows = [row for _, lines in blocks for row in lines]
    waiting = view.phase("waiting")
    if waiting is not None and len(rows) + 2 <= height:
        told = [text for why in (waiting.source, *unsplit(view)) for text in wrapped(why, width - 2)]
        rows += [(), *(((f" {text}", "secondary"),) for text in told)]
    return rows[:height]


def _lines(phase: Phase, scene: Scene, total: int, width: int, fill: Fill) -> list[Row]:
    glyph, style = area(phase.name, fill)
    lit = " bold" if phase.running else ""
    row: Row = (
        (" ", "text"),
        (glyph * 2, style),
        (" ", "text"),
        column(phase.name, 10 if len(phase.name) < 10 else len(phase.name) + 1, f"text{lit}"),
        column(duration(phase.duration_ns), 8 if len(phase.name) < 10 else 5, f"text{lit}", right=True),
        (f" {phase.provenance.mark}", "secondary"),
        column(share(phase.duration_ns, total), 8, "secondary", right=True),
    )
    beside = width >= _BEFORE_GAUGE + _LONG_GAUGE + _WORDS
    cells = _LONG_GAUGE if beside else min(_GAUGE, width - _BEFORE_GAUGE - 1)
    match phase.name:
        case "prefill":
            bar, told = reading(scene.view, cells, fill, asked=True)
        case "decode":
            bar, told = _writing(scene, cells, fill)
        case _:
            return [row]
    drawn = join(row, (("  ", "text"),), bar)
    if not told:
        return [drawn]
    if beside or not bar:
        return [join(drawn, ((f"  {told}", "text"),))]
    return [drawn, ((told.rjust(_BEFORE_GAUGE + cells), "text"),)]


def reading(view: View, cells: int, fill: Fill, asked: bool = False) -> tuple[Row, str]:
    """(gauge, words) of how far the prompt is read, or was when the request ended before its first token;
    `asked`: also what was wished for, if it differs."""
    cached = view.cached_tokens or 0
    if view.reports and view.ttft.number is None:
        last = view.reports[-1]
        bar = progress(
            cells,
            fill,
            last.total,
            reused=last.cached,
            reported=max(0, last.processed - last.cached),
            guessed=max(0, view.read_now - last.processed) if view.stage is Stage.PREFILL else 0,
        )
        return bar, read_so_far(last, unit=False)
    total = view.prompt_tokens
    if total is None or view.ttft.number is None:
        return progress(cells, fill, 1), ""
    worked = view.processed_tokens if view.processed_tokens is not None else max(0, total - cached)
    bar = progress(cells, fill, worked + cached or 1, reused=cached, reported=worked)
    wished = learned(view.conditions, "prompt_tokens_asked")
    beside = f" (asked {count(wished)})" if asked and wished and wished != total else ""
    if view.cached_tokens is None:
        return bar, f"{count(total)} tok{beside}, reuse not told"
    if cached:
        return bar, f"{count(worked)} + {count(cached)} reused{beside}"
    return bar, f"{count(worked)} tok{beside}, none reused"


def answer_limit(view: View) -> int | None:
    """Tokens the answer may have at most, None where the request tells no limit."""
    return learned(view.conditions, "answer_limit") or None


def told_so_far(view: View) -> int:
    """Answer tokens by the engine's count, 0 where it tells none."""
    reads = view.track.reads
    return view.tokens or (view.track.columns.tokens[reads - 1] if reads else 0)


def _writing(scene: Scene, cells: int, fill: Fill) -> tuple[Row, str]:
    written, limit = told_so_far(scene.view), answer_limit(scene.view)
    if not written:
        return gauge(None, cells, fill, "decode"), f"{count(scene.view.chunks)} messages, tokens not told"
    engine = scene.view.decode_engine
    beside = f" engine {three(engine.number)}/s {engine.provenance.mark}" if engine.number is not None else ""
    if limit is None:
        return (), f"{count(written)} tok{beside}"
    told = f"{count(written)}/{count(limit)} tok"
    return gauge(min(1.0, written / limit), cells, fill, "decode"), told + beside
