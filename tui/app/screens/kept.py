"""A long text that is rendered once for each width, as a page is measured and drawn several times to open."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.measure import Measurement
from rich.segment import Segment


class Kept:
    """The parts below each other; they may not change any more."""

    def __init__(self, *parts: RenderableType) -> None:
        self._parts = parts
        self._rendered: dict[int, Sequence[Segment]] = {}

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        width = options.max_width
        if width not in self._rendered:
            self._rendered[width] = [
                segment for part in self._parts for segment in console.render(part, options)
            ]
        yield from self._rendered[width]

    def __rich_measure__(self, console: Console, options: ConsoleOptions) -> Measurement:
        return Measurement(1, options.max_width)
