"""The monitor with a scripted session, on a clock that only a test moves."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field

import pytest
from textual.pilot import Pilot

from tests.app.calm import calm
from tests.app.scripted import MS, ScriptedSession
from tui.app.desk import Desk
from tui.app.main import Monitor
from tui.app.panels.panel import Panel
from tui.domain.knobs import Knobs
from tui.settings.keys import KEYS, Key

FRAME_NS = 50 * MS
PATIENCE_S = 20.0


@dataclass
class Clock:
    """Nanoseconds, moved by hand."""

    now_ns: int = 0

    def __call__(self) -> int:
        return self.now_ns


@dataclass
class Watched:
    """A running monitor: keys and time go in, rows come out."""

    app: Monitor
    pilot: Pilot[None]
    session: ScriptedSession
    clock: Clock
    painted: list[str] = field(default_factory=list)

    @property
    def desk(self) -> Desk:
        assert self.app.desk is not None
        return self.app.desk

    @property
    def rows(self) -> list[str]:
        """What stands on the screen."""
        screen = self.app.screen
        strips = screen._compositor.render_strips(screen.size)
        return ["".join(segment.text for segment in strip).rstrip() for strip in strips]

    @property
    def text(self) -> str:
        return "\n".join(self.rows)

    async def press(self, *keys: str) -> None:
        """Keys, and the frame that follows."""
        await self.pilot.press(*keys)
        await self.frame()

    async def frame(self) -> None:
        self.desk.pump.tick()
        await self.pilot.pause(0)

    async def until(self, true: Callable[[], bool]) -> None:
        """Until it is so: for what waits for a timer of Textual's, which no test moves."""
        async with asyncio.timeout(PATIENCE_S):
            while not true():
                await self.pilot.pause(0.01)

    async def wait(self, seconds: float) -> None:
        """Frames until `seconds` have passed on the clock."""
        for _ in range(round(seconds * 20)):
            self.clock.now_ns += FRAME_NS
            self.desk.pump.tick()
        self.desk.pump.touch()
        await self.frame()


Watch = Callable[..., AbstractAsyncContextManager[Watched]]


@pytest.fixture(autouse=True)
def all_colours(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever terminal the tests run in."""
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("COLORTERM", "truecolor")


@pytest.fixture(autouse=True)
def waits_for_calm(monkeypatch: pytest.MonkeyPatch) -> None:
    """A key, a size and a pause are over when the screen has nothing left to do."""
    for module in ("app", "pilot"):
        monkeypatch.setattr(f"textual.{module}.wait_for_idle", calm)


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def session(clock: Clock) -> ScriptedSession:
    return ScriptedSession(clock)


@asynccontextmanager
async def watching(
    app: Monitor, size: tuple[int, int], session: ScriptedSession, clock: Clock
) -> AsyncIterator[Watched]:
    """The monitor in a terminal of that size, its board painted once."""
    async with app.run_test(size=size) as pilot:
        while app.desk is None or not app.desk.is_current:
            await pilot.pause()
        watched = Watched(app, pilot, session, clock)
        await watched.frame()
        yield watched


@pytest.fixture
def watch(session: ScriptedSession, clock: Clock, monkeypatch: pytest.MonkeyPatch) -> Watch:
    """Opens the monitor at a size; its own timer stands still, frames come from the test."""
    monkeypatch.setattr(Desk, "on_mount", lambda desk: None)
    monkeypatch.setattr(Monitor, "_settle", lambda app: None)

    @asynccontextmanager
    async def opened(
        size: tuple[int, int] = (120, 36),
        knobs: Knobs | None = None,
        keys: tuple[Key, ...] = KEYS,
        staged: bool = False,
    ) -> AsyncIterator[Watched]:
        app = Monitor(lambda: (session, knobs or Knobs()), keys=keys, staged=staged)
        async with watching(app, size, session, clock) as watched:
            yield watched

    return opened


@pytest.fixture
def painted(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """Names of the panels that asked to be painted again."""
    names: list[str] = []
    refresh = Panel.refresh

    def noted(panel: Panel, *regions: object, **told: object) -> Panel:
        names.append(panel.id or "")
        return refresh(panel, *regions, **told)  # type: ignore[arg-type]

    monkeypatch.setattr(Panel, "refresh", noted)
    yield names
