"""What stood in the way of the machine, in words for the timeline."""

from __future__ import annotations

from tui.app.panels.machine_rows import ELSEWHERE
from tui.app.scene import Scene
from tui.domain.insight import Insight
from tui.domain.moments import Moment
from tui.plot.cells import clean
from tui.plot.troubles import Trouble


def troubles(scene: Scene, alone: bool = False) -> list[Trouble]:
    """The marks of a request; `alone`: the load has only the row that they are drawn over, so what is no
    alarm is left out. With the server elsewhere there is one: whose load this is."""
    samples, told = scene.view.samples, scene.told
    if samples and samples[-1].remote:
        return [Trouble(0, 0, "info", (ELSEWHERE,))]
    marks = told.moments.marks if told is not None else ()
    return [
        Trouble(mark.start_ns, mark.end_ns, mark.level, _words(mark))
        for mark in marks
        if mark.end_ns >= 0 and not (alone and mark.level == "info")
    ]


def _words(mark: Moment) -> tuple[str, ...]:
    word, why = clean(mark.word), clean(mark.why)
    return (f"{word} {why}", word) if why else (word,)


def at_moment(told: Insight | None, at_ns: int) -> list[str]:
    """What stood in the way at one moment, the longest wording."""
    marks = told.moments.marks if told is not None else ()
    return [_words(mark)[0] for mark in marks if mark.start_ns <= at_ns <= mark.end_ns]
