"""The real monitor at a chosen moment, as SVG."""

from __future__ import annotations

import asyncio
import io
import os
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from screenshots import shows
from screenshots.catalogue import Film, Look, Picture
from screenshots.vector import tidied
from tui.plot.glyphs import Fill

if TYPE_CHECKING:
    from textual.pilot import Pilot

    from tui.app.desk import Desk
    from tui.app.main import Monitor
    from tui.capture.replay_session import ReplaySession

FILLS = {Look.COLOUR: Fill.COLOUR, Look.NO_COLOR: Fill.MONO, Look.ASCII: Fill.ASCII}
_STEP_NS = 50_000_000  # of the monitor's own frames


@dataclass(frozen=True, slots=True)
class Running:
    """A monitor at work."""

    app: Monitor
    desk: Desk
    feed: ReplaySession
    pilot: Pilot[None]


async def drawn(sitting: Sequence[Picture]) -> dict[str, str]:
    """The SVGs of pictures that one run of the monitor can show, by name."""
    first = sitting[0]
    if first.show == "doctor":
        return {picture.name: text(shows.doctor(), picture.size[0]) for picture in sitting}
    now = [0]
    made: dict[str, str] = {}
    async with opened(first.show, first.look, first.size, now) as at:
        shows.lead(at.desk, at.feed, first.show)
        for picture in sitting:
            made[picture.name] = await _one(at, picture)
    return made


async def _one(at: Running, picture: Picture) -> str:
    from tui.settings import themes

    if tuple(at.app.size) != picture.size:
        await at.pilot.resize_terminal(*picture.size)
        while tuple(at.desk.size) != picture.size:
            await at.pilot.pause()
    if at.app.palette.name != picture.theme:
        at.app._wear(themes.shipped(picture.theme))
    at.desk.stage(picture.staged)
    at.desk.maximise(picture.maximised)
    await at.pilot.pause()
    at.feed.seek(shows.moment(at.feed, picture.at))
    at.desk.pump.tick()
    await at.pilot.pause()
    await at.pilot.press(*picture.keys)
    if picture.page:
        shows.lay(at.app, picture.page)
    at.desk.say("")  # what a key said would stand for seconds in the footer's place
    at.desk.pump.tick()
    await at.pilot.pause()
    return tidied(at.app.export_screenshot(title="toklane"))


async def frames(film: Film, wanted: Sequence[int] | None = None) -> AsyncIterator[tuple[int, str]]:
    """Number and SVG of each frame of a film, or of the wanted ones only; the last one is the end."""
    from tui.settings import themes

    now = [0]
    async with opened(film.show, Look.COLOUR, film.size, now) as at:
        at.app._wear(themes.shipped(film.theme))
        at.feed.begin()
        for number in range(count(film, at.feed)):
            at.desk.pump.touch()
            at.desk.pump.tick()
            if wanted is None or number in wanted:
                await at.pilot.pause()
                yield number, tidied(at.app.export_screenshot(title="toklane"))
            for _ in range(round(film.every_s * 1e9) // _STEP_NS):
                now[0] += _STEP_NS
                at.desk.pump.tick()


def count(film: Film, feed: ReplaySession) -> int:
    """How many frames it has: from the sending on, and one of the end."""
    return (feed.end_ns - feed.start_ns) // round(film.every_s * 1e9) + 2


@asynccontextmanager
async def opened(show: str, look: Look, size: tuple[int, int], now: list[int]) -> AsyncIterator[Running]:
    """The monitor on a terminal of that kind; frames come from here alone, not from its timers."""
    from tui.app.desk import Desk
    from tui.app.main import Monitor
    from tui.settings import themes

    feed = shows.session(show, lambda: now[0])
    with terminal(look), replaced(Desk, "on_mount"), replaced(Monitor, "_settle"):
        app = Monitor(lambda: (feed, feed.knobs), theme=themes.shipped("dark"))
        app.fill = FILLS[look]  # it goes by the encoding of stdout, which is not the pictures'
        async with app.run_test(size=size) as pilot:
            while app.desk is None or not app.desk.is_current:
                await pilot.pause()
            yield Running(app, app.desk, feed, pilot)


@contextmanager
def terminal(look: Look) -> Iterator[None]:
    """The variables of a terminal that can show this, whatever it is started in."""
    before = {name: os.environ.pop(name, None) for name in ("NO_COLOR", "COLORTERM", "TERM")}
    os.environ.update(TERM="xterm-256color", COLORTERM="truecolor")
    if look is Look.NO_COLOR:
        os.environ["NO_COLOR"] = "1"
    try:
        yield
    finally:
        for name, value in before.items():
            os.environ.pop(name, None)
            if value is not None:
                os.environ[name] = value


@contextmanager
def replaced(kind: type, method: str) -> Iterator[None]:
    """Without what that method does."""
    before = getattr(kind, method)
    setattr(kind, method, lambda self: None)
    try:
        yield
    finally:
        setattr(kind, method, before)


def text(words: str, columns: int) -> str:
    """Lines of a command as they stand in a terminal."""
    from rich.console import Console
    from rich.text import Text

    console = Console(
        width=columns, record=True, file=io.StringIO(), force_terminal=True, legacy_windows=False
    )
    console.print(Text(words))
    return tidied(console.export_svg(title="toklane"))


def all_drawn(sittings: Sequence[Sequence[Picture]]) -> Iterator[tuple[Picture, str]]:
    """Each picture with its SVG."""
    for sitting in sittings:
        made = asyncio.run(drawn(sitting))
        for picture in sitting:
            yield picture, made[picture.name]
