"""`toklane selftest`: this machine's error, and whether it can be trusted."""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections.abc import Iterable, Sequence
from typing import TextIO

from tui.plot.cells import clean
from tui.selftest.judge import Figures, figures, judge
from tui.selftest.measure import Taken, measure
from tui.selftest.told import closing, heading, line, result_object
from tui.selftest.turns import TURNS, Turn

RAN, FAILED = 0, 1


def selftest(options: argparse.Namespace) -> int:
    """The command; its exit status says whether it ran, not what it found."""
    return run(TURNS, options.json, sys.stdout, sys.stderr)


def run(turns: Sequence[Turn], as_json: bool, out: TextIO, err: TextIO) -> int:
    """Measure and tell: JSON at the end, else a line as soon as it is known."""
    told: list[Figures] = []

    def each(taken: Taken) -> None:
        told.append(figures(taken))
        if not as_json:
            _say((line(told[-1]),), out)

    if not as_json:
        _say(heading(), out)
    try:
        measured = measure(turns, each)
    except (TimeoutError, OSError, ValueError) as error:
        words = " ".join(str(error).partition("; ")[0].split())
        err.write(f"toklane: the selftest could not be finished: {clean(words)}\n")
        return FAILED
    verdict = judge(told, time.get_clock_info("monotonic").resolution, _load(), os.cpu_count())
    if as_json:
        found = result_object(verdict, told, measured.drawings)
        out.write(json.dumps(found, allow_nan=False) + "\n")
    else:
        _say(closing(verdict, measured.drawings), out)
    return RAN


def _say(lines: Iterable[str], out: TextIO) -> None:
    for words in lines:
        out.write(words + "\n")
    out.flush()


def _load() -> float | None:
    try:
        return os.getloadavg()[0]
    except (OSError, AttributeError):
        return None
