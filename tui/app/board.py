"""The main screen: its panels, where they stand, and its keys."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.events import Click
from textual.geometry import NULL_OFFSET, NULL_SPACING, Region, Size
from textual.layout import ArrangeResult, Layout, WidgetPlacement
from textual.screen import Screen
from textual.widget import Widget

from tui.app.bindings import on_board
from tui.app.layout import Form, Plan, plan
from tui.app.painting import Painter
from tui.app.panels.answer import Answer
from tui.app.panels.dial import Dial
from tui.app.panels.figures import Figures
from tui.app.panels.footer import Footer
from tui.app.panels.gauges import Gauges
from tui.app.panels.gpu import Load
from tui.app.panels.header import Header
from tui.app.panels.memory import Memory
from tui.app.panels.panel import Panel
from tui.app.panels.phases import Phases
from tui.app.panels.sentence import Sentence
from tui.app.panels.timeblock import TimeBlock
from tui.app.stage.band import Band
from tui.app.stage.giants import Giants
from tui.app.stage.plan import stage_plan
from tui.app.theming import Ink
from tui.settings.keys import KEYS, Key

SELECTABLE = frozenset({"time", "phases", "memory", "gpu", "answer"})


class Planned(Layout):
    """Places the panels as the plan for the size says; what the plan leaves out is not shown."""

    name = "planned"

    def __init__(self) -> None:
        self.maximised = ""
        self.staged = False
        self.answers = False  # on the stage: the answer in the place of the gaps

    def plan(self, size: Size) -> Plan:
        """The plan for a size: the stage's where it is wanted and has room."""
        on_stage = self.staged and not self.maximised
        stage = stage_plan(size.width, size.height, self.answers) if on_stage else None
        return stage or plan(size.width, size.height, self.maximised)

    def arrange(
        self, parent: Widget, children: list[Widget], size: Size, greedy: bool = True
    ) -> ArrangeResult:
        boxes = self.plan(size)
        placements = []
        for child in children:
            box = boxes.boxes.get(child.id or "")
            if isinstance(child, Panel):
                _tell(child, boxes)
                if box is not None:
                    region = Region(box.x, box.y, box.width, box.height)
                    placements.append(WidgetPlacement(region, NULL_OFFSET, NULL_SPACING, child))
        return placements


def _tell(panel: Panel, boxes: Plan) -> None:
    if panel.plan != boxes:
        panel.plan = boxes
        panel.call_later(panel.again)


class Board(Screen[None], inherit_bindings=False):
    """All panels of the monitor."""

    DEFAULT_CSS = "Board:ansi { background: $background; }"  # Textual's own screens have the terminal's
    BINDINGS: ClassVar[list[BindingType]] = [*on_board(KEYS)]
    AUTO_FOCUS = None

    def __init__(self, ink: Ink, keys: Sequence[Key]) -> None:
        super().__init__()
        self.planned = Planned()
        self.styles.overflow_x = self.styles.overflow_y = "hidden"
        self.time = TimeBlock(ink, "time")
        self.answer = Answer(ink, "answer")
        self.footer = Footer(ink, "footer", keys)
        self.panels: tuple[Panel, ...] = (
            Header(ink, "header"),
            Sentence(ink, "sentence"),
            Figures(ink, "figures"),
            self.time,
            Phases(ink, "phases"),
            Memory(ink, "memory"),
            Load(ink, "gpu"),
            Gauges(ink, "gauges"),
            self.answer,
            Dial(ink, "dial"),
            self.footer,
            Band(ink, "band"),
            Giants(ink, "giants"),
        )
        self.painter = Painter()
        for panel in self.panels:
            panel.painter = self.painter

    @property
    def layout(self) -> Layout:
        return self.planned

    def compose(self) -> ComposeResult:
        yield from self.panels

    @property
    def maximised(self) -> str:
        """The panel that fills the screen, "" for none."""
        return self.planned.maximised

    def maximise(self, name: str) -> None:
        """One panel over everything, or ("") all of them again."""
        self.planned.maximised = name
        self._arrange_anew()

    @property
    def on_stage(self) -> bool:
        """Whether the stage is what is shown."""
        return self.planned.plan(self.size).form is Form.STAGE

    def stage(self, staged: bool, answers: bool = False) -> None:
        """The stage instead of the usual screen; `answers`: with the answer in the place of the gaps."""
        self.planned.staged, self.planned.answers = staged, answers
        self.maximise("")

    def _arrange_anew(self) -> None:
        self.footer.refresh(layout=True)  # a child's wish makes the screen arrange all of them anew

    @property
    def selected(self) -> str:
        """The panel that the cursor is on, "" for none."""
        return next((panel.id or "" for panel in self.panels if panel.selected), "")

    def select_next(self) -> None:
        """The cursor on the next panel that is shown; behind the last one on none."""
        shown = [panel for panel in self.panels if panel.id in SELECTABLE and panel.plan.shows(panel.id)]
        order: list[Panel | None] = [None, *shown]
        now = next((panel for panel in shown if panel.selected), None)
        self.select(order[(order.index(now) + 1) % len(order)])

    def select(self, chosen: Panel | None) -> None:
        """The cursor on a panel, or on none."""
        for panel in self.panels:
            if panel.selected != (panel is chosen):
                panel.selected = panel is chosen
                panel.again()

    def on_click(self, click: Click) -> None:
        """One click selects a panel, two maximise it and, once more, put it back."""
        if not isinstance(click.widget, Panel) or click.widget.id not in SELECTABLE:
            return
        if click.chain == 2:
            self.maximise("" if self.maximised else click.widget.id or "")
        else:
            self.select(click.widget)

    def repaint(self, ink: Ink | None = None) -> None:
        """Everything anew, in other colours."""
        for panel in self.panels:
            panel.again(ink)
