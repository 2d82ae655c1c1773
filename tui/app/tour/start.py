"""`toklane tour`: on the screen, or the script that comes along as a file to edit."""

from __future__ import annotations

import argparse
import sys

from tui.settings import tour_script
from tui.settings.usage import WrongUsage


def tour(options: argparse.Namespace, on_screen: bool) -> int:
    """The exit status. Raises WrongUsage."""
    if options.write_script is not None:
        tour_script.write(options.write_script)
        sys.stdout.write(f"{options.write_script}: edit it, then `toklane tour --script FILE`; ")
        sys.stdout.write(f"as {tour_script.own_file()} it is always taken\n")
        return 0
    if not on_screen:
        raise WrongUsage("the tour needs a screen; `toklane run` sends one request without one")
    from tui.app.start import monitor

    return monitor(options)
