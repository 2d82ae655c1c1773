"""What the monitor needs of whoever runs or replays requests."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Protocol, cast

from tui.domain.knobs import Knobs
from tui.domain.pressure import Pressure
from tui.domain.shelf import Shelf
from tui.domain.view import View


class Base(Protocol):
    @property
    def root(self) -> str: ...


class Found(Protocol):
    """An engine that answered: what it is, where, and with which model."""

    @property
    def engine(self) -> str: ...
    @property
    def base(self) -> Base: ...
    @property
    def model(self) -> str: ...
    @property
    def models(self) -> Collection[str]: ...
    @property
    def loading(self) -> bool: ...


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


class Live(Feed, Protocol):
    """A feed that talks to an engine."""

    @property
    def found(self) -> Found | None: ...
    @property
    def problem(self) -> str: ...
    @property
    def discovered(self) -> Collection[Found] | None: ...
    @property
    def builtin(self) -> BuiltIn: ...
    @property
    def activity(self) -> str: ...
    @property
    def context(self) -> int | None: ...
    def embed(self) -> None: ...


class Playback(Feed, Protocol):
    """A feed that plays a recording; what it is asked to send is ignored."""

    @property
    def file(self) -> str: ...
    @property
    def speed(self) -> float: ...
    @property
    def playing(self) -> bool: ...
    def play(self) -> None: ...
    def pause(self) -> None: ...


def playback(feed: Feed) -> Playback | None:
    """The feed as a player, if it is one."""
    return cast(Playback, feed) if hasattr(feed, "playing") else None


def live(feed: Feed) -> Live | None:
    """The feed as one that talks to an engine, if it is one."""
    return cast(Live, feed) if hasattr(feed, "builtin") else None
