"""A recording or capture without a screen: as numbers, all of it at once, or line by line as it was."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TextIO

from tui.capture.live import Live
from tui.capture.recording import NotARecording, Recording, read
from tui.plot.cells import clean
from tui.report.narrated import narrate
from tui.report.numbers import run_object
from tui.report.plain import summary

COMPLETE, INCOMPLETE, UNREADABLE = 0, 1, 2


def tell(file: Path, as_json: bool, out: TextIO, err: TextIO) -> int:
    """Print the run in `file`; exit status 0 complete, 1 incomplete, 2 the file can't be read."""
    recording = _opened(file, err)
    if recording is None:
        return UNREADABLE
    live = Live()
    live.feed(recording.records)
    view = live.view()
    if as_json:
        out.write(json.dumps(run_object(view), allow_nan=False) + "\n")
    else:
        out.write(summary(view) + "\n")
    return COMPLETE if view.complete else INCOMPLETE


def tell_as_it_was(file: Path, speed: float, out: TextIO, err: TextIO) -> int:
    """Print the run in `file` line by line, `speed` times as fast as it happened; exit status as `tell`."""
    recording = _opened(file, err)
    if recording is None:
        return UNREADABLE
    view = narrate(recording, speed, out)
    out.write("---\n" + summary(view) + "\n")
    return COMPLETE if view.complete else INCOMPLETE


def _opened(file: Path, err: TextIO) -> Recording | None:
    """None, and one line that says why, when it can't be read."""
    try:
        recording = read(file)
    except (OSError, NotARecording) as error:
        why = f"{file}: {error.strerror}" if isinstance(error, OSError) else str(error)
        err.write(f"toklane: {clean(why)}\n")
        return None
    if recording.remark:
        err.write(f"toklane: {clean(recording.remark)}\n")
    return recording
