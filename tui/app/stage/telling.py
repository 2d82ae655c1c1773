"""What the stage tells of a scene: the sentence of its band, and the figures for a room."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from tui.app.figures import Shown, Units, figures
from tui.app.said import Said
from tui.app.scene import Scene
from tui.app.stage.headings import HEADINGS, IN_VAIN
from tui.app.words import say
from tui.domain.view import Stage
from tui.plot.giant import Giant
from tui.plot.numbers import count

_BEFORE = (0, 2)  # which of the headings while nothing is written
_WRITING = (1, 3)
_OVER = (1, 2, 3)


def told(scene: Scene) -> Said:
    """The sentence; where the engine doesn't say how far it read, how much it was given to read."""
    said = say(scene)
    if scene.view.stage is Stage.PREFILL and not scene.view.reports and scene.asked:
        return replace(said, parts=(f"a prompt of {count(scene.asked)} tokens", *said.parts))
    return said


def giants(scene: Scene, units: Units) -> Sequence[Giant]:
    """Two figures while it runs, three when it is over; where no word came, how long it was waited for."""
    shown = figures(scene, units)
    told = [_giant(*HEADINGS[n], shown[n]) for n in _which(scene.view.stage)]
    if scene.view.total_ns is not None and not shown[1].number:
        told[0] = _giant(*IN_VAIN, shown[0])
    if scene.view.running and scene.view.chunks == 1:
        told[-1] = Giant(*HEADINGS[-1])  # one token has no pace: nothing came since, for a moment
    return told


def _which(stage: Stage) -> Sequence[int]:
    match stage:
        case Stage.CONNECTING | Stage.WAITING | Stage.PREFILL:
            return _BEFORE
        case Stage.DECODING | Stage.STALLED:
            return _WRITING
        case _:
            return _OVER


def _giant(heading: str, role: str, shown: Shown) -> Giant:
    return Giant(heading, role, shown.number, shown.unit, shown.mark, shown.why)
