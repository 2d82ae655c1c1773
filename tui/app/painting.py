"""Straight to the terminal: what changed in a frame is written at once, past messages and compositor.

Textual's own way from a changed row to the terminal takes three messages a panel, another timer's round and a
composition of all that lies in the box around the changes, which together cost more than making the rows.
Panels of the board never lie over each other, so nothing has to be composed. This is the one place that
needs Textual's inner names for it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from rich.console import Console
from textual._ansi_sequences import SYNC_END, SYNC_START
from textual.app import App
from textual.screen import Screen
from textual.strip import Strip

Part = tuple[int, int, Strip]
"""Column and row on the screen, and what stands there from now on."""


class Painter:
    """Takes the changed parts of rows while it is `ready`; otherwise they have to go Textual's way."""

    def __init__(self) -> None:
        self.ready = False
        self._parts: list[Part] = []

    def put(self, column: int, row: int, strip: Strip) -> None:
        """Has it written at the end of the frame."""
        self._parts.append((column, row, strip))

    @contextmanager
    def frame(self, screen: Screen[None]) -> Iterator[None]:
        """What is put inside is written behind it. Under another screen, and while Textual holds its own
        writing back, nothing is taken.
        """
        app = screen.app
        self.ready = app.screen is screen and not app._batch_count
        try:
            yield
        finally:
            self.ready = False
        if self._parts:
            parts, self._parts = self._parts, []
            write(app, parts)


def write(app: App[None], parts: Sequence[Part]) -> None:
    """All parts by one write; where the terminal can, it shows them at once."""
    driver = app._driver
    if driver is not None and app.is_running:
        frame = written(parts, app.console)
        driver.write(f"{SYNC_START}{frame}{SYNC_END}" if app._sync_available else frame)


def written(parts: Sequence[Part], console: Console) -> str:
    """Each part behind an order to go to its place, which counts from 1."""
    return "".join(f"\x1b[{row + 1};{column + 1}H{strip.render(console)}" for column, row, strip in parts)
