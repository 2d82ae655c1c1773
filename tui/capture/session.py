"""One sitting with an engine: aim at it, send requests, watch, calibrate. Only `wait` ever blocks."""

from __future__ import annotations

import time
from collections.abc import Callable
from itertools import count
from pathlib import Path

from tui.capture.builtin import BuiltIn
from tui.capture.calibrating import Calibrating
from tui.capture.channel import Channel
from tui.capture.experience import Experience
from tui.capture.foresight import Foresight
from tui.capture.frames import Frame, Gone, Item, Mark, Reply
from tui.capture.lookout import Lookout
from tui.capture.machine import Machine
from tui.capture.requests import Requests
from tui.capture.shelf import Shelf as Recordings
from tui.capture.target import Run, Target
from tui.capture.trials import Trials
from tui.domain.calibration import Calibration
from tui.domain.knobs import Knobs
from tui.domain.pressure import Pressure
from tui.domain.shelf import Shelf
from tui.domain.view import View
from tui.engines.detect import Found
from tui.engines.urls import Base
from tui.probes.sampler import Sampler

_GATHER_S = 0.02  # to wake up for each token costs more than to take it in, and disturbs the reader


class Session:
    """`drain` it often; everything else can be read at any time.

    problem: one line when there is no engine. notice: one line of what did not go as wished.
    """

    def __init__(
        self,
        channel: Channel,
        sampler: Sampler | None = None,
        recordings: Recordings | None = None,
        clock: Callable[[], int] = time.monotonic_ns,
        experience: Experience | None = None,
    ) -> None:
        self._channel = channel
        self._next = count(1).__next__
        self._machine = Machine(sampler)
        self._lookout = Lookout(channel.send, self._next, clock, self._machine.watch)
        self._foresight = Foresight(experience)
        self._requests = Requests(
            channel, self._lookout, self._machine, recordings, self._foresight, self._next, clock
        )
        self.gguf: Path | None = None
        self.download = True
        self._trials = Trials(self._requests, self._foresight, self._send)

    # -- the engine ---------------------------------------------------------------------------------------

    def aim(self, target: Target) -> None:
        """Look what answers at the target; `found` or `problem` follows."""
        self._lookout.aim(target)

    def discover(self, take: str | None = None, model: str = "") -> None:
        """Ask the usual local ports; `discovered` follows.

        With `take` the first engine of that name ("": of any) is aimed at, unless one was chosen meanwhile;
        those that have `model` come first.
        """
        self._lookout.discover(take, model)

    def embed(self) -> None:
        """Use the built-in engine: fetch its model when needed (and `download`), start it, aim at it."""
        self._lookout.embed(self.gguf, self.download)

    @property
    def found(self) -> Found | None:
        """The engine that requests go to."""
        return self._lookout.found

    @property
    def target(self) -> Target | None:
        return self._lookout.target

    @property
    def problem(self) -> str:
        """Why there is no engine, in one line."""
        return self._lookout.problem

    @property
    def lost(self) -> bool:
        """The reader is gone: nothing can be sent until the program is started again."""
        return self._lookout.lost

    @property
    def discovered(self) -> tuple[Found, ...] | None:
        return self._lookout.discovered

    @property
    def slow(self) -> tuple[str, ...]:
        """Local addresses where something did not answer in time."""
        return self._lookout.slow

    def also_ask(self, bases: tuple[Base, ...]) -> None:
        """Addresses to look at beside the usual local ports."""
        self._lookout.also = bases

    @property
    def builtin(self) -> BuiltIn:
        return self._lookout.builtin

    @property
    def aiming(self) -> bool:
        return self._lookout.aiming

    @property
    def context(self) -> int | None:
        """Tokens that prompt and answer share, None when not known."""
        return self.found.context if self.found else None

    # -- requests -----------------------------------------------------------------------------------------

    @property
    def activity(self) -> str:
        """What happens before a request is sent, "" else."""
        return self._requests.activity

    @property
    def notice(self) -> str:
        return self._requests.notice

    @property
    def shelf(self) -> Shelf:
        """The runs of this sitting."""
        return self._requests.shelf

    @property
    def timeout_s(self) -> float | None:
        """For each whole request; None is never."""
        return self._requests.timeout_s

    @timeout_s.setter
    def timeout_s(self, timeout_s: float | None) -> None:
        self._requests.timeout_s = timeout_s

    @property
    def running(self) -> bool:
        """From `send` or `calibrate` until all of it is over, failed or cancelled."""
        return self.calibrating is not None or self._requests.running

    @property
    def run(self) -> Run | None:
        """The request that runs, or the latest one."""
        return self._requests.flight.run if self._requests.flight else None

    @property
    def ended(self) -> bool:
        """Nothing more will come of the current run, its recording is whole."""
        return self._requests.flight is not None and self._requests.flight.ended

    def send(self, knobs: Knobs, record: Path | None = None) -> None:
        """Send a request; what runs is cancelled. Nothing happens without an engine."""
        self._trials.stop()
        self._send(knobs, record)

    def _send(self, knobs: Knobs, record: Path | None = None) -> None:
        self.builtin.make_room(knobs.rivals)
        self._requests.trial = self.calibrating is not None
        self._requests.send(knobs, record)

    def cancel(self) -> None:
        """Stop what runs: the socket closes at once."""
        self._trials.stop()
        self._requests.stop()

    def view(self) -> View:
        """The current request as it is now."""
        return self._requests.view()

    def raw(self) -> list[str]:
        """The newest reads of the stream as text."""
        return self._requests.flight.raw() if self._requests.flight else []

    # -- calibration --------------------------------------------------------------------------------------

    def calibrate(self, knobs: Knobs) -> str:
        """Send a few cold prompts of different lengths and keep what they teach; what that costs, in words.

        `calibrated` follows: what was found, or why nothing was. What runs is cancelled.
        """
        if self.found is None:
            return ""
        self.cancel()
        return self._trials.begin(knobs, self.context)

    @property
    def calibrating(self) -> Calibrating | None:
        """The calibration that runs."""
        return self._trials.work

    @property
    def calibrated(self) -> Calibration | str | None:
        """What the latest one found, or why nothing."""
        return self._trials.result

    # -- time ---------------------------------------------------------------------------------------------

    def drain(self) -> bool:
        """Take in all that came since the last call; True when anything changed."""
        changed = self._machine.drain(self._channel.send, lambda: self._requests.sampling)
        frames = self._channel.drain()
        for frame in frames:
            self._frame(frame)
        changed = self._lookout.tick() or changed
        self._requests.tick()
        self._trials.go_on(self.problem)
        return changed or bool(frames)

    def _frame(self, frame: Frame) -> None:
        match frame:
            case Reply():
                if not self._lookout.hear(frame):
                    self._requests.reply(frame)
            case Item() | Mark():
                self._requests.heard(frame)
            case Gone(detail=detail):
                why = f"{detail}; start toklane again"
                self._lookout.lose(why)
                self._trials.stop()
                self._requests.lose(why)

    @property
    def pressure(self) -> Pressure:
        return self._machine.pressure

    def wait(self, timeout_s: float) -> None:
        """Block until something may have come. For programs without a screen."""
        if self._requests.streaming:
            time.sleep(_GATHER_S)
        self._channel.wait(timeout_s)

    def close(self) -> None:
        """Cancel, end the children, the engine last."""
        self.cancel()
        self._channel.close()
        self._machine.close()
        self.builtin.close()
