"""A recording on the screen: the same shape as a live session, fed from a file on a virtual clock."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

from tui.capture.live import Live
from tui.capture.recording import Recording
from tui.capture.replay import Player
from tui.capture.target import Run
from tui.domain.knobs import Cache, Knobs, Profile
from tui.domain.machine import reading_from
from tui.domain.pressure import Pressure, step
from tui.domain.shelf import Shelf
from tui.domain.state import learned
from tui.domain.view import View
from tui.domain.wire import Record, Sample
from tui.plot.numbers import prompt_length


class ReplaySession:
    """Plays `recording` as it happened, `speed` times as fast. What it is asked to send is ignored."""

    def __init__(
        self,
        recording: Recording,
        file: Path,
        speed: float = 1.0,
        clock: Callable[[], int] = time.monotonic_ns,
    ) -> None:
        self._clock = clock
        self._player = Player(recording, speed, clock())
        self._live = Live()
        self.file = file.name
        self.damaged_lines = recording.damaged_lines
        self.pressure = Pressure()
        self.shelf = Shelf(runs=1)
        self.sampled = any(isinstance(record, Sample) for record in recording.records)
        knobs = _knobs(recording)
        self.knobs = knobs
        label = f"{file.name} · {prompt_length(knobs.prompt_tokens)}" if knobs.prompt_tokens else file.name
        self.run: Run | None = Run(1, knobs, label, file.absolute())

    @property
    def playing(self) -> bool:
        return self._player.playing and not self._player.finished

    @property
    def speed(self) -> float:
        return self._player.speed

    @property
    def running(self) -> bool:
        return not self._player.finished

    def play(self) -> None:
        """Go on; from the beginning when it was over."""
        if self._player.finished:
            self._live = Live()
            self._live.feed(self._player.seek(self._clock(), -(1 << 62)))
        self._player.play(self._clock())

    def pause(self) -> None:
        self._player.pause(self._clock())

    def seek(self, at_s: float | None) -> None:
        """Stand still at `at_s` seconds after "sent"; None: at the end."""
        position_ns = self._player.end_ns if at_s is None else round(at_s * 1e9)
        self._live = Live()
        records = self._player.seek(self._clock(), position_ns)
        self._player.pause(self._clock())
        self.pressure = Pressure()
        for record in records:
            self._live.feed((record,))
            self._feel(record)
        self._learn()

    def remember(self, recording: Recording) -> None:
        """Take another recording as an earlier run: it leaves its TTFT on the dial, and the ghost."""
        live = Live()
        live.feed(recording.records)
        knobs = _knobs(recording)
        number = self.shelf.begin()
        if knobs.prompt_tokens:
            label = f"run {number} · {prompt_length(knobs.prompt_tokens)} · {knobs.cache.value}"
            self.shelf.keep(live.view(), knobs, label)

    def drain(self) -> bool:
        """Take in what is due by now."""
        records = self._player.at(self._clock())
        for record in records:
            self._feel(record)
        self._live.feed(records)
        if records:
            self._learn()
        return bool(records) or self.playing

    def view(self) -> View:
        return self._live.view(self._player.position_ns(self._clock()))

    def raw(self) -> list[str]:
        return self._live.raw()

    def send(self, knobs: Knobs) -> None:
        """Nothing: a recording can't answer."""

    def cancel(self) -> None:
        """Nothing: there is no request to stop."""

    def close(self) -> None:
        """Nothing is open."""

    def _learn(self) -> None:
        if self._player.finished and self.knobs.prompt_tokens:
            self.shelf.learn(self._live.view(), self.knobs)

    def _feel(self, record: Record) -> None:
        if isinstance(record, Sample):
            decoding = self._live.state.first_ns is not None
            self.pressure = step(self.pressure, reading_from(record.at_ns, record.fields), decoding)


def _knobs(recording: Recording) -> Knobs:
    """The knobs of the recorded request, as far as it tells; a prompt of 0 tokens is of unknown length."""
    live = Live()
    live.feed(recording.records)
    told = live.state.conditions
    asked = learned(told, "prompt_tokens_asked") or live.state.prompt_tokens or 0
    limit = learned(told, "answer_limit") or 0
    mode = str(told.get("cache_mode", "")).partition(":")[0]
    profile = str(told.get("profile", ""))
    base = Knobs()
    return Knobs(
        prompt_tokens=max(0, asked),
        answer_limit=limit if limit > 0 else base.answer_limit,
        cache=Cache(mode) if mode in {c.value for c in Cache} else base.cache,
        profile=Profile(profile) if profile in {p.value for p in Profile} else base.profile,
    )
