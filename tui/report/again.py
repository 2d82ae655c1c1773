"""A recording or capture as numbers: all of it at once, never waiting."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TextIO

from tui.capture.live import Live
from tui.capture.recording import NotARecording, read
from tui.plot.cells import clean
from tui.report.numbers import run_object
from tui.report.plain import summary

COMPLETE, INCOMPLETE, UNREADABLE = 0, 1, 2


def tell(file: Path, as_json: bool, out: TextIO, err: TextIO) -> int:
    """Print the run in `file`; exit status 0 complete, 1 incomplete, 2 the file can't be read."""
    try:
        recording = read(file)
    except (OSError, NotARecording) as error:
        why = f"{file}: {error.strerror}" if isinstance(error, OSError) else str(error)
        err.write(f"toklane: {clean(why)}\n")
        return UNREADABLE
    if recording.damaged_lines:
        lines = "line" if recording.damaged_lines == 1 else "lines"
        err.write(f"toklane: {recording.damaged_lines} damaged {lines} skipped\n")
    live = Live()
    live.feed(recording.records)
    view = live.view()
    if as_json:
        out.write(json.dumps(run_object(view), allow_nan=False) + "\n")
    else:
        out.write(summary(view) + "\n")
    return COMPLETE if view.complete else INCOMPLETE
