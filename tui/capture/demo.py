"""The recordings of real requests that come along, one after the other, for who has no engine yet."""

from __future__ import annotations

import time
import tomllib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from tui import locations
from tui.capture.recording import Recording, read
from tui.capture.replay_session import ReplaySession

LIST = "demo.toml"
STAND_NS = 8_000_000_000  # so long each end can be read


@dataclass(frozen=True, slots=True)
class Reel:
    """One recording that comes along: its packed file, a few words for it, and what it shows."""

    file: Path
    title: str
    caption: str

    def load(self) -> Recording:
        """Read it. Raises OSError, NotARecording."""
        return read(self.file)


def reels(folder: Path | None = None) -> tuple[Reel, ...]:
    """Those of the folder's list (default: what comes along), in its order. Raises OSError, ValueError."""
    folder = folder or locations.demo_dir()
    told = tomllib.loads((folder / LIST).read_text(encoding="utf-8"))
    return tuple(Reel(folder / one["file"], one["title"], one["caption"]) for one in told["recording"])


class DemoSession(ReplaySession):
    """Plays the reels in turn, each from its beginning; the one before is the ghost of the next."""

    def __init__(
        self,
        shown: Sequence[Reel] | None = None,
        speed: float = 1.0,
        clock: Callable[[], int] = time.monotonic_ns,
        freeze: bool = False,
    ) -> None:
        self.reels = tuple(shown or reels())
        self.at = 0
        first = self.reels[0]
        super().__init__(first.load(), first.file, speed, clock, freeze)

    @property
    def reel(self) -> Reel:
        """What is played."""
        return self.reels[self.at]

    def next(self) -> None:
        """The next recording, behind the last one the first again."""
        whole, run = self._points.whole.live.view(), self.run
        if run is not None:
            self.shelf.keep(whole, self.knobs, f"run {run.number} · {self.reel.title}")
        self.at = (self.at + 1) % len(self.reels)
        self.held = False
        self.jumps += 1
        self._open(self.reel.load(), self.reel.file, self.speed)

    def _at_end(self, stood_ns: int) -> bool:
        if not self.loop and not self.scrubbed and stood_ns >= STAND_NS:
            self.next()
            return True
        return super()._at_end(stood_ns)
