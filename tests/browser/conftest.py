"""`toklane serve` as a person starts it, and pages without a browser."""

from __future__ import annotations

import asyncio
import contextlib
import http.client
import signal
import subprocess
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path

import aiohttp
import psutil
import pyte
import pytest

from tests.endings.terminal import PATIENCE_S, ROOT, TOKLANE, environment, eventually, living

COLUMNS, ROWS = 120, 36


class Served:
    """A server with its home; `address` is what it told, `url` that without its key."""

    def __init__(self, home: Path, *words: str, **env: str) -> None:
        self.home = home
        self.process = subprocess.Popen(
            [*TOKLANE, "serve", *words],
            env=environment(home, **env),
            cwd=ROOT,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert self.process.stdout is not None
        self.line = self.process.stdout.readline()
        self.address = self.line.split()[0]
        self.url, _, self.key = self.address.partition("/?key=")
        self._room = ""

    @property
    def room(self) -> str:
        """Where a browser that has opened the address is led to."""
        if not self._room:
            connection = http.client.HTTPConnection(self.url.removeprefix("http://"))
            with contextlib.closing(connection):
                connection.request("GET", f"/?key={self.key}")
                self._room = connection.getresponse().headers["Location"].strip("/")
        return self._room

    @property
    def known(self) -> dict[str, str]:
        """The cookie of a browser that has opened the address."""
        return {"Cookie": f"toklane-{self.url.rpartition(':')[2]}={self.key}"}

    @property
    def monitors(self) -> list[psutil.Process]:
        """The processes of its tabs, and what they started."""
        return [process for process in living(self.home) if process.pid != self.process.pid]

    def end(self, number: signal.Signals = signal.SIGINT) -> tuple[int, str, str]:
        """Status, and what was still written; no process may be left."""
        self.process.send_signal(number)
        out, errors = self.process.communicate(timeout=PATIENCE_S)
        eventually(lambda: not living(self.home), tell=lambda: [p.cmdline() for p in living(self.home)])
        return self.process.returncode, out, errors


class Tab:
    """A page's websocket without a page; what comes is drawn on a screen."""

    def __init__(self, socket: aiohttp.ClientWebSocketResponse) -> None:
        self.socket = socket
        self.screen = Screen(COLUMNS, ROWS)
        self.told: list[list[str]] = []  # to the page itself

    async def until(self, true: Callable[[], object]) -> None:
        async with asyncio.timeout(PATIENCE_S):
            while not true():
                await asyncio.sleep(0)  # what lies ready already is received without giving way to others
                message = await self.socket.receive()
                if message.type is aiohttp.WSMsgType.BINARY:
                    self.screen.take(message.data)
                else:
                    assert message.type is aiohttp.WSMsgType.TEXT, f"closed; the screen:\n{self.screen.text}"
                    self.told.append(message.json())

    async def sees(self, text: str) -> None:
        await self.until(lambda: text in self.screen.text)

    async def press(self, keys: str) -> None:
        await self.socket.send_json(["stdin", keys])


class Screen:
    """What a terminal of this size would show."""

    def __init__(self, columns: int, rows: int) -> None:
        self._screen = pyte.Screen(columns, rows)
        self.take = pyte.ByteStream(self._screen).feed

    @property
    def text(self) -> str:
        return "\n".join(line.rstrip() for line in self._screen.display)


@contextlib.asynccontextmanager
async def tab(server: Served) -> AsyncIterator[Tab]:
    """A tab of this server, as its own page opens it."""
    headers = {"Origin": server.url, **server.known}
    async with aiohttp.ClientSession(trust_env=False, headers=headers) as session:
        address = f"{server.url}/{server.room}/ws?width={COLUMNS}&height={ROWS}"
        async with session.ws_connect(address) as socket:
            yield Tab(socket)


@pytest.fixture
def serve(tmp_path: Path) -> Iterator[Callable[..., Served]]:
    """Starts servers; whatever a test leaves running is an error."""
    started: list[Served] = []

    def start(*words: str, **env: str) -> Served:
        started.append(Served(tmp_path / f"home{len(started)}", *words, **env))
        return started[-1]

    yield start
    for each in started:
        with each.process:
            if each.process.poll() is None:
                each.process.kill()
        eventually(lambda each=each: not living(each.home))  # type: ignore[misc]
