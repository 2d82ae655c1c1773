"""Starts toklane: the reader process first, then whichever face was asked for; owns the exit status."""

from __future__ import annotations

import os
import signal
import sys
from types import FrameType

from tui import cli
from tui.settings.usage import WrongUsage

INTERRUPTED, TERMINATED, FAILED = 130, 143, 1


class _Terminated(SystemExit):
    """SIGTERM or SIGHUP came. A SystemExit, because an event loop swallows any other exception."""


def main() -> None:
    """The `toklane` command."""
    try:
        status = _main()
    except WrongUsage as error:
        cli.complain(str(error))
        status = cli.WRONG_USAGE
    except KeyboardInterrupt:
        status = INTERRUPTED
    except _Terminated:
        status = TERMINATED
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # nobody reads the rest
        status = FAILED
    sys.exit(status)


def _main() -> int:
    options = cli.parse(sys.argv[1:])
    signal.signal(signal.SIGTERM, _terminate)
    if hasattr(signal, "SIGHUP"):
        signal.signal(signal.SIGHUP, _terminate)
    # each face imports what it needs and nothing else: the first paint must not wait for the rest
    match options.command:
        case "model" | "keys" | "themes":
            from tui.report import lists

            return lists.tell(options)
        case "replay" if options.json or not sys.stdout.isatty():
            from tui.report.again import tell

            return tell(options.file, options.json, sys.stdout, sys.stderr)
        case "replay":
            from tui.app.start import replay

            return replay(options)
        case "run":
            from tui.report.start import run

            return run(options)
        case _ if not (sys.stdin.isatty() and sys.stdout.isatty()) or os.environ.get("TERM") == "dumb":
            from tui.report.start import run

            return run(options)
        case _:
            from tui.app.start import monitor

            return monitor(options)


def _terminate(number: int, frame: FrameType | None) -> None:
    raise _Terminated


if __name__ == "__main__":
    main()
