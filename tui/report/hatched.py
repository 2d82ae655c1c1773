"""Why a wait could not be split, and what would split it; the screen and the plain lines say the same."""

from __future__ import annotations

from tui.domain.values import Provenance
from tui.domain.view import Stage, View
from tui.engines.abilities.table import remedy_of_wait
from tui.plot.cells import clean


def unsplit(view: View) -> tuple[str, ...]:
    """Why the engine's own durations do not count for this run, then the remedy; each only where known.

    The remedy waits for the end: until then an engine that was started for it may still tell.
    """
    note = view.conditions.get("timings_note")
    told = [clean(note)] if isinstance(note, str) and note else []
    wait = view.phase("waiting")
    split = wait is None or wait.provenance is Provenance.ESTIMATED  # by a calibration
    if not split and view.stage is Stage.FINISHED:
        remedy = remedy_of_wait(view.conditions)
        told += [f"to split it: {remedy}"] if remedy else []
    return tuple(told)
