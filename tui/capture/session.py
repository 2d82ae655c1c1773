"""One sitting with an engine: aim at it, size a prompt, send, watch, cancel. Only `wait` ever blocks."""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import datetime
from itertools import count
from pathlib import Path

from tui.capture.builtin import BuiltIn
from tui.capture.calibrating import Calibrating, summary_of
from tui.capture.channel import Channel
from tui.capture.errand import Errand, Memory
from tui.capture.experience import Experience
from tui.capture.flight import Flight
from tui.capture.foresight import Foresight
from tui.capture.frames import Frame, Gone, Item, Mark, Reply
from tui.capture.lookout import Lookout
from tui.capture.machine import Machine
from tui.capture.orders import CancelOrder, HushOrder, NoteOrder, StreamOrder, WarmOrder
from tui.capture.shelf import Shelf as Recordings
from tui.capture.target import Run, Target, label_of
from tui.domain.calibration import Calibration
from tui.domain.knobs import Knobs
from tui.domain.pressure import Pressure
from tui.domain.shelf import Shelf
from tui.domain.view import View
from tui.domain.wire import Note
from tui.engines.detect import Found
from tui.engines.urls import Base
from tui.probes.sampler import Sampler

ERRAND_NS = 15_000_000_000
SLOTS_WITH_RIVALS = 2  # of the built-in engine; the second one costs 180 MB, so it has one until then


