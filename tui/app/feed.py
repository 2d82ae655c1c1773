"""What the monitor needs of whoever runs or replays requests."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, cast

from tui.domain.knobs import Knobs
from tui.domain.pressure import Pressure
from tui.domain.shelf import Shelf
from tui.domain.view import View

if TYPE_CHECKING:
    from tui.capture.target import Target
    from tui.engines.detect import Found


class Run(Protocol):
    """The request that runs, or the latest one."""

    @property
    def number(self) -> int: ...
    @property
    def knobs(self) -> Knobs: ...
    @property
    def recording(self) -> Path | None: ...
    @property
    def parts(self) -> tuple[tuple[str, int], ...]: ...
    @property
    def note(self) -> str: ...


class Feed(Protocol):
    """One request at a time, live or from a file. Nothing here blocks."""

    @property
    def running(self) -> bool: ...
    @property
    def run(self) -> Run | None: ...
    @property
    def shelf(self) -> Shelf: ...
    @property
    def pressure(self) -> Pressure: ...
    def drain(self) -> bool:
        """Take in what came; True when anything changed."""
        ...

    def view(self) -> View: ...
    def send(self, knobs: Knobs) -> None: ...
    def cancel(self) -> None: ...
    def raw(self) -> list[str]:
        """The newest of the stream as text, for the page of raw detail."""
        ...


class Process(Protocol):
    """A process of ours."""

    @property
    def pid(self) -> int: ...


class BuiltIn(Protocol):
    """The engine that comes along: off, fetching (its model), starting, ready, failed (why)."""

    @property
    def state(self) -> str: ...
    @property
    def done_bytes(self) -> int: ...
    @property
    def total_bytes(self) -> int: ...
    @property
    def stage(self) -> str: ...
    @property
    def why(self) -> str: ...
    @property
    def engine(self) -> Process | None: ...


class Live(Feed, Protocol):
    """A feed that talks to an engine."""

    @property
    def found(self) -> Found | None: ...
    @property
    def target(self) -> Target | None: ...
    @property
    def problem(self) -> str: ...
    @property
    def discovered(self) -> Sequence[Found] | None: ...
    @property
    def slow(self) -> Sequence[str]: ...
    @property
    def builtin(self) -> BuiltIn: ...
    @property
    def aiming(self) -> bool: ...
    @property
    def notice(self) -> str: ...
    @property
    def activity(self) -> str: ...
    @property
    def context(self) -> int | None: ...
    def embed(self) -> None: ...
    def discover(self) -> None: ...
    def aim(self, target: Target) -> None: ...


class Playback(Feed, Protocol):
    """A feed that plays a recording; what it is asked to send is ignored.

    sampled: the recording holds readings of the machine.
    """

    @property
    def file(self) -> str: ...
    @property
    def speed(self) -> float: ...
    @property
    def playing(self) -> bool: ...
    @property
    def sampled(self) -> bool: ...
    def play(self) -> None: ...
    def pause(self) -> None: ...


def playback(feed: Feed) -> Playback | None:
    """The feed as a player, if it is one."""
    return cast(Playback, feed) if hasattr(feed, "playing") else None


def live(feed: Feed) -> Live | None:
    """The feed as one that talks to an engine, if it is one."""
    return cast(Live, feed) if hasattr(feed, "builtin") else None
