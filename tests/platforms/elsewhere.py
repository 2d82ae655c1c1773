"""Run as a program: makes this Linux look like another system, imports every module, reads one stream.

Its arguments: the platform's name, and the URL of a server. It prints one JSON object.
"""

from __future__ import annotations

import asyncio
import asyncio.subprocess
import importlib
import json
import os
import pkgutil
import select
import signal
import socket
import subprocess
import sys
import types
import urllib.request
from contextlib import suppress
from typing import Any

import httpcore
import psutil
import textual.app

THE_TRUE_SYSTEM_IS_KNOWN_TO = (asyncio.subprocess, httpcore, psutil, subprocess, textual.app, urllib.request)
with suppress(ImportError):
    importlib.import_module("aiohttp.web")  # the same

PARTS = ("fcntl", "termios", "resource", "pty", "tty", "pwd", "grp")
NEEDS_AN_EXTRA = ("textual_serve", "aiohttp", "xllamacpp")


class Hidden:
    """An attribute that is not there."""

    def __get__(self, instance: object, owner: type) -> Any:
        raise AttributeError


def hide(platform: str) -> None:
    """Whatever only POSIX has, and on macOS what only Linux has."""
    sys.platform = platform
    socket.socket.recvmsg = Hidden()  # type: ignore[method-assign,assignment]
    for name in ("sched_getaffinity", "sched_setaffinity", "O_DIRECT"):
        hide_from(os, name)
    if platform == "darwin":
        return
    for name in PARTS:
        sys.modules[name] = None  # type: ignore[assignment]
    for name in ("poll", "epoll"):
        hide_from(select, name)
    for name in ("SIGHUP", "SIGKILL", "SIGUSR1", "SIGWINCH", "SIGBUS", "SIGTRAP"):
        hide_from(signal, name)
    for name in (
        "O_NOFOLLOW",
        "O_CLOEXEC",
        "O_NONBLOCK",
        "getuid",
        "geteuid",
        "killpg",
        "setsid",
        "fork",
        "sysconf",
    ):
        hide_from(os, name)
    sys.modules["msvcrt"] = fake = types.ModuleType("msvcrt")
    fake.LK_NBLCK = 2  # type: ignore[attr-defined]
    fake.locking = lambda handle, mode, size: None  # type: ignore[attr-defined]


def hide_from(module: types.ModuleType, name: str) -> None:
    if hasattr(module, name):
        delattr(module, name)


def imported() -> tuple[list[str], dict[str, str]]:
    """The modules of toklane, and those that can't be had, with the reason."""
    import tui

    names = [
        found.name for found in pkgutil.walk_packages(tui.__path__, "tui.") if found.name != "tui.__main__"
    ]
    failed: dict[str, str] = {}
    for name in [*names, "tui.__main__"]:
        try:
            importlib.import_module(name)
        except ImportError as error:
            if (error.name or "").partition(".")[0] not in NEEDS_AN_EXTRA:
                failed[name] = repr(error)
        except Exception as error:
            failed[name] = repr(error)
    return names, failed


def read(url: str) -> dict[str, object]:
    """One stream, read in this process, where all is hidden; and which reader this system gets."""
    from tui.capture.frames import Item
    from tui.capture.in_thread import InThread
    from tui.capture.orders import StreamOrder
    from tui.domain.wire import End, Read
    from tui.report.start import _channel

    usual = _channel()
    usual.close()
    channel = InThread()
    channel.send(StreamOrder(1, url, body="{}"))
    reads: list[Read] = []
    end: End | None = None
    while end is None:
        assert channel.wait(20), "nothing came"
        for frame in channel.drain():
            if isinstance(frame, Item) and isinstance(frame.record, Read):
                reads.append(frame.record)
            if isinstance(frame, Item) and isinstance(frame.record, End):
                end = frame.record
    channel.close()
    return {
        "reader": type(usual).__name__,
        "body": b"".join(read.data for read in reads).decode(),
        "how": end.how,
        "kernel": [read.kernel for read in reads],
    }


def drawn() -> bool:
    """Whether the monitor's first frame can be made, without a terminal."""
    from tui.app.main import Monitor
    from tui.domain.knobs import Knobs

    def opening() -> Any:
        from tui.capture.in_thread import InThread
        from tui.capture.session import Session

        return Session(InThread()), Knobs()

    async def look() -> bool:
        app = Monitor(opening)
        async with app.run_test(size=(80, 24)) as pilot:
            await pilot.pause()
            shown = app.desk is not None and "toklane" in app.export_screenshot()
            if app.desk is not None:
                app.desk.pump.feed.close()  # type: ignore[attr-defined]
            return shown

    return asyncio.run(look())


def main() -> None:
    platform, url = sys.argv[1:]
    hide(platform)
    names, failed = imported()
    print(json.dumps({"modules": len(names), "failed": failed, **read(url), "drawn": drawn()}))


if __name__ == "__main__":
    main()
