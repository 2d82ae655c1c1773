"""The commands that only tell: the model's place, all keys."""

from __future__ import annotations

import argparse
import sys

from tui.plot.cells import clean
from tui.plot.numbers import size

_FOUND, _MISSING = 0, 1


def tell(options: argparse.Namespace) -> int:
    """Print what `options.command` asks for; the exit status."""
    match options.command:
        case "model":
            return _model(options.fetch)
        case "keys":
            from tui.settings.keys import KEYS

            for key in KEYS:
                sys.stdout.write(f"{key.shown:<10} {key.action:<16} {key.does}\n")
    return _FOUND


def _model(fetch: bool) -> int:
    from tui.engines import model
    from tui.engines.model_fetch import FetchFailed
    from tui.engines.model_fetch import fetch as fetched

    place = model.locate()
    if place is None and fetch:
        try:
            place = fetched(_progress)
        except FetchFailed as error:
            sys.stderr.write(f"\ntoklane: {clean(str(error))}\n")
            return _MISSING
        sys.stderr.write("\n")
    if place is None:
        sys.stderr.write(
            f"toklane: {model.NAME} is not here yet; `toklane model --fetch` fetches it (93 MB)\n"
        )
        return _MISSING
    sys.stdout.write(f"{place}\n")
    return _FOUND


def _progress(done: int, total: int, stage: str) -> None:
    told = f"{stage} {size(done)} of {size(total)}" if done else stage
    end = "" if sys.stderr.isatty() else "\n"
    start = "\r" if sys.stderr.isatty() else ""
    sys.stderr.write(f"{start}{told:<60}{end}")
    sys.stderr.flush()
