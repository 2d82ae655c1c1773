"""The monitor in a real browser: keys go in, the phases move in its pixels, and nobody outside is asked."""

from __future__ import annotations

import asyncio
import base64
import os
from collections.abc import Callable
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from tests.browser.chromium import Page, chromium, found
from tests.browser.conftest import Screen, Served
from tests.endings.terminal import PATIENCE_S
from tui.settings import themes

MANDATORY = os.environ.get("TOKLANE_BROWSER_TEST") == "1"
pytestmark = pytest.mark.skipif(
    not MANDATORY and found() is None,
    reason="no Chromium here; .ci/run installs one and makes this test mandatory (TOKLANE_BROWSER_TEST=1)",
)
_CELL = 200  # pixels of one cell of the terminal, about
_COUNT = """
(async (png, colours) => {
  const picture = new Image();
  picture.src = "data:image/png;base64," + png;
  await picture.decode();
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [picture.width, picture.height];
  const pen = canvas.getContext("2d");
  pen.drawImage(picture, 0, 0);
  const { data } = pen.getImageData(0, 0, canvas.width, canvas.height);
  const counts = colours.map(() => 0);
  for (let at = 0; at < data.length; at += 4) {
    const colour = (data[at] << 16) | (data[at + 1] << 8) | data[at + 2];
    const which = colours.indexOf(colour);
    if (which >= 0) counts[which]++;
  }
  return counts;
})(%r, %r)
"""


class Watched:
    """A page with the monitor in it: what its terminal was sent, and what is really painted."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self._screen = Screen(120, 38)
        self._news = asyncio.Event()
        page.on_frame = self._take

    def _take(self, data: bytes) -> None:
        self._screen.take(data)
        self._news.set()

    async def sees(self, *texts: str) -> None:
        """Until all of it is on the screen; AssertionError with the screen when it does not come."""
        try:
            async with asyncio.timeout(PATIENCE_S):
                while not all(text in self._screen.text for text in texts):
                    self._news.clear()
                    await self._news.wait()
        except TimeoutError:
            state = await self.page.value("document.body.className")
            raise AssertionError(f"not in time: {texts}; {state}; the screen:\n{self._screen.text}") from None

    async def painted(self, *roles: str) -> list[int]:
        """How many pixels have the colour of each role of the theme."""
        colours = [int(themes.load("dark").colours[role][1:], 16) for role in roles]
        png = base64.b64encode(await self.page.picture()).decode()
        counts: list[int] = await self.page.value(_COUNT % (png, colours))
        return counts

    async def grows(self, role: str, beyond: int) -> int:
        """Until this colour covers so many pixels more: a browser paints a little after it was told."""
        async with asyncio.timeout(PATIENCE_S):
            while (covered := (await self.painted(role))[0]) <= beyond:
                pass
        return covered


async def test_keys_go_in_and_the_phases_move(serve: Callable[..., Served], tmp_path: Path) -> None:
    server = serve("--theme", "dark")
    async with chromium(tmp_path / "profile") as page:
        watched = Watched(page)
        await page.open(server.address)
        await watched.sees("1/5")
        await page.press("Enter")  # the recording of a long prompt
        await watched.sees("2/5", "Reading the prompt")
        reading = await watched.grows("prefill", _CELL)
        await watched.grows("prefill", reading + _CELL)
        await page.press(" ")
        await watched.sees("space play")
        assert await watched.painted("decode") == [0]
        await page.press("]")  # the next phase, without the wait
        await watched.sees("Writing the answer")
        await page.press(" ")
        await watched.sees("space pause")
        writing = await watched.grows("decode", _CELL)
        await watched.grows("decode", writing + _CELL)
        await page.press("?")
        await watched.sees("keys: request")
        await page.press("Escape")
        await watched.sees("2/5")
        await page.press("q")
        async with asyncio.timeout(PATIENCE_S):
            while not await page.value("document.body.classList.contains('-closed')"):
                assert server.process.poll() is None
        assert await page.value("document.title") == "toklane"
        asked = {urlsplit(address).netloc for address in page.asked if not address.startswith("data:")}
        assert asked == {urlsplit(server.url).netloc}
        assert page.faults == []
    assert server.end() == (130, "", "")
