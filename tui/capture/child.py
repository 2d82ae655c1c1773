"""The capture child, `python -m tui.capture.child`: orders on stdin, frames on stdout."""

from __future__ import annotations

import contextlib
import ctypes
import gc
import os
import signal
import sys
from types import FrameType

from tui.capture import slices
from tui.capture.desk import Desk
from tui.capture.frames import pack
from tui.capture.orders import decode
from tui.capture.pipes import Outlet
from tui.capture.readiness import READ, WRITE, poller
from tui.capture.spawn import WITH_PARENT

_READ_BYTES = 1 << 16
_PR_SET_PDEATHSIG = 1
_LAST_WORDS_MS = 2_000


def main() -> None:
    """Serve until stdin ends or SIGTERM comes, then end what runs, so that recordings are whole."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    wake_reader, wake_writer = os.pipe()
    os.set_blocking(wake_writer, False)
    leaving: list[int] = []  # no lock may be taken here: a second signal can interrupt the first

    def wake() -> None:
        with contextlib.suppress(BlockingIOError):  # full: there is enough to wake up for
            os.write(wake_writer, b"x")

    def leave(number: int, _frame: FrameType | None) -> None:
        leaving.append(number)
        wake()

    signal.signal(signal.SIGTERM, leave)
    if sys.argv[1:] == [WITH_PARENT]:
        _die_with_parent()
    slices.short()
    sys.setswitchinterval(0.0005)
    outlet = Outlet(sys.stdout.fileno(), wake)
    desk = Desk(lambda frame: outlet.put(pack(frame)), _collect_only_when_idle)
    _serve(desk, outlet, wake_reader, leaving)
    desk.close()
    _say_the_rest(outlet)
    os._exit(0)  # threads that still wait for a server must not hold us


def _serve(desk: Desk, outlet: Outlet, wake_reader: int, leaving: list[int]) -> None:
    stdin, stdout = sys.stdin.fileno(), sys.stdout.fileno()
    rest = b""
    while not leaving:
        polling = poller()
        polling.register(stdin, READ)
        polling.register(wake_reader, READ)
        if outlet.pending:
            polling.register(stdout, WRITE)
        ready = [descriptor for descriptor, _ in polling.poll()]
        if wake_reader in ready:
            os.read(wake_reader, _READ_BYTES)
        if stdout in ready:
            outlet.flush()
        if stdin in ready:
            data = os.read(stdin, _READ_BYTES)
            if not data:
                return
            *lines, rest = (rest + data).split(b"\n")
            for line in lines:
                desk.do(decode(line))


def _say_the_rest(outlet: Outlet) -> None:
    """What still waits for the pipe, if the parent still reads."""
    polling = poller()
    polling.register(sys.stdout.fileno(), WRITE)
    while outlet.pending and polling.poll(_LAST_WORDS_MS):
        outlet.flush()


def _collect_only_when_idle(busy: bool) -> None:
    """A garbage collection must not stand between two reads."""
    if busy:
        gc.disable()
    else:
        gc.enable()


def _die_with_parent() -> None:
    """On Linux the kernel sends SIGTERM when the parent dies; elsewhere, and if this fails, stdin ends."""
    if sys.platform == "linux":
        with contextlib.suppress(OSError, AttributeError):
            ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)


if __name__ == "__main__":
    main()
