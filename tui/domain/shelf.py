"""What earlier runs leave on the screen: the ghost below the lane, and the TTFT of each prompt length."""

from __future__ import annotations

from dataclasses import dataclass, field

from tui.domain.knobs import Knobs
from tui.domain.phases import Phase
from tui.domain.rivals import told_rivals
from tui.domain.view import Stage, View

_LENGTH_OFF = 0.25  # of the length asked for: halfway to the next step of the dial at most


@dataclass(frozen=True, slots=True)
class Ghost:
    """The previous finished run, as it is drawn below the lane of the next. `name`: the shortest label."""

    number: int
    name: str
    label: str
    total_ns: int
    phases: tuple[Phase, ...]


@dataclass(frozen=True, slots=True)
class Curve:
    """Key of one TTFT curve: results of different engines, models or cache modes are never mixed.

    Nor are runs that were alone and runs with `rivals` beside them.
    """

    engine: str
    model: str
    cache: str
    profile: str
    rivals: int = 0


@dataclass(slots=True)
class Shelf:
    """Finished runs of this sitting, by what the screen needs of them."""

    runs: int = 0
    ghost: Ghost | None = None
    ttft_s: dict[tuple[Curve, int], float] = field(default_factory=dict)
    failed: set[tuple[Curve, int]] = field(default_factory=set)

    def begin(self) -> int:
        """Number of the run that starts now."""
        self.runs += 1
        return self.runs

    def keep(self, view: View, knobs: Knobs, label: str, name: str = "") -> None:
        """Take over what a run that is over leaves behind: its place on the dial, and the ghost.

        One that was given up is no measure for the next: it leaves no ghost. `name`: what it is called where
        it is not the number of the run.
        """
        self.learn(view, knobs)
        if view.total_ns and view.track.reads and view.stage is not Stage.CANCELLED:
            name = name or f"run {self.runs}"
            self.ghost = Ghost(self.runs, name, label, view.total_ns, view.phases)

    def learn(self, view: View, knobs: Knobs) -> None:
        """The TTFT of a run that is over; incomplete ones leave none.

        Nor does one whose prompt was not of the length that was asked for: it is no result of that length.
        """
        if not _as_asked(view, knobs):
            return
        key = (curve(view, knobs), knobs.prompt_tokens)
        if view.stage is Stage.FINISHED and view.complete and view.ttft.number is not None:
            self.ttft_s[key] = view.ttft.number
            self.failed.discard(key)
        elif view.stage is Stage.FAILED:
            self.failed.add(key)


def _as_asked(view: View, knobs: Knobs) -> bool:
    measured = view.prompt_tokens
    if measured is None:
        return not knobs.own
    return abs(measured - knobs.prompt_tokens) <= _LENGTH_OFF * knobs.prompt_tokens


def curve(view: View, knobs: Knobs) -> Curve:
    """Which curve a run of this view belongs to."""
    told = view.conditions.get
    names = str(told("engine") or ""), str(told("model") or "")
    return Curve(*names, knobs.cache.value, knobs.profile.value, told_rivals(view.conditions))
