"""The load of the machine under the lane, what stood in its way, and with more room power or RAM below it."""

from __future__ import annotations

from tui.app.scene import Scene
from tui.app.tracks import LoadSeries, SecondSeries
from tui.app.troubles import troubles
from tui.plot.glyphs import Fill
from tui.plot.lane import Lane
from tui.plot.load import load_columns, load_rows
from tui.plot.rows import Row
from tui.plot.troubles import troubles_over

_TWO_LANES = 4  # rows from which there is a second one


class LoadLane:
    """Keeps what was worked out of the readings of a request."""

    def __init__(self) -> None:
        self._load = LoadSeries()
        self._second = SecondSeries()

    def rows(self, scene: Scene, lane: Lane, height: int, fill: Fill) -> list[tuple[str, Row]]:
        """`height` rows, each with its name in the gutter; the marks lie over the first one."""
        if not height:
            return []
        readings = scene.view.samples
        second = (height - 1) // 2 if height >= _TWO_LANES else 0  # and a row that keeps the two apart
        height -= second + bool(second)
        first, *rest = load_rows(load_columns(lane, self._load.follow(readings)), height, fill)
        first = troubles_over(first, lane, troubles(scene, alone=height == 1), fill)
        lines = [(self._load.name if not n else "", row) for n, row in enumerate([first, *rest])]
        if second:
            below = load_rows(load_columns(lane, self._second.follow(readings)), second, fill)
            lines += [("", ()), *((self._second.name if not n else "", row) for n, row in enumerate(below))]
        return lines
