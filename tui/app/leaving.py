"""How the monitor ends when a signal says so: in good order if it can, and in any case soon."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from types import FrameType
from typing import TYPE_CHECKING, Any

from tui.app.served import for_a_page, until_hung_up

if TYPE_CHECKING:
    from tui.app.main import Monitor

TERMINATED = 143
_PATIENCE_S = 1.5
_DEADLY = (
    *("SIGTERM", "SIGHUP", "SIGQUIT", "SIGUSR1", "SIGUSR2", "SIGALRM", "SIGVTALRM", "SIGPROF"),
    *("SIGIO", "SIGPWR", "SIGXCPU", "SIGBREAK"),
)
"""What ends a program that does not answer it, and would leave the terminal as it is drawn."""
_STOPS = ("SIGTSTP", "SIGCONT")  # what answers these while it draws would answer them for ever after
_RESETS = (
    b"\x1b[?2004l\x1b[?7h\x1b[?1000l\x1b[?1003l\x1b[?1015l\x1b[?1006l\x1b[<u\x1b[?1049l\x1b[?25h\x1b[?1004l"
)


def show(app: Monitor, lost: Callable[[], None] = lambda: None) -> int:
    """Run the app; the exit status. `lost` is called when the terminal has gone and nothing else will be."""

    if sys.__stderr__ is not None and not sys.__stderr__.isatty():
        vars(sys)["__stderr__"] = sys.__stdout__  # where Textual draws

    async def run() -> None:
        with _heeding(app, lost), until_hung_up(0) if for_a_page(os.environ) else contextlib.nullcontext():
            await app.run_async()

    try:
        asyncio.run(run())
    except Exception as error:
        if app.fault is None:
            raise
        raise app.fault from error
    return app.return_code or 0


@contextlib.contextmanager
def _heeding(app: Monitor, lost: Callable[[], None]) -> Iterator[None]:
    """Signals are heard from before Textual touches the terminal until it has put it back.

    They end the app by its loop, since only then does Textual tidy up. A loop that waits for a terminal which
    takes nothing hears no more, so there is a limit; a terminal that is gone needs nothing.
    """
    loop = asyncio.get_running_loop()
    terminal = _Terminal()
    leaving: list[int] = []

    def leave(number: int, frame: FrameType | None) -> None:
        if terminal.gone:
            lost()
            os._exit(TERMINATED)
        leaving.append(number)
        if len(leaving) > 1:  # a second signal may have interrupted the start of the thread below
            return
        limit = threading.Timer(_PATIENCE_S, terminal.abandon)
        limit.daemon = True
        limit.start()
        loop.call_soon_threadsafe(app.stop_with, TERMINATED)

    def interrupt(number: int, frame: FrameType | None) -> None:
        loop.call_soon_threadsafe(app.action_interrupt)

    def failed(thread: threading.ExceptHookArgs) -> None:
        """Textual's writer is the first to know about a terminal that hung up on somebody else.

        Any other error stays in its thread: it is said in one line, and the screen goes on.
        """
        if terminal.gone:
            signal.raise_signal(signal.SIGTERM)
        elif thread.exc_value is not None:
            from tui.report import crash

            loop.call_soon_threadsafe(app.call_later, app.say, crash.told(thread.exc_value))

    heard = {signal.SIGINT: interrupt} | {number: leave for number in _numbers(_DEADLY)}
    before = {number: signal.signal(number, handler) for number, handler in heard.items()}
    before |= {number: signal.getsignal(number) for number in _numbers(_STOPS)}
    hook, threading.excepthook = threading.excepthook, failed
    try:
        yield
    finally:
        threading.excepthook = hook
        for number, handler in before.items():
            signal.signal(number, handler)


class _Terminal:
    """The terminal as it was found."""

    def __init__(self) -> None:
        self._descriptor = sys.__stdin__.fileno() if sys.__stdin__ else 0
        self._attributes = _attributes(self._descriptor)

    @property
    def gone(self) -> bool:
        """Its window is closed, or the line is dead."""
        return not os.isatty(self._descriptor)

    def abandon(self) -> None:
        """End the process at once, the terminal put back as far as it takes it."""
        with contextlib.suppress(OSError, ImportError, ValueError):
            if self._attributes is None:  # it draws for a page, or the system has no such attributes
                os._exit(TERMINATED)
            _put_back(self._descriptor, self._attributes)
            os.set_blocking(self._descriptor, False)
            os.write(self._descriptor, _RESETS)
        os._exit(TERMINATED)


def _numbers(names: Iterable[str]) -> list[signal.Signals]:
    """Those of them that this system has."""
    return [getattr(signal, name) for name in names if hasattr(signal, name)]


def _attributes(descriptor: int) -> list[Any] | None:
    """Those of the terminal; None where there is none, and on Windows."""
    try:
        import termios
    except ImportError:
        return None
    return termios.tcgetattr(descriptor) if os.isatty(descriptor) else None


def _put_back(descriptor: int, attributes: list[Any]) -> None:
    import termios

    with contextlib.suppress(termios.error):
        termios.tcsetattr(descriptor, termios.TCSANOW, attributes)
