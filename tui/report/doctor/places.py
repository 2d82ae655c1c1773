"""Where this user's files lie and how large they are; deletes recorded runs and what they taught."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from tui import locations
from tui.capture.shelf import Shelf
from tui.engines import model
from tui.settings import config, last


@dataclass(frozen=True, slots=True)
class Place:
    """One file or folder. kind: file or folder. count: recordings in it. size_bytes: None when not there."""

    name: str
    path: Path
    size_bytes: int | None = None
    count: int | None = None


def places() -> tuple[Place, ...]:
    """All that toklane reads and writes; keys are in none of them."""
    runs = runs_shelf()
    recorded = runs.listing()
    told = [
        Place("settings", config.path(), _size(config.path())),
        Place("last used", last.path(), _size(last.path())),
        Place("recordings", runs.directory, _total(recorded) if recorded else None, len(recorded)),
        *(Place("learned", file, _size(file)) for file in learned()),
        Place("model", model.path(), _size(model.path())),
    ]
    return tuple(told)


def runs_shelf() -> Shelf:
    """The recorded runs."""
    return Shelf(locations.state_dir() / "runs")


def learned() -> tuple[Path, ...]:
    """Where it is kept what earlier runs taught; it goes with the runs."""
    return (locations.experience_file(),)


@dataclass(frozen=True, slots=True)
class Cleared:
    """What was deleted; problem: one line when something could not be."""

    runs: int
    size_bytes: int
    learned: int
    problem: str = ""


def clear(shelf: Shelf, stores: Sequence[Path]) -> Cleared:
    """Delete the recordings of the shelf and these files; files with other names stay."""
    runs = size_bytes = gone = 0
    problem = ""
    for file in [*shelf.listing(), *stores]:
        try:
            size = file.lstat().st_size
            file.unlink()
        except FileNotFoundError:
            continue
        except OSError as error:
            problem = problem or f"{str(file)!r} can't be deleted: {error.strerror or error}"
            continue
        size_bytes += size
        if file in stores:
            gone += 1
        else:
            runs += 1
    return Cleared(runs, size_bytes, gone, problem)


def _size(file: Path) -> int | None:
    try:
        return file.stat().st_size
    except OSError:
        return None


def _total(files: Iterable[Path]) -> int:
    total = 0
    for file in files:
        with contextlib.suppress(OSError):
            total += file.stat().st_size
    return total
