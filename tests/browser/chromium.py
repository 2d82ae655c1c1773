"""A headless Chromium, driven through its DevTools protocol: pages, keys, pictures, and what it asked for."""

from __future__ import annotations

import asyncio
import base64
import contextlib
import itertools
import os
import shutil
import signal
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import aiohttp

NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
_ENDPOINT = "DevToolsActivePort"
_START_S, _LOOK_S, _ANSWER_S = 30.0, 0.05, 20.0
_WINDOW = (1200, 800)
_FLAGS = (
    "--headless",
    "--remote-debugging-port=0",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-dev-shm-usage",
    "--disable-gpu",
    "--force-device-scale-factor=1",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
)
_KEYS = {"Enter": 13, "Escape": 27}


def found() -> str | None:
    """The Chromium of this machine."""
    return next(filter(None, map(shutil.which, NAMES)), None)


class Page:
    """One tab. `asked`: every address it wanted. `frames`: what came through its websockets."""

    def __init__(self, socket: aiohttp.ClientWebSocketResponse) -> None:
        self._socket = socket
        self._numbers = itertools.count(1)
        self._waiting: dict[int, asyncio.Future[dict[str, Any]]] = {}
        self.asked: list[str] = []
        self.faults: list[str] = []
        self.on_frame: Callable[[bytes], object] = lambda _: None
        self._reading = asyncio.ensure_future(self._read())

    async def open(self, address: str) -> None:
        for domain in ("Page", "Network", "Runtime", "Log"):
            await self.call(f"{domain}.enable")
        await self.call("Page.navigate", url=address)

    async def call(self, method: str, **params: Any) -> dict[str, Any]:
        """One command of the protocol; its result."""
        number = next(self._numbers)
        self._waiting[number] = asyncio.get_running_loop().create_future()
        await self._socket.send_json({"id": number, "method": method, "params": params})
        return await asyncio.wait_for(self._waiting[number], _ANSWER_S)

    async def value(self, script: str) -> Any:
        """What a script in the page comes to."""
        told = await self.call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in told, told
        return told["result"].get("value")

    async def press(self, key: str) -> None:
        """A key, as the keyboard gives it: a character, or `Enter` and `Escape`."""
        told = {"key": key, "windowsVirtualKeyCode": _KEYS.get(key, 0)}
        text = {"Enter": "\r"}.get(key, key if len(key) == 1 else "")
        await self.call("Input.dispatchKeyEvent", type="keyDown", text=text, **told)
        await self.call("Input.dispatchKeyEvent", type="keyUp", **told)

    async def picture(self) -> bytes:
        """The page as PNG."""
        return base64.b64decode((await self.call("Page.captureScreenshot", format="png"))["data"])

    async def close(self) -> None:
        self._reading.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await self._reading
        await self._socket.close()

    async def _read(self) -> None:
        async for message in self._socket:
            told = message.json()
            if (answer := self._waiting.pop(told.get("id"), None)) is not None:
                answer.set_result(told.get("result", told))
            else:
                self._note(told["method"], told["params"])

    def _note(self, method: str, params: dict[str, Any]) -> None:
        match method:
            case "Network.requestWillBeSent":
                self.asked.append(params["request"]["url"])
            case "Network.webSocketCreated":
                self.asked.append(params["url"])
            case "Network.webSocketFrameReceived" if params["response"]["opcode"] == 2:
                self.on_frame(base64.b64decode(params["response"]["payloadData"]))
            case "Runtime.exceptionThrown":
                self.faults.append(str(params["exceptionDetails"]))
            case "Log.entryAdded" if params["entry"]["level"] == "error":
                self.faults.append(params["entry"]["text"])


@contextlib.asynccontextmanager
async def chromium(profile: Path) -> AsyncIterator[Page]:
    """An empty tab of a Chromium whose profile is this empty folder."""
    program = found()
    assert program is not None, f"no Chromium here: none of {', '.join(NAMES)}"
    columns, rows = _WINDOW
    rootless = [] if os.geteuid() else ["--no-sandbox"]  # Chromium has no sandbox for root
    process = await asyncio.create_subprocess_exec(
        program, *_FLAGS, *rootless,
        f"--window-size={columns},{rows}", f"--user-data-dir={profile}", "about:blank",
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.DEVNULL,
        env={**os.environ, "HOME": str(profile)},
        start_new_session=True,
    )  # fmt: skip
    try:
        port = await asyncio.wait_for(_port(profile / _ENDPOINT), _START_S)
        async with aiohttp.ClientSession(trust_env=False) as session:
            async with session.get(f"http://127.0.0.1:{port}/json") as answer:
                (tab,) = [each for each in await answer.json() if each["type"] == "page"]
            async with session.ws_connect(tab["webSocketDebuggerUrl"], max_msg_size=0) as socket:
                page = Page(socket)
                try:
                    yield page
                finally:
                    await page.close()
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)  # the program may be a script that started it
        await process.wait()


async def _port(file: Path) -> int:
    while not (file.is_file() and (lines := file.read_text().splitlines())):
        await asyncio.sleep(_LOOK_S)
    return int(lines[0])
