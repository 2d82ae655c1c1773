"""What a monitor finds that was told no engine: whichever this machine has at the usual ports."""

from __future__ import annotations

import contextlib
import socket

from tests.endings.terminal import Terminal
from tui.engines.urls import LOCAL_PORTS


def leave_the_recordings(terminal: Terminal) -> None:
    """Esc leads to the monitor: ready where an engine is; else over the picker, which says that none is."""
    terminal.press("\x1b")
    if _engine_here():
        terminal.wait_for("enter sends")
        return
    terminal.wait_for("no engine answers on this machine")
    terminal.press("\x1b")
    terminal.wait_for("No engine yet")


def _engine_here() -> bool:
    for port in LOCAL_PORTS:
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
            return True
    return False
