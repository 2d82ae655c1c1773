"""A lock that the system itself lets go when its holder dies, so that no stale one is ever left."""

from __future__ import annotations

import contextlib
import os
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from tui.settings import owned

RETRY_S = 0.2

if sys.platform == "win32":
    import msvcrt

    def _take(handle: int) -> None:
        msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)

    _HELD: type[OSError] = PermissionError
else:

    def _take(handle: int) -> None:
        import fcntl

        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)

    _HELD: type[OSError] = BlockingIOError


@contextlib.contextmanager
def held(file: Path, waiting: Callable[[], None]) -> Iterator[int]:
    """Hold the lock on `file` (made when missing, never removed); call `waiting` while another holds it.

    Gives the file's descriptor: a child process that inherits it holds the lock too, as long as it lives.
    """
    handle = owned.plain(file, os.O_RDWR)
    try:
        while True:
            try:
                _take(handle)
                break
            except _HELD:
                waiting()
                time.sleep(RETRY_S)
        yield handle
    finally:
        os.close(handle)
