"""Calibrates an endpoint that tells nothing: a few cold prompts of different lengths, then a curve."""

from __future__ import annotations

from dataclasses import replace

from tui.domain.calibration import LENGTHS, Calibration, calibrated
from tui.domain.expect import known_from
from tui.domain.knobs import Cache, Knobs, Profile, room
from tui.domain.values import Provenance
from tui.domain.view import Stage, View
from tui.plot.numbers import duration

ANSWER = 2  # tokens; the first is all that is wanted
_LEAST_ROOM = 64


def lengths_for(context: int | None) -> tuple[int, ...]:
    """The lengths of the trials, shortest first; none where the context is too small for any difference."""
    most = room(context, ANSWER)
    if most is None or most >= LENGTHS[-1]:
        return LENGTHS
    if most < _LEAST_ROOM:
        return ()
    return tuple(sorted({max(16, most // part) for part in (16, 4, 2, 1)}))


class Calibrating:
    """Which prompt comes next, and what all of them say. The first one warms the engine and does not count.

    Each length comes twice, the second time in the reverse order: a machine that grows slower on the way
    bends the curve by as little as can be. seen: the runs so far. result: the curve, or why there is none.
    """

    def __init__(self, knobs: Knobs, context: int | None) -> None:
        lengths = lengths_for(context)
        order = (*lengths[1::2], *lengths[0::2])
        self._left = [*lengths[:1], *order, *reversed(order)]
        self.of = len(self._left)
        self._knobs = replace(
            knobs,
            answer_limit=ANSWER,
            cache=Cache.COLD,
            profile=Profile.PLAIN,
            own_text="",
            rivals=0,
            auto=False,
        )
        self.seen: list[View] = []
        self._trials: list[tuple[int, float]] = []
        self.result: Calibration | str | None = None
        if not lengths:
            self.result = "the context is too small for prompts of different lengths"

    @property
    def number(self) -> int:
        """Of the request that runs, from 1."""
        return self.of - len(self._left)

    @property
    def over(self) -> bool:
        return self.result is not None

    @property
    def words(self) -> str:
        """How far it is."""
        return f"calibration, prompt {self.number} of {self.of}"

    @property
    def cost(self) -> str:
        """What is still to be sent, in words."""
        return f"{len(self._left)} prompts without reuse, {sum(self._left):,} tokens in all"

    def next(self) -> Knobs:
        """What to send now."""
        return replace(self._knobs, prompt_tokens=self._left.pop(0))

    def take(self, view: View) -> None:
        """A request is over; where nothing more is to be sent the result stands."""
        self.seen.append(view)
        problem = _problem(view)
        if problem:
            self.result = problem
            return
        known = known_from(view)
        if self.number > 1 and known is not None:
            self._trials.append((known.length, known.ttft_s))
        if not self._left:
            self.result = calibrated(self._trials, str(view.conditions.get("start_time") or ""))


def _problem(view: View) -> str:
    """Why it makes no sense to go on."""
    if view.stage is not Stage.FINISHED or not view.complete:
        return view.failure.message if view.failure else "a request was not answered whole"
    told = view.phase("prefill")
    if told is not None and told.provenance is not Provenance.ESTIMATED:
        return "this engine tells how long it reads, so there is nothing to estimate"
    return ""


def summary_of(calibration: Calibration) -> str:
    """What was found, in one line."""
    bend = ", more as it grows" if calibration.c_s else ""
    overhead, token = round(calibration.a_s * 1e9), round(calibration.reading_s(1) * 1e9)
    told = f"≈ {duration(overhead)} + {duration(token)} a token{bend}, ± {100 * calibration.spread:.2g} %"
    return f"calibrated by {calibration.runs} runs: {told}"
