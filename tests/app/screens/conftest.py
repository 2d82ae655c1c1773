"""A bare app that shows one page, and what is seen of it."""

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import pytest
from textual.app import App
from textual.pilot import Pilot
from textual.screen import Screen
from textual.widgets import Input


@dataclass
class Seen:
    """The page under test: keys go in, text and what the page gave when it was left come out."""

    pilot: Pilot[None]
    results: list[Any] = field(default_factory=list)

    @property
    def text(self) -> str:
        """What stands on the screen, row by row."""
        screen = self.pilot.app.screen
        rows = screen._compositor.render_strips(screen.size)
        return "\n".join("".join(segment.text for segment in row).rstrip() for row in rows)

    @property
    def focus(self) -> str:
        """The widget that has the focus: its id, else its class."""
        focused = self.pilot.app.focused
        return "" if focused is None else focused.id or type(focused).__name__

    async def press(self, *keys: str) -> None:
        await self.pilot.press(*keys)
        await self.pilot.pause()

    async def fill(self, text: str) -> None:
        """Text put into the field that has the focus."""
        focused = self.pilot.app.focused
        assert isinstance(focused, Input)
        focused.value = text
        await self.pilot.pause()


@pytest.fixture
def show() -> Callable[..., AbstractAsyncContextManager[Seen]]:
    """`async with show(page, (80, 24)) as seen` opens the page in an app of its own."""

    @asynccontextmanager
    async def shown(page: Screen[Any], size: tuple[int, int] = (80, 24)) -> AsyncIterator[Seen]:
        app: App[None] = App()
        app.animation_level = "none"
        async with app.run_test(size=size) as pilot:
            seen = Seen(pilot)
            await app.push_screen(page, seen.results.append)
            await pilot.pause()
            yield seen

    return shown
