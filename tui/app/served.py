"""The two ends of `toklane serve`: the server, if it is installed, and the monitor that draws for a page."""

from __future__ import annotations

import argparse
import contextlib
import os
import select
import signal
import sys
import threading
from collections.abc import Iterator, Mapping
from typing import TextIO

from tui.settings.usage import WrongUsage, extra

_DRIVER = "TEXTUAL_DRIVER"
_FOR_A_PAGE = "textual.drivers.web_driver"
_EXTRA = ("textual_serve", "aiohttp")


def serve(options: argparse.Namespace, out: TextIO) -> int:
    """Serve until a signal comes; the exit status. Raises WrongUsage, also when the extra is missing."""
    if sys.platform == "win32":
        raise WrongUsage("toklane serve needs Linux or macOS; toklane itself runs in a terminal here")
    try:
        from tui.app.web import serving
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in _EXTRA:
            raise
        raise WrongUsage(f"the browser needs one more package: {extra('serve')}") from None
    return serving.serve(options, out)


def for_a_page(environ: Mapping[str, str]) -> bool:
    """The server has told Textual to draw into a pipe."""
    return environ.get(_DRIVER, "").startswith(_FOR_A_PAGE)


@contextlib.contextmanager
def until_hung_up(descriptor: int) -> Iterator[None]:
    """While this goes on, a pipe whose other end is gone counts as a terminal that hung up."""

    def watch() -> None:
        poll = select.poll()
        poll.register(descriptor, 0)  # the end of the line is always told, and nothing is read
        poll.register(stop, select.POLLIN)
        if all(number == descriptor for number, _ in poll.poll()):
            os.kill(os.getpid(), signal.SIGHUP)

    stop, wake = os.pipe()
    watcher = threading.Thread(target=watch, name="page", daemon=True)
    watcher.start()
    try:
        yield
    finally:
        os.write(wake, b"!")
        watcher.join()
        os.close(stop)
        os.close(wake)
