"""The tour without an engine: the recording of each scene, played when the scene would be sent."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from pathlib import Path

from tui.capture.recording import read
from tui.capture.replay_session import ReplaySession
from tui.domain.knobs import Knobs
from tui.domain.view import View

Slide = tuple[str, Path | None]
"""Title of a scene, and its recording if it has one."""


class TourSession(ReplaySession):
    """Shows nothing until a scene is sent; then its recording from the beginning, the one before as ghost.

    at: the scene that `send` plays, from 0; one without a recording leaves everything as it is.
    """

    def __init__(self, slides: Sequence[Slide], clock: Callable[[], int] = time.monotonic_ns) -> None:
        """Raises OSError, NotARecording, and ValueError when there is no recording at all."""
        self.slides = tuple(slides)
        self.at = 0
        first = next((file for _, file in self.slides if file is not None), None)
        if first is None:
            raise ValueError("the script names none")
        super().__init__(read(first), first, clock=clock)
        self._title = ""
        self.pause()

    def view(self) -> View:
        """Empty until a scene is sent."""
        return super().view() if self._title else View()

    def outcome(self) -> View:
        """What the scene comes to, however far it was played."""
        return self._points.whole.live.view() if self._title else View()

    def send(self, knobs: Knobs) -> None:
        """Play the scene's recording; the knobs are the recorded ones. Raises OSError, NotARecording."""
        title, file = self.slides[self.at]
        if file is None:
            return
        recording = read(file)
        if self._title and self.run is not None:
            self.shelf.keep(self.outcome(), self.knobs, f"run {self.run.number} · {self._title}")
        self._title = title
        self.held = False
        self.jumps += 1
        self._open(recording, file, self.speed)
