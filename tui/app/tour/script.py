"""The scenes of a tour before there is a screen: what is wrong with them is one line."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from tui import locations
from tui.settings import tour_script
from tui.settings.tour_script import Act, ScriptError


def acts(script: Path | None, recorded: bool) -> tuple[Act, ...]:
    """The scenes; recorded: they are played from recordings. Raises ScriptError."""
    loaded = tour_script.load(script)
    if recorded:
        _check([act.recording for act in loaded])
    return loaded


def _check(files: Sequence[Path | None]) -> None:
    """Whether the first of the recordings can be played; those that come along can."""
    first = next(filter(None, files), None)
    if first is None:
        raise ScriptError("no scene of the script names a recording to play; add one, or leave --demo away")
    if first.parent in (locations.tour_dir(), locations.demo_dir()):
        return
    from tui.capture.recording import read

    try:
        read(first)
    except OSError as error:
        raise ScriptError(f"{str(first)!r} can't be read: {error.strerror or error}") from None
    except ValueError as error:
        raise ScriptError(f"the script's first recording can't be played: {error}") from None
