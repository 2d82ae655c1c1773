"""The monitor is stopped and goes on: by a shell's job control, by `kill -STOP`, by whoever sends SIGCONT."""

from __future__ import annotations

import signal
import sys
from types import FrameType

from textual.driver import Driver


def heed(driver: Driver | None) -> None:
    """Let SIGCONT find a terminal that was put back.

    Textual puts it back for SIGTSTP only, and sets it up anew at every SIGCONT: after any other one it would
    take its own raw settings for those of before, and leave them behind at the end.
    """
    if sys.platform == "win32" or driver is None:
        return
    stop, go_on = signal.getsignal(signal.SIGTSTP), signal.getsignal(signal.SIGCONT)
    if not callable(stop) or not callable(go_on):  # it draws where nobody can stop it
        return
    put_back = False

    def stopping(number: int, frame: FrameType | None) -> None:
        nonlocal put_back
        put_back = True
        stop(number, frame)

    def going_on(number: int, frame: FrameType | None) -> None:
        nonlocal put_back
        if not put_back:
            driver.suspend_application_mode()
        put_back = False
        go_on(number, frame)

    signal.signal(signal.SIGTSTP, stopping)
    signal.signal(signal.SIGCONT, going_on)
