"""The keyboard as Textual reads it on Unix, made to outlive what is no key."""

from __future__ import annotations

from codecs import IncrementalDecoder, getincrementaldecoder
from functools import partial
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from textual.driver import Driver

_MODULE = "textual.drivers.linux_driver"
_NO_KEY = (ValueError, ArithmeticError, LookupError, TypeError)  # an OSError is the terminal's own end


def forgiving(driver: type[Driver]) -> type[Driver]:
    """The driver, but no byte that comes in can end the program.

    A terminal in another encoding sends bytes that are no UTF-8: each is one sign that nobody knows, so that
    what was pasted around it stays a paste. A sequence that Textual can't take at all is dropped.
    """
    if driver.__module__ != _MODULE:
        return driver
    from textual.drivers import linux_driver

    vars(linux_driver)["getincrementaldecoder"] = _lenient

    class Forgiving(linux_driver.LinuxDriver):
        def run_input_thread(self) -> None:
            while not self.exit_event.is_set():
                try:
                    super().run_input_thread()
                except _NO_KEY:
                    continue
                return

    return Forgiving


def _lenient(encoding: str) -> partial[IncrementalDecoder]:
    return partial(getincrementaldecoder(encoding), "replace")
