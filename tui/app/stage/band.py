"""The band: says to the last row of a room, by colour and in capitals, what happens now."""

from __future__ import annotations

from collections.abc import Sequence

from tui.app.panels.panel import Panel
from tui.app.scene import Scene
from tui.app.stage.contrast import band_ink
from tui.app.stage.telling import told
from tui.app.theming import Ink
from tui.plot.band import band_rows
from tui.plot.rows import Row

CALM = 10  # twice a second


class Band(Panel):
    every = CALM

    def __init__(self, ink: Ink, name: str) -> None:
        super().__init__(band_ink(ink), name)

    def again(self, ink: Ink | None = None) -> None:
        super().again(band_ink(ink) if ink else None)

    def rows(self, scene: Scene, width: int, height: int) -> Sequence[Row]:
        said = told(scene)
        return band_rows(said.word, said.parts, said.role, width, height, self.fill)
