"""The giant figures: two while a request runs, three when it is over."""

from __future__ import annotations

from collections.abc import Sequence

from tui.app.figures import Units
from tui.app.panels.panel import Panel
from tui.app.scene import Scene
from tui.app.stage.band import CALM
from tui.app.stage.telling import giants
from tui.app.theming import Ink
from tui.plot.giant import giant_rows
from tui.plot.rows import Row


class Giants(Panel):
    every = CALM

    def __init__(self, ink: Ink, name: str) -> None:
        super().__init__(ink, name)
        self._units = Units()

    def rows(self, scene: Scene, width: int, height: int) -> Sequence[Row]:
        return giant_rows(giants(scene, self._units), width, height, self.fill)