class Session:
    """`drain` it often; everything else can be read at any time.

    activity: what happens before a request is sent, "" else. problem: one line when there is no engine.
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
        self._recordings = recordings
        self._clock = clock
        self._ids = count(1)
        self._machine = Machine(sampler)
        self._lookout = Lookout(channel.send, self._next, clock, self._machine.watch)
        self._errand: Errand | None = None
        self._errand_ns = 0
        self._next_wish: tuple[Knobs, Path | None] | None = None
        self._awaiting: tuple[Knobs, Path | None] | None = None  # sent when the engine is there again
        self._flight: Flight | None = None
        self.notice = ""
        self.shelf = Shelf()
        self.timeout_s: float | None = None
        self.gguf: Path | None = None
        self.download = True
        self._memory = Memory()
        self._foresight = Foresight(experience)
        self._trial_after: Flight | None = None  # the run before the one that a calibration waits for
        self.calibrating: Calibrating | None = None
        self.calibrated: Calibration | str | None = None

    # -- the engine ---------------------------------------------------------------------------------------

    def aim(self, target: Target) -> None:
        """Look what answers at the target; `found` or `problem` follows."""
        self._lookout.aim(target)

    def discover(self, take: str | None = None) -> None:
        """Ask the usual local ports; `discovered` follows.

        With `take` the first engine of that name ("": of any) is aimed at, unless one was chosen meanwhile.
        """
        self._lookout.discover(take)

    def embed(self) -> None:
        """Use the built-in engine: fetch its model when needed (and `download`), start it, aim at it."""
        self._lookout.embed(self.gguf, self.download)

    def make_room(self, rivals: int) -> None:
        """The built-in engine gets a second slot at its next start, when there are rivals."""
        if rivals:
            self.builtin.slots = SLOTS_WITH_RIVALS

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
        if self._awaiting is not None:
            return f"the built-in engine starts anew, with {self.builtin.slots} slots"
        return self._errand.activity if self._errand else ""

    @property
    def running(self) -> bool:
        """From `send` or `calibrate` until all of it is over, failed or cancelled."""
        return self.calibrating is not None or self._sending

    @property
    def _sending(self) -> bool:
        preparing = self._errand is not None or self._awaiting is not None
        return preparing or (self._flight is not None and self._flight.running)

    @property
    def run(self) -> Run | None:
        """The request that runs, or the latest one."""
        return self._flight.run if self._flight else None

    def send(self, knobs: Knobs, record: Path | None = None) -> None:
        """Send a request; what runs is cancelled. Nothing happens without an engine."""
        self.calibrating = None
        self._send(knobs, record)

    def calibrate(self, knobs: Knobs) -> str:
        """Send a few cold prompts of different lengths and keep what they teach; what that costs, in words.

        `calibrated` follows: what was found, or why nothing was. What runs is cancelled.
        """
        if self.found is None:
            return ""
        self.cancel()
        self.calibrated = None
        self.calibrating = work = Calibrating(knobs, self.context)
        told = work.cost
        self._calibrate()
        return told

    def _calibrate(self) -> None:
        """Look at the trial that is over, send the next one or keep what all of them say."""
        work = self.calibrating
        if work is None or self._sending:
            return
        if work.number and self._flight is self._trial_after:
            work.result = self.problem or self.notice or "a prompt could not be sent"
        elif work.number:
            work.take(self.view())
        if not work.over:
            self._trial_after = self._flight
            self._send(work.next())
            return
        self.calibrating, self.calibrated = None, work.result
        if isinstance(work.result, Calibration):
            self._foresight.keep(work.result)
            self.notice = self._foresight.problem or summary_of(work.result)
        else:
            self.notice = f"not calibrated: {work.result}"

    def _send(self, knobs: Knobs, record: Path | None = None) -> None:
        underway = self._errand
        self._stop()
        self.notice = ""
        if self.found is None or self.target is None:
            return
        self.make_room(knobs.rivals)
        if self._lookout.widen():
            self._awaiting = (knobs, record)
            return
        if underway is not None and underway.waits:
            # held keys must not pile up questions: the newest wish waits for the answers to the last ones
            underway.give_up()
            self._errand, self._next_wish = underway, (knobs, record)
            return
        self._set_out(knobs, record, self.found, self.target)

    def _set_out(self, knobs: Knobs, record: Path | None, found: Found, target: Target) -> None:
        self._channel.send(WarmOrder(found.base.root, target.ca_file, target.insecure))
        self._errand = Errand(
            knobs, target, found, record, self._channel.send, self._next, self._memory, self.timeout_s
        )
        self._errand_ns = self._clock()
        self._go()

    def cancel(self) -> None:
        """Stop what runs: the socket closes at once."""
        self.calibrating = None
        self._stop()

    def _stop(self) -> None:
        self._errand = self._next_wish = self._awaiting = None
        flight = self._flight
        if flight is not None and flight.running:
            flight.given_up = True
            self._channel.send(CancelOrder(flight.run_id))
            self._machine.end()

    @property
    def ended(self) -> bool:
        """Nothing more will come of the current run, its recording is whole."""
        return self._flight is not None and self._flight.ended

    def raw(self) -> list[str]:
        """The newest reads of the stream as text."""
        return self._flight.raw() if self._flight else []

    # -- time ---------------------------------------------------------------------------------------------

    def drain(self) -> bool:
        """Take in all that came since the last call; True when anything changed."""
        changed = self._machine.drain(self._channel.send, self._sampling)
        frames = self._channel.drain()
        for frame in frames:
            self._frame(frame)
        changed = self._lookout.tick() or changed
        self._resume()
        self._hurry()
        self._calibrate()
        order = self._flight.overtime(self._clock()) if self._flight else None
        if order is not None:
            self._channel.send(order)
        return changed or bool(frames)

    def _resume(self) -> None:
        """Send what waited for the engine to start anew."""
        if self._awaiting is not None and self.found is not None:
            self._send(*self._awaiting)
        elif self.problem:
            self._awaiting = None

    def _hurry(self) -> None:
        """An engine that does not answer what must be known first is not waited for without end."""
        limit_ns = min(ERRAND_NS, round((self.timeout_s or 1e9) * 1e9))
        if self._errand is not None and self._clock() - self._errand_ns > limit_ns:
            self.notice = (
                f"not sent: the engine did not finish {self._errand.activity} in {limit_ns / 1e9:g} s"
            )
            self._errand = self._next_wish = None

    def view(self) -> View:
        """The current request as it is now."""
        return self._flight.view(self._clock()) if self._flight else View()

    @property
    def pressure(self) -> Pressure:
        return self._machine.pressure

    def wait(self, timeout_s: float) -> None:
        """Block until something may have come. For programs without a screen."""
        self._channel.wait(timeout_s)

    def close(self) -> None:
        """Cancel, end the children, the engine last."""
        self.cancel()
        self._channel.close()
        self._machine.close()
        self.builtin.close()

    # -- what came ----------------------------------------------------------------------------------------

    def _next(self) -> int:
        return next(self._ids)

    def _frame(self, frame: Frame) -> None:
        flight = self._flight
        match frame:
            case Reply():
                self._reply(frame)
            case Item(run_id=run_id, record=record) if flight is not None and run_id == flight.run_id:
                if isinstance(record, Note) and record.name == "recording_failed":
                    self.notice = f"not recorded: {record.fields.get('reason')}"
                wanted = flight.running
                flight.feed((record,))
                self._machine.reached(flight.reached)
                if wanted and not flight.running:
                    self._keep(flight)
            case Mark(run_id=run_id, name="sent", mono_ns=mono_ns) if flight and run_id == flight.run_id:
                flight.zero_ns = mono_ns
                self._machine.mark()
            case Gone(detail=detail):
                self._lose(f"{detail}; start toklane again")
            case _:
                pass

    def _lose(self, why: str) -> None:
        """The reader is gone: what it was asked for never comes, and nothing more can be asked."""
        self._lookout.lose(why)
        self._errand = self._awaiting = self.calibrating = None
        if self._flight is not None and self._flight.running:
            self._flight.lose(why, self._clock())
            self._machine.end()

    def _reply(self, reply: Reply) -> None:
        if not self._lookout.hear(reply) and self._errand is not None and self._errand.hear(reply):
            self._go()

    def _place(self) -> Path | None:
        if self._recordings is None:
            return None
        try:
            return self._recordings.reserve(datetime.now())
        except OSError as error:
            self.notice = f"not recorded: {error.filename or ''} {error.strerror or error}"
            return None

    def _go(self) -> None:
        """Send the stream once the errand has all it needs."""
        errand = self._errand
        if errand is None or not errand.done:
            return
        wish, self._errand, self._next_wish = self._next_wish, None, None
        if wish is not None and self.found is not None and self.target is not None:
            self._set_out(*wish, self.found, self.target)
        elif errand.problem:
            self.notice = errand.problem
        else:
            record = errand.record if errand.record is not None else self._place()
            order = errand.order(self._next(), datetime.now(), record)
            self._start(self._prepared(order, errand.knobs), errand, record)

    def _prepared(self, order: StreamOrder, knobs: Knobs) -> StreamOrder:
        """The order with what earlier runs have taught about it."""
        found, engine = self.found, self.builtin.engine
        if found is None:
            return order
        ours = engine is not None and engine.base_url.startswith(found.base.root)
        return self._foresight.prepared(order, knobs, found, ours, self.calibrating is not None)

    def _start(self, order: StreamOrder, errand: Errand, record: Path | None) -> None:
        number = self.shelf.begin()
        label = label_of(number, errand.knobs)
        self._flight = Flight(Run(number, errand.knobs, label, record, errand.parts, errand.note), order.id)
        self._machine.begin()
        self._channel.send(order)
        if errand.probe is not None:
            self._channel.send(NoteOrder(order.id, "tokenize_probe", errand.probe))

    def _sampling(self) -> int | None:
        """The stream that machine samples belong to, until its recording ends: the last one counts too."""
        return self._flight.run_id if self._flight and not self._flight.ended else None

    def _keep(self, flight: Flight) -> None:
        """Keep what a run that has just come to its end leaves behind; its rivals end with it."""
        if flight.run.knobs.rivals:
            self._channel.send(HushOrder(flight.run_id))
        view = flight.view(self._clock())
        self.shelf.keep(view, flight.run.knobs, flight.run.label)
        self._foresight.learn(view)
        self._machine.end()
        chars, tokens = view.conditions.get("prompt_chars"), view.prompt_tokens
        if self.found and isinstance(chars, int) and tokens:
            self._memory.learn(self.found.base.root, self.found.model, chars, tokens)
