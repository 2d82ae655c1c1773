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
_S = 1_000_000_000
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
    """Plays the reels in turn, each from its beginning; the one before is the ghost of the next.

    stays: it does not go on by itself, as something else is looked at; afterwards the end stands anew.
    """

    def __init__(
        self,
        shown: Sequence[Reel] | None = None,
        speed: float = 1.0,
        clock: Callable[[], int] = time.monotonic_ns,
        freeze: bool = False,
    ) -> None:
        self.reels = tuple(shown or reels())
        self.at = 0
        self.stays = False
        self._counted_s: int | None = None
        first = self.reels[0]
        super().__init__(first.load(), first.file, speed, clock, freeze)

    @property
    def reel(self) -> Reel:
        """What is played."""
        return self.reels[self.at]

    @property
    def next_in_s(self) -> int | None:
        """Whole seconds until it goes on by itself, from the moment it is over; None while it does not."""
        if self._over_ns is None or self.stays or self.loop or self.scrubbed:
            return None
        return max(1, -(-(STAND_NS - self._clock() + self._over_ns) // _S))

    def next(self) -> None:
        """The next recording, behind the last one the first again."""
        name = f"recording {self.at + 1}"
        self.shelf.keep(self._points.whole.live.view(), self.knobs, f"{name} · {self.reel.title}", name)
        self.at = (self.at + 1) % len(self.reels)
        self.held = False
        self.jumps += 1
        self._open(self.reel.load(), self.reel.file, self.speed)

    def _at_end(self, stood_ns: int) -> bool:
        left_s = self.next_in_s
        if left_s is None and not self.loop:
            self._over_ns = None
        elif left_s is not None and stood_ns >= STAND_NS:
            self.next()
            return True
        before, self._counted_s = self._counted_s, left_s
        return super()._at_end(stood_ns) or left_s != before
