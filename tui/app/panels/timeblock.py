"""Everything on the time axis in one block: names, lane, ghost, axis, gaps, load; one column = one moment."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from tui.app.axis import Axis, Extent
from tui.app.layout import Form, TimeRows
from tui.app.panels.ending import ending
from tui.app.panels.gutter import Gutter, gap_names, gutter_of
from tui.app.panels.load_lane import LoadLane
from tui.app.panels.panel import SLOW, Panel
from tui.app.panels.rival_lanes import rival_lanes, shared
from tui.app.panels.stalls import named, stalls_in
from tui.app.scene import Scene
from tui.app.stage.headings import CAPTIONS, GAPS
from tui.app.theming import Ink
from tui.app.tracks import Gaps
from tui.app.window import Window, readout
from tui.domain.rivals import told_rivals
from tui.domain.values import Provenance
from tui.domain.view import Stage, View
from tui.plot.axis import axis_row, ghost_row, label_row
from tui.plot.gaps import NO_TOKEN, NONE_CAME, gap_rows
from tui.plot.glyphs import Fill
from tui.plot.lane import Lane, Segment
from tui.plot.lane_layout import layout
from tui.plot.marks import Expected, Marks
from tui.plot.names import names_row
from tui.plot.numbers import duration
from tui.plot.read_so_far import counted_notches
from tui.plot.rows import Row
from tui.plot.scale import ticks
from tui.plot.timeline import lane_rows

_GAPS_EVERY = 2  # frames
_HIGH_LANE = 9  # rows from which every frame would be more bytes than a network may like


class TimeBlock(Panel):
    """Draws the rows the plan gives it; maximised, a window with a cursor."""

    def __init__(self, ink: Ink, name: str) -> None:
        super().__init__(ink, name)
        self.axis = Axis()
        self._on_stage = False
        self.window = Window()
        self._gaps = Gaps()
        self._load = LoadLane()
        self._beat = 0
        self._gap_lines: list[Row] = []
        self._load_lines: list[Row] = []

    def again(self, ink: Ink | None = None) -> None:
        self._gap_lines, self._load_lines = [], []
        self.every = 2 if self.plan.time.lane > _HIGH_LANE else 1
        super().again(ink)

    def move_cursor(self, cells: int) -> None:
        """The time cursor by columns."""
        if self.shown is not None:
            view = self.shown.view
            self.window.move(cells, self._lane(view, self._cells()), view.now_ns)
            self.again()

    def moment_at(self, column: int) -> int | None:
        """The moment (ns since sent) in a column of the panel; None beside the lane."""
        cells, place = self._cells(), column - gutter_of(self.plan.form).width
        if self.shown is None or not 0 <= place < cells:
            return None
        return self._lane(self.shown.view, cells).time(place + 0.5)

    def zoom(self, direction: int) -> None:
        """Nearer (+1), farther (-1), everything (0); only where the timeline is maximised."""
        if self.plan.maximised == "time":
            self.window.scale(direction)
            self.again()

    def _cells(self) -> int:
        gutter = gutter_of(self.plan.form)
        return self.outer_size.width - gutter.width - gutter.margin

    def rows(self, scene: Scene, width: int, height: int) -> Sequence[Row]:
        gutter, on_stage = gutter_of(self.plan.form), self.plan.form is Form.STAGE
        if on_stage is not self._on_stage:
            self._on_stage, self.axis = on_stage, Axis()
        self.axis.follow(_extent(scene, on_stage))
        cells = width - gutter.width - gutter.margin
        if cells < 1:
            return ()
        lane = self._lane(scene.view, cells)
        drawn = self._draw(scene, lane, gutter, self.plan.time)
        if not self.plan.maximised:
            return drawn
        told = readout(scene, lane, self.window)
        return [*self.window.marked(drawn, lane, gutter.width, self.fill), *told]

    def _lane(self, view: View, cells: int) -> Lane:
        segments = [Segment(p.name, p.start_ns, p.end_ns) for p in view.phases]
        if self.plan.maximised and self.window.zoomed:
            start_ns, end_ns = self.window.span(self.axis.end_ns)
            return layout(segments, end_ns, cells, start_ns)
        return layout(segments, self.axis.end_ns, cells)

    def _draw(self, scene: Scene, lane: Lane, gutter: Gutter, plan: TimeRows) -> list[Row]:
        view, fill = scene.view, self.fill
        plan, for_rivals = shared(plan, told_rivals(view.conditions))
        now_ns = view.now_ns if view.running else None
        rows: list[Row] = []
        if plan.names:
            marks = _provenance(view, self.plan.form)
            rows.append(gutter.put("", names_row(lane, fill, _lengths(scene), marks)))
        style = "text bold reverse" if self.selected else "secondary"
        drawn = _for_a_room(_marks(scene, lane, now_ns)) if self._on_stage else _marks(scene, lane, now_ns)
        for n, row in enumerate(lane_rows(lane, plan.lane, drawn, fill)):
            rows.append(gutter.put(gutter.phases if not n else "", row, style))
        for name, row in rival_lanes(view, lane, for_rivals, fill):
            rows.append(gutter.put(name if len(name) < gutter.width else name.replace("rival ", "r"), row))
        if plan.ghost:
            ghost = _ghost(scene, lane, fill, plan.axis == 1, self._on_stage)
            rows.append(gutter.put("ghost" if scene.ghost else "", ghost))
        most = 8 if lane.width >= 100 and not self._on_stage else 5
        tick_ns = ticks(lane.end_ns, most, lane.start_ns)
        if plan.axis > 1:
            rows.append(gutter.put("", axis_row(lane, tick_ns, fill)))
        if plan.axis:
            bold = self.axis.stands_out(view.now_ns)
            rows.append(gutter.put("", label_row(lane, tick_ns, fill, now_ns, bold, scene.written.now_ns)))
        return [*rows, *self._series(scene, lane, gutter, plan)]

    def _series(self, scene: Scene, lane: Lane, gutter: Gutter, plan: TimeRows) -> list[Row]:
        """Gaps and load; while a request runs they are worked out anew not in every frame."""
        self._beat += 1
        view = scene.view
        now = scene.paused or not view.running or (scene.replay is not None and not scene.replay.playing)
        if now or self._beat % _GAPS_EVERY == 0 or len(self._gap_lines) != plan.gaps:
            self._gap_lines = self._gap_rows(view, lane, gutter, plan.gaps)
        if now or self._beat % SLOW == 0 or len(self._load_lines) != plan.load:
            self._load_lines = [
                gutter.put(name, row) for name, row in self._load.rows(scene, lane, plan.load, self.fill)
            ]
        return [*self._gap_lines, *self._load_lines]

    def _gap_rows(self, view: View, lane: Lane, gutter: Gutter, height: int) -> list[Row]:
        if not height:
            return []
        if view.stage is Stage.EMPTY:
            return [gutter.put("gaps" if not n else "", ()) for n in range(height)]
        stalls = stalls_in(view, lane)
        peaks, reads = self._gaps.by_column(lane, view.track, [stall.end_ns for stall in stalls])
        rows = gap_rows(
            peaks,
            height,
            self.axis.top_ns,
            self.fill,
            holes=[lane.hole(stall.start_ns, stall.end_ns) for stall in stalls],
            reads=reads,
            labels=named(stalls, view, lane),
            name=GAPS if self.plan.form is Form.STAGE else "",
            none=NO_TOKEN if view.running else NONE_CAME,
        )
        names = gap_names(view, gutter, height)
        return [gutter.put(name, row, style) for (name, style), row in zip(names, rows, strict=True)]


def _extent(scene: Scene, on_stage: bool) -> Extent:
    """On the stage the request of now has all of the axis; elsewhere it shares it with its ghost."""
    view = scene.view
    waits = view.stage in (Stage.WAITING, Stage.PREFILL)
    expected_ns = scene.expected_ns or 0 if waits else 0
    if scene.replay and scene.replay.scrubbed:  # then all of it is there to be pointed at
        expected_ns = scene.replay.end_ns
    return Extent(
        run=scene.run_number,
        now_ns=view.now_ns,
        over=not view.running and view.stage is not Stage.EMPTY,
        ghost_ns=scene.ghost.total_ns if scene.ghost and not on_stage else 0,
        expected_ns=expected_ns,
        median_ns=view.gaps.p50_ns or 0,
        holds=scene.knobs.auto,
    )


def _marks(scene: Scene, lane: Lane, now_ns: int | None) -> Marks:
    view = scene.view
    stalls = [(stall.start_ns, stall.end_ns) for stall in stalls_in(view, lane)]
    expected = None
    if scene.expected_ns is not None and view.stage in (Stage.WAITING, Stage.PREFILL):
        expected = Expected(scene.expected_ns, scene.expectation)
    # a calibration's only guess; what else is estimated has its edges from the engine or a probe
    guessed = {p.name for p in view.phases if p.name == "prefill" and p.provenance is Provenance.ESTIMATED}
    notches = counted_notches(view.reports)
    return Marks(now_ns, notches, expected, stalls, ending(view), guessed=frozenset(guessed))


def _for_a_room(marks: Marks) -> Marks:
    """With words inside the phases, and without the fine lines of the reports."""
    return replace(marks, notches=(), captions=CAPTIONS)


def _lengths(scene: Scene) -> dict[str, str]:
    """How long each phase is, whatever part of it the lane shows; one that comes twice is told as drawn.

    One that runs is as long as the figures say, however far the lane is.
    """
    phases = scene.view.phases
    seen = Counter(phase.name for phase in phases)
    said = {phase.name: phase for phase in scene.written.phases}
    whole = (said.get(phase.name, phase) if phase.running else phase for phase in phases)
    return {phase.name: duration(phase.duration_ns) for phase in whole if seen[phase.name] == 1}


def _provenance(view: View, form: Form) -> dict[str, str]:
    """Marks behind the times, where no table has them."""
    return (
        {}
        if form in (Form.LARGE, Form.STAGE)
        else {phase.name: phase.provenance.mark for phase in view.phases}
    )


def _ghost(scene: Scene, lane: Lane, fill: Fill, on_line: bool, on_stage: bool) -> Row:
    """Named where nothing beside it does; on the stage the axis may be too short for it."""
    ghost = scene.ghost
    if ghost is None:
        return ghost_row(lane, (), (), fill, on_line)
    segments = [Segment(p.name, p.start_ns, p.end_ns) for p in ghost.phases if p.end_ns > 0]
    total = duration(ghost.total_ns)
    named = not on_line or on_stage
    labels = (f"{ghost.label} · {total}", f"{ghost.name} · {total}", ghost.name) if named else ()
    return ghost_row(lane, segments, labels, fill, on_line)
