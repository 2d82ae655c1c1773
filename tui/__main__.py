"""Starts toklane: whichever face was asked for; owns the exit status."""

from __future__ import annotations

import argparse
import contextlib
import os
import signal
import sys
import threading
import traceback
from collections.abc import Mapping
from pathlib import Path
from types import FrameType

from tui import streams
from tui.exhausted import chain, exhausted

FAILED = 1
_STATUS: Mapping[int, int] = {
    getattr(signal, name): status
    for name, status in (("SIGINT", 130), ("SIGTERM", 143), ("SIGHUP", 143))
    if hasattr(signal, name)  # Windows has no SIGHUP
}
_PLAIN = ("", "dumb", "unknown")  # terminals of which nothing is known


class _Signalled(SystemExit):
    """A signal came. No KeyboardInterrupt: amid an import one of those sets Python's own status."""

    def __init__(self, status: int) -> None:
        super().__init__(status)
        self.status = status


def main() -> None:
    """The `toklane` command."""
    try:
        try:
            status = _main()
        finally:
            sys.stdout.flush()
    except Exception as error:
        if signalled := _signal_behind(error):
            sys.exit(signalled.status)
        if not isinstance(error, BrokenPipeError):
            _say(error)
        with contextlib.suppress(OSError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # nobody takes the rest
        status = FAILED
    sys.exit(status)


def _main() -> int:
    _leave_no_core()
    streams.prepare(os.environ)
    sys.unraisablehook = _unraisable
    threading.excepthook = _in_thread
    for number in _STATUS:
        ignored = signal.getsignal(number) is signal.SIG_IGN  # as nohup leaves SIGHUP
        if number == signal.SIGINT or not ignored:
            signal.signal(number, _leave)
    # from here on a signal is answered, so all that takes long to import comes after it
    from tui import cli
    from tui.settings.usage import WrongUsage

    try:
        options = cli.parse(sys.argv[1:])
        _check_theme(options.flags.get("theme"))
        return _face(options)
    except WrongUsage as error:
        cli.complain(str(error))
        return cli.WRONG_USAGE


def _check_theme(name: str | None) -> None:
    """A name that was typed wrong is said also where nothing is drawn, or only later in a browser."""
    if name:
        from tui.app import gallery
        from tui.settings.usage import WrongUsage

        if name not in gallery.names():
            raise WrongUsage(f"no theme {name!r}; `toklane themes` lists all")


def _face(options: argparse.Namespace) -> int:
    """Each face imports what it needs and nothing else: the first paint must not wait for the rest."""
    match options.command:
        case "themes":
            from tui.app.gallery import tell as themes

            return themes(sys.stdout)
        case "completions":
            from tui.app import gallery
            from tui.report import completions

            return completions.tell(options.shell, gallery.names(), sys.stdout)
        case "model" | "keys":
            from tui.report import lists

            return lists.tell(options)
        case "serve":
            from tui.app.served import serve

            return serve(options, sys.stdout)
        case "replay" if options.plain or (not options.json and _unknown_terminal()):
            from tui.report.again import tell_as_it_was

            return tell_as_it_was(options.file, options.speed, sys.stdout, sys.stderr)
        case "replay" if options.json or not _on_screen():
            from tui.report.again import tell

            return tell(options.file, options.json, sys.stdout, sys.stderr)
        case "replay":
            from tui.app.start import replay

            return replay(options)
        case "doctor":
            from tui.report.doctor.start import doctor

            return doctor(options)
        case "selftest":
            from tui.selftest.start import selftest

            return selftest(options)
        case "run":
            from tui.report.start import run

            return run(options)
        case "tour":
            from tui.app.tour import start

            return start.tour(options, _on_screen())
        case "" if options.demo and (options.plain or not _on_screen()):
            from tui.settings.usage import WrongUsage

            raise WrongUsage("--demo needs a screen; `toklane replay FILE` tells a recording without one")
        case "" if options.plain or not _on_screen():
            from tui.report.start import run

            options.plain = options.plain or _unknown_terminal()
            return run(options)
        case _:
            from tui.app.start import monitor

            return monitor(options)


def _on_screen() -> bool:
    from tui.app.served import for_a_page

    return for_a_page(os.environ) or (sys.stdin.isatty() and sys.stdout.isatty() and not _unknown_terminal())


def _unknown_terminal() -> bool:
    """Somebody looks on, but the terminal can only take lines."""
    return sys.stdout.isatty() and os.environ.get("TERM", "") in _PLAIN


def _leave_no_core() -> None:
    """A core file would hold the key. The processes that this one starts have its limit."""
    with contextlib.suppress(ImportError, ValueError, OSError):
        import resource

        resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))


def _leave(number: int, frame: FrameType | None) -> None:
    raise _Signalled(_STATUS[number])


def _signal_behind(error: BaseException) -> _Signalled | None:
    """Python 3.11 wraps whatever is raised while a class is made, and some library may wrap more."""
    return next((link for link in chain(error) if isinstance(link, _Signalled)), None)


def _unraisable(dropped: sys.UnraisableHookArgs) -> None:
    """Python drops what is raised inside a destructor. A signal that came there is answered all the same."""
    if isinstance(dropped.exc_value, _Signalled):
        os._exit(dropped.exc_value.status)
    sys.__unraisablehook__(dropped)


def _in_thread(thread: threading.ExceptHookArgs) -> None:
    """A thread that fails is told in one line; what waits for it says the rest."""
    if isinstance(thread.exc_value, Exception):
        _say(thread.exc_value)


def _say(error: Exception) -> None:
    """One line, also where there is no memory or no file left to load what makes it a good one."""
    try:
        _complain_of(error)
    except Exception:
        # without its words: nothing is left to take keys and controls out of them
        sys.stderr.write(f"toklane: {type(error).__name__}\n")


def _complain_of(error: Exception) -> None:
    """One line; of a fault of ours also where it happened, and where its report is."""
    from tui.cli import complain
    from tui.report import crash

    if (told := exhausted(error)) or isinstance(error, OSError):
        complain(told or " ".join(str(error).split()))
        return
    place = traceback.extract_tb(error.__traceback__)[-1]
    complain(crash.told(error, f" ({Path(place.filename).name}, line {place.lineno})"))


if __name__ == "__main__":
    main()
