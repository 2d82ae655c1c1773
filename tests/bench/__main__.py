"""`python -m tests.bench [NAME …] [--quick]`: measures this machine and says which goals hold."""

from __future__ import annotations

import argparse
import os
import platform
import sys
from collections.abc import Iterator, Mapping
from typing import Protocol

from tests.bench import (
    costs,
    insights,
    keys,
    long,
    memory,
    output,
    parsing,
    peers,
    seeking,
    shapes,
    stamps,
    start,
)
from tests.bench.lab import Lab, lab
from tests.bench.table import Row, closing, head, line


class Measurement(Protocol):
    """A module of this package: a title, and rows as they become known."""

    TITLE: str

    def rows(self, lab: Lab) -> Iterator[Row]: ...


MEASUREMENTS: Mapping[str, Measurement] = {
    "start": start,
    "stamps": stamps,
    "cpu": costs,
    "bytes": output,
    "memory": memory,
    "keys": keys,
    "shapes": shapes,
    "seek": seeking,
    "parse": parsing,
    "peers": peers,
    "long": long,
    "insight": insights,
}


def main() -> int:
    """The exit status is 1 when a goal is missed."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"any of {', '.join(MEASUREMENTS)}")
    parser.add_argument("--quick", action="store_true", help="shorter and only once: a first look")
    options = parser.parse_args()
    if unknown := set(options.names) - set(MEASUREMENTS):
        parser.error(f"there is no measurement {', '.join(sorted(unknown))}")
    all_rows: list[Row] = []
    with lab(options.quick) as shared:
        print(_machine(shared))
        for name in options.names or MEASUREMENTS:
            print(head(MEASUREMENTS[name].TITLE), flush=True)
            for row in MEASUREMENTS[name].rows(shared):
                all_rows.append(row)
                print(line(row), flush=True)
    print(closing(all_rows))
    return int(any(row.missed for row in all_rows))


def _machine(shared: Lab) -> str:
    load = f", load {os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else ""
    server = "with SCHED_FIFO" if shared.server.fifo else "WITHOUT SCHED_FIFO, so errors look larger"
    system = f"{platform.system()} {platform.release()}, {os.cpu_count()} cores{load}"
    return f"{system}, Python {platform.python_version()}\nscripted server {server}"


if __name__ == "__main__":
    sys.exit(main())
