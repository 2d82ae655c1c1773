"""The server of the monitor's page: what it answers, and how it starts and ends every tab's monitor."""

from __future__ import annotations

import asyncio
import contextlib
import secrets
from collections.abc import Sequence
from pathlib import Path
from string import Template

import textual_serve
from aiohttp import web
from textual_serve.server import Server, to_int

from tui.app.web.guard import SOCKET, guard, protect
from tui.app.web.tab import Tab

LOOPBACK = "127.0.0.1"
_PAGE = Path(__file__).parent / "page"
_TERMINAL = Path(textual_serve.__file__).parent / "static"
_HEARTBEAT_S = 15.0
_MOST_BYTES = 1 << 20  # of one message: a pasted prompt
_MALFORMED = (
    AssertionError,
    AttributeError,
    LookupError,
    TypeError,
    ValueError,
)  # what no page of ours sends
_FONT_PX = (8, 16, 64)  # smallest, usual, largest


class PageServer(Server):
    """The server; `words` start each tab's monitor. `key`: who knows it may look. All lies below `room`."""

    def __init__(self, words: Sequence[str]) -> None:
        super().__init__("toklane", host=LOOPBACK, title="toklane")
        self._words = tuple(words)
        self.key = secrets.token_urlsafe(24)
        self.room = secrets.token_urlsafe(12)
        self._tabs: set[Tab] = set()
        self._page = Template((_PAGE / "index.html").read_text(encoding="utf-8"))

    async def _make_app(self) -> web.Application:
        app = web.Application(middlewares=[guard(self.key, self.room)])
        app.on_response_prepare.append(protect)
        app.add_routes(
            [
                web.get(f"/{self.room}/", self.handle_page),
                web.get(f"/{self.room}/{SOCKET}", self.handle_websocket),
                web.get(f"/{self.room}/download/{{key}}", self.handle_download),
                web.static(f"/{self.room}/page", _PAGE),
                web.static(f"/{self.room}/static", _TERMINAL),
            ]
        )
        app.on_shutdown.append(self.on_shutdown)
        return app

    async def handle_page(self, request: web.Request) -> web.Response:
        """The page. The guard has looked at the host, so it may stand in it."""
        least, usual, most = _FONT_PX
        size = min(max(to_int(request.query.get("fontsize", ""), usual), least), most)
        page = self._page.substitute(host=request.host, room=self.room, font_size=size)
        return web.Response(text=page, content_type="text/html")

    async def handle_websocket(self, request: web.Request) -> web.WebSocketResponse:
        """One tab, from the moment its page opens to the end of its monitor."""
        socket = web.WebSocketResponse(heartbeat=_HEARTBEAT_S, max_msg_size=_MOST_BYTES)
        await socket.prepare(request)

        async def write_bytes(data: bytes) -> None:
            with contextlib.suppress(ConnectionError):  # the tab was closed
                await socket.send_bytes(data)

        async def write_text(data: str) -> None:
            with contextlib.suppress(ConnectionError):
                await socket.send_str(data)

        async def close() -> None:
            await socket.close()

        tab = Tab(
            "toklane",
            write_bytes=write_bytes,
            write_str=write_text,
            close=close,
            download_manager=self.download_manager,
        )
        tab.words = self._words
        self._tabs.add(tab)
        columns, rows = (to_int(request.query.get(side, ""), 0) for side in ("width", "height"))
        try:
            await tab.start(columns or 80, rows or 24)
            with contextlib.suppress(*_MALFORMED):
                await self._process_messages(socket, tab)
        finally:
            await tab.stop()
            self._tabs.discard(tab)
        return socket

    async def on_shutdown(self, app: web.Application) -> None:
        """End every tab's monitor, all at once."""
        await asyncio.gather(*(tab.stop() for tab in self._tabs))
