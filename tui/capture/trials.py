"""A calibration under way: one trial after the other goes out, and what they teach is kept."""

from __future__ import annotations

from collections.abc import Callable

from tui.capture.calibrating import Calibrating, summary_of
from tui.capture.flight import Flight
from tui.capture.foresight import Foresight
from tui.capture.requests import Requests
from tui.domain.calibration import Calibration
from tui.domain.knobs import Knobs


class Trials:
    """`work`: the calibration that runs. `result`: what the latest one found, or why nothing."""

    def __init__(self, requests: Requests, foresight: Foresight, send: Callable[[Knobs], None]) -> None:
        self._requests = requests
        self._foresight = foresight
        self._send = send
        self._after: Flight | None = None  # the run before the trial that is waited for
        self.work: Calibrating | None = None
        self.result: Calibration | str | None = None

    def begin(self, knobs: Knobs, context: int | None) -> str:
        """Send the first trial; what all of them cost, in words."""
        self.result = None
        self.work = work = Calibrating(knobs, context)
        told = work.cost
        self.go_on()
        return told

    def stop(self) -> None:
        self.work = None

    def go_on(self, problem: str = "") -> None:
        """Look at the trial that is over, send the next one or keep what all of them say.

        problem: why there is no engine.
        """
        work = self.work
        if work is None or self._requests.running:
            return
        if work.number and self._requests.flight is self._after:
            work.result = problem or self._requests.notice or "a prompt could not be sent"
        elif work.number:
            work.take(self._requests.view())
        if not work.over:
            self._after = self._requests.flight
            self._send(work.next())
            return
        self.work, self.result = None, work.result
        if isinstance(work.result, Calibration):
            self._foresight.keep(work.result)
            self._requests.notice = self._foresight.problem or summary_of(work.result)
        else:
            self._requests.notice = f"not calibrated: {work.result}"
