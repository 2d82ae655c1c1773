"""A recording on the screen: the same shape as a live session, fed from a file on a virtual clock."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

from tui.capture.checkpoints import Checkpoints, Reached
from tui.capture.landmarks import Landmarks, after, before
from tui.capture.live import Live
from tui.capture.recording import Recording
from tui.capture.replay import Player
from tui.capture.target import Run, label_of
from tui.domain.asked import knobs_of
from tui.domain.knobs import Knobs
from tui.domain.pressure import Pressure
from tui.domain.shelf import Shelf
from tui.domain.view import View
from tui.domain.wire import Sample
from tui.plot.numbers import prompt_length

SPEEDS = (0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0)
_REACH_NS = 500_000_000  # so soon behind an edge "back" means the edge before it
_STAND_NS = 1_500_000_000  # a loop shows the end for so long


class ReplaySession:
    """Plays `recording` as it happened, `speed` times as fast. What it is asked to send is ignored.

    loop: begin again at the end. freeze: stand still at each change of phase; `held` while it does.
    scrubbed: somebody jumped about, so the end is no surprise any more. jumps: how often time did not just
    go on, by whatever cause.
    """

    def __init__(
        self,
        recording: Recording,
        file: Path,
        speed: float = 1.0,
        clock: Callable[[], int] = time.monotonic_ns,
        freeze: bool = False,
    ) -> None:
        self._clock = clock
        self.shelf = Shelf()
        self.loop = False
        self.freeze = freeze
        self.held = False
        self.jumps = 0
        self._open(recording, file, speed)

    def _open(self, recording: Recording, file: Path, speed: float) -> None:
        self._player = player = Player(recording, speed)
        self._marks = marks = Landmarks()
        self._points = Checkpoints(
            recording.records, lambda r: marks.see(player.due_ns[r.count - 1], r.live.state)
        )
        self._reached = Reached()
        self._over_ns: int | None = None
        self.scrubbed = False
        self.file = file.name
        self.sampled = any(isinstance(record, Sample) for record in recording.records)
        self.knobs = knobs = knobs_of(self._points.whole.live.state)
        label = f"{file.name} · {prompt_length(knobs.prompt_tokens)}" if knobs.prompt_tokens else file.name
        note = str(recording.meta.fields.get("note") or "")
        self.run: Run | None = Run(self.shelf.begin(), knobs, label, file.absolute(), note=note)
        player.start(self._clock())  # what was read up to here took a while
        self._stop_at_edge()

    # -- how it stands --------------------------------------------------------------------------------------

    @property
    def playing(self) -> bool:
        return self._player.playing and not self._player.finished

    @property
    def speed(self) -> float:
        return self._player.speed

    @property
    def running(self) -> bool:
        return not self._player.finished

    @property
    def position_ns(self) -> int:
        """Where the playing is, ns after sent."""
        return self._player.position_ns(self._clock())

    @property
    def start_ns(self) -> int:
        return self._player.start_ns

    @property
    def end_ns(self) -> int:
        return self._player.end_ns

    @property
    def pressure(self) -> Pressure:
        return self._reached.pressure

    # -- playing --------------------------------------------------------------------------------------------

    def play(self) -> None:
        """Go on; from the beginning when it was over."""
        if self._player.finished:
            self._jump(self._player.start_ns)
        self.held = False
        self._player.play(self._clock())
        self._stop_at_edge()

    def pause(self) -> None:
        self.held = False
        self._player.pause(self._clock())

    def begin(self) -> None:
        """Play from the beginning."""
        self._jump(self._player.start_ns)
        self.play()

    def seek(self, at_s: float | None) -> None:
        """Stand still at `at_s` seconds after "sent"; None: at the end."""
        self._player.pause(self._clock())
        self._jump(self._player.end_ns if at_s is None else round(at_s * 1e9))

    def jump(self, position_ns: int) -> None:
        """Go to a position and play on from there, if it played."""
        self.scrubbed = True
        self._jump(position_ns)

    def step(self, direction: int) -> bool:
        """To the next token (+1) or the one before (-1), and stand still; False when there is none."""
        look = after if direction > 0 else before
        found = look(self._marks.tokens, self.position_ns)
        if found is not None:
            self._player.pause(self._clock())
            self.jump(found)
        return found is not None

    def leap(self, direction: int) -> bool:
        """To the next change of phase or stall (+1) or the one before (-1); False when there is none."""
        edges = [edge.at_ns for edge in self._marks.edges]
        here_ns = self.position_ns
        if direction > 0:
            found = after(edges, here_ns)
        else:
            reach_ns = round(_REACH_NS * self.speed) if self.playing else 0
            found = before(edges, here_ns - reach_ns)
            found = before(edges[:1], here_ns) if found is None else found
        if found is not None:
            self.jump(found)
        return found is not None

    def pace(self, direction: int) -> float:
        """Faster (+1) or slower (-1) by one of `SPEEDS`; the speed that it is then."""
        faster = [speed for speed in SPEEDS if speed > self.speed]
        slower = [speed for speed in SPEEDS if speed < self.speed]
        speed = (faster[:1] if direction > 0 else slower[-1:]) or [self.speed]
        self._player.set_speed(self._clock(), speed[0])
        return speed[0]

    def hold(self, freeze: bool) -> None:
        """Stand still at each change of phase from now on, or no more."""
        self.freeze = freeze
        self._stop_at_edge()

    def remember(self, recording: Recording) -> None:
        """Take another recording as an earlier run: it leaves its TTFT on the dial, and the ghost."""
        live = Live()
        live.feed(recording.records)
        knobs = knobs_of(live.state)
        number = self.shelf.begin()
        if knobs.prompt_tokens:
            self.shelf.keep(live.view(), knobs, label_of(number, knobs))

    # -- as a session ---------------------------------------------------------------------------------------

    def drain(self) -> bool:
        """Take in what is due by now."""
        now_ns = self._clock()
        records = self._player.at(now_ns)
        for record in records:
            self._reached.take(record)
        if records:
            self._learn()
        stop_ns = self._player.stop_ns
        if self.playing and stop_ns is not None and self._player.position_ns(now_ns) >= stop_ns:
            self._player.pause(now_ns)
            self.held = True
            return True
        return bool(records) or self.playing or self._over(now_ns)

    def _over(self, now_ns: int) -> bool:
        """Whether what comes after the end has begun."""
        if not self._player.finished or not self._player.playing:
            self._over_ns = None
            return False
        self._over_ns = now_ns if self._over_ns is None else self._over_ns
        return self._at_end(now_ns - self._over_ns)

    def _at_end(self, stood_ns: int) -> bool:
        """It is over and has stood for so long: begin again, or don't."""
        if self.loop and stood_ns >= _STAND_NS:
            self.begin()
            return True
        return False

    def view(self) -> View:
        return self._reached.live.view(self.position_ns)

    def raw(self) -> list[str]:
        return self._reached.live.raw()

    def send(self, knobs: Knobs) -> None:
        """Nothing: a recording can't answer."""

    def cancel(self) -> None:
        """Nothing: there is no request to stop."""

    def close(self) -> None:
        """Nothing is open."""

    def _jump(self, position_ns: int) -> None:
        self.held = False
        self.jumps += 1
        self._over_ns = None
        self._reached = self._points.at(self._player.seek(self._clock(), position_ns))
        self._learn()
        self._stop_at_edge()

    def _stop_at_edge(self) -> None:
        edges = [edge.at_ns for edge in self._marks.edges]
        self._player.stop_ns = after(edges, self.position_ns) if self.freeze else None

    def _learn(self) -> None:
        if self._player.finished and self.knobs.prompt_tokens:
            self.shelf.learn(self._reached.live.view(), self.knobs)
