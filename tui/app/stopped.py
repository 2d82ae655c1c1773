"""The monitor is stopped and goes on: by a shell's job control, by `kill -STOP`, by whoever sends SIGCONT."""

from __future__ import annotations

import asyncio
import signal
import sys

from textual.app import App


def heed(app: App[None]) -> None:
    """Answer SIGTSTP and SIGCONT in Textual's way, but by the loop, and let SIGCONT find a terminal put back.

    Textual answers them wherever the signal comes; amid a write that would wait for itself. And it puts the
    terminal back for SIGTSTP only, but sets it up anew at every SIGCONT: after any other one it would take
    its own raw settings for those of before, and leave them behind at the end.
    """
    driver = app._driver
    if sys.platform == "win32" or driver is None:
        return
    stop, go_on = signal.getsignal(signal.SIGTSTP), signal.getsignal(signal.SIGCONT)
    if not callable(stop) or not callable(go_on):  # it draws where nobody can stop it
        return
    put_back = False

    def stopping() -> None:
        nonlocal put_back
        put_back = True
        stop(signal.SIGTSTP, None)

    def going_on() -> None:
        nonlocal put_back
        if not app.is_running:  # it has put the terminal back for good
            return
        if not put_back:
            driver.suspend_application_mode()
        put_back = False
        go_on(signal.SIGCONT, None)

    loop = asyncio.get_running_loop()
    loop.add_signal_handler(signal.SIGTSTP, stopping)
    loop.add_signal_handler(signal.SIGCONT, going_on)
