"""The top row: who answers, with which model, and how well the instrument sees."""

from __future__ import annotations

from collections.abc import Sequence

from tui.app.layout import Form
from tui.app.panels.lines import dotted, ends, most
from tui.app.panels.panel import SLOW, Panel
from tui.app.replay_words import marks, place, source, speed
from tui.app.scene import Scene
from tui.app.tour.shown import Part
from tui.plot.numbers import duration
from tui.plot.rows import Row, join, row_width


class Header(Panel):
    every = SLOW

    def rows(self, scene: Scene, width: int, height: int) -> Sequence[Row]:
        return (header(scene, width, self.plan.form),)


def header(scene: Scene, width: int, form: Form) -> Row:
    """Name, engine, model, context, address; at the right the run and the clock. What has no room goes."""
    large = form is Form.LARGE
    name: Row = ((" toklane", "text bold"), ("  " if large else " ", "text"))
    if scene.engine.unchecked:
        name = join(name, (("certificate not checked", "failed bold"), ("  " if large else " ", "text")))
    right = _fitting(_right(scene, large), width - row_width(name))
    engine = scene.engine
    parts = [
        engine.name,
        _short(engine.model, width // 2),
        f"ctx {scene.context}" if scene.context else "",
        engine.address if large else "",
    ]
    left = most(name, dotted([part for part in parts if part], "secondary"), width - row_width(right) - 1)
    return ends(left, right, width) if right else join(left)


def _fitting(parts: list[str], cells: int) -> Row:
    """As many parts as leave a cell free, the first ones first; an empty row for none."""
    for n in range(len(parts), 0, -1):
        row: Row = ((f"{' · '.join(parts[:n])} ", "secondary"),)
        if row_width(row) < cells:
            return row
    return ()


def _right(scene: Scene, large: bool) -> list[str]:
    if scene.replay:
        replay = scene.replay
        name = source(replay, _short(replay.file, 40) if large else "")
        if scene.tour:
            name = f"tour {scene.tour.number} of {scene.tour.of} · recording"
            if scene.tour.part is Part.BEFORE:
                return [name, speed(replay.speed)]
        return [name, speed(replay.speed), place(replay), *marks(replay)]
    tour = [f"tour {scene.tour.number} of {scene.tour.of}"] if scene.tour else []
    if not scene.run_number:
        return tour
    clock = scene.view.clock
    if not large:
        return [*tour, f"run {scene.run_number}"]
    if clock.late and clock.p99_ns is not None:
        return [*tour, f"run {scene.run_number}", f"READ LATE ±{duration(clock.p99_ns)}"]
    if clock.p99_ns is not None:
        return [*tour, f"run {scene.run_number}", f"clock ±{duration(clock.p99_ns)}"]
    return [*tour, f"run {scene.run_number}"]


def _short(name: str, cells: int) -> str:
    """A name without its folders; what is still too long is left out, not cut."""
    short = name.rstrip("/").rsplit("/", 1)[-1]
    return name if len(name) <= cells else short if len(short) <= cells else ""
