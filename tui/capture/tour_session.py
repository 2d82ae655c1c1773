"""The tour without an engine: the recording of each scene, played when the scene would be sent."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from pathlib import Path

from tui.capture.recording import read
from tui.capture.replay_session import ReplaySession
from tui.domain.knobs import Knobs
from tui.domain.pressure import Pressure
from tui.domain.view import View

Slide = tuple[str, Path | None]
"""Title of a scene, and its recording if it has one."""


class TourSession(ReplaySession):
    """Shows nothing until a scene is sent; then its recording from the beginning, the one before as ghost.

    at: the scene that `send` plays, from 0; one without a recording shows nothing.
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
        self._clear()

    @property
    def running(self) -> bool:
        """Not before a scene is sent."""
        return bool(self._title) and super().running

    @property
    def pressure(self) -> Pressure:
        """Of the machine in the scene, as far as it was played."""
        return super().pressure if self._title else Pressure()

    def view(self) -> View:
        """Empty until a scene is sent."""
        return super().view() if self._title else View()

    def outcome(self) -> View:
        """What the scene comes to, however far it was played."""
        return self._points.whole.live.view() if self._title else View()

    def send(self, knobs: Knobs) -> None:
        """Play the scene's recording; the knobs are the recorded ones. Raises OSError, NotARecording."""
        title, file = self.slides[self.at]
        self.clear()
        if file is None:
            return
        recording = read(file)
        self._title = title
        self._open(recording, file, self.speed)

    def clear(self) -> None:
        """To the beginning of a scene: what is shown stops and is gone; what it came to is the ghost."""
        if self._title:
            self.shelf.keep(self.outcome(), self.knobs, self._title, self._title)
        self._title = ""
        self._clear()

    def _clear(self) -> None:
        self.pause()
        self.run = None
        self.jumps += 1
