"""`toklane serve`: the monitor in a browser on this machine, starting with the recordings."""

from __future__ import annotations

import argparse
import asyncio
import os
import signal
import socket
from collections.abc import Sequence
from typing import TextIO

from aiohttp.web_runner import AppRunner, SockSite

from tui.app import gallery
from tui.app.web.guard import KEY
from tui.app.web.server import LOOPBACK, PageServer
from tui.report.given import check
from tui.settings import themes
from tui.settings.config import load
from tui.settings.options import OPTIONS
from tui.settings.usage import WrongUsage

_STATUS = {signal.SIGINT: 130, signal.SIGTERM: 143}
if hasattr(signal, "SIGHUP"):
    _STATUS[signal.SIGHUP] = 143
_CLOSING_S = 1.0


def serve(options: argparse.Namespace, out: TextIO) -> int:
    """Serve until a signal comes; the exit status. Raises WrongUsage."""
    _check(options)
    with _listening(options.port) as listening:
        return asyncio.run(_serve(PageServer(words(options)), listening, out))


def _check(options: argparse.Namespace) -> None:
    """What is wrong is said here, not in each tab. Raises WrongUsage."""
    settings = load(options.flags, os.environ)
    check(options, settings)
    try:
        gallery.at_start(settings.theme)
    except themes.UnknownTheme as error:
        raise WrongUsage(str(error)) from None


def words(options: argparse.Namespace) -> Sequence[str]:
    """How a tab's monitor is started. It begins with recordings, so a reload sends nothing."""
    given = ["--demo"]
    for option in OPTIONS:
        if (raw := options.flags.get(option.name)) is not None:
            given += [f"{option.flag}={raw}"] if option.takes else [option.flag]
    return given


def _listening(port: int) -> socket.socket:
    """A socket on loopback; port 0 is any free one. Raises WrongUsage."""
    listening = socket.socket()
    try:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind((LOOPBACK, port))
    except OSError as error:
        listening.close()
        raise WrongUsage(
            f"port {port} can't be had: {error.strerror}; leave --port away for a free one"
        ) from None
    return listening


async def _serve(server: PageServer, listening: socket.socket, out: TextIO) -> int:
    over: asyncio.Future[int] = asyncio.get_running_loop().create_future()

    def leave(status: int) -> None:
        if not over.done():
            over.set_result(status)

    for number, status in _STATUS.items():
        asyncio.get_running_loop().add_signal_handler(number, leave, status)
    runner = AppRunner(await server._make_app(), access_log=None, shutdown_timeout=_CLOSING_S)
    await runner.setup()
    try:
        await SockSite(runner, listening).start()
        port = listening.getsockname()[1]
        address = f"http://{LOOPBACK}:{port}/?{KEY}={server.key}"
        out.write(f"{address}  (open it in a browser on this machine; ctrl+c ends it)\n")
        out.flush()
        return await over
    finally:
        await runner.cleanup()
