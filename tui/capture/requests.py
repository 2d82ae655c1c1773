"""The requests of one sitting, one at a time: sized, sent, watched, kept, or given up."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from pathlib import Path

from tui.capture.builtin import BuiltIn
from tui.capture.channel import Channel
from tui.capture.errand import Errand, Memory
from tui.capture.flight import Flight
from tui.capture.foresight import Foresight
from tui.capture.frames import Item, Mark, Reply
from tui.capture.lookout import Lookout
from tui.capture.machine import Machine
from tui.capture.orders import CancelOrder, HushOrder, NoteOrder, StreamOrder, WarmOrder
from tui.capture.shelf import Shelf as Recordings
from tui.capture.target import Run, Target, label_of
from tui.domain.knobs import Knobs
from tui.domain.shelf import Shelf
from tui.domain.view import View
from tui.domain.wire import Note
from tui.engines.detect import Found

ERRAND_NS = 15_000_000_000
Wish = tuple[Knobs, Path | None]


class Requests:
    """The newest request from the wish to its end. `notice`: one line of what did not go as wished, or "".

    trial: the requests calibrate the endpoint, so nothing of what they are meant to teach may be used.
    """

    def __init__(
        self,
        channel: Channel,
        lookout: Lookout,
        machine: Machine,
        recordings: Recordings | None,
        foresight: Foresight,
        next_id: Callable[[], int],
        clock: Callable[[], int],
    ) -> None:
        self._channel = channel
        self._lookout = lookout
        self._machine = machine
        self._recordings = recordings
        self._foresight = foresight
        self._next_id = next_id
        self._clock = clock
        self._memory = Memory()
        self._errand: Errand | None = None
        self._errand_ns = 0
        self._next_wish: Wish | None = None
        self._awaiting: Wish | None = None  # sent when the engine is there again
        self.flight: Flight | None = None
        self.shelf = Shelf()
        self.notice = ""
        self.timeout_s: float | None = None
        self.trial = False

    # -- what is asked of it ------------------------------------------------------------------------------

    @property
    def running(self) -> bool:
        """From `send` until the request is over, failed or cancelled."""
        preparing = self._errand is not None or self._awaiting is not None
        return preparing or (self.flight is not None and self.flight.running)

    @property
    def streaming(self) -> bool:
        """The answer is coming, token by token."""
        return self.flight is not None and self.flight.running and self.flight.reached == "decode"

    @property
    def activity(self) -> str:
        """What happens before a request is sent, "" else."""
        if self._awaiting is not None:
            return f"the built-in engine starts anew, with {self._builtin.slots} slots"
        return self._errand.activity if self._errand else ""

    @property
    def sampling(self) -> int | None:
        """The stream that machine samples belong to, until its recording ends: the last one counts too."""
        return self.flight.run_id if self.flight and not self.flight.ended else None

    def view(self) -> View:
        """The newest request as it is now."""
        return self.flight.view(self._clock()) if self.flight else View()

    def send(self, knobs: Knobs, record: Path | None = None) -> None:
        """Send a request; what runs is cancelled. Nothing happens without an engine."""
        underway = self._errand
        self.stop()
        self.notice = ""
        found, target = self._lookout.found, self._lookout.target
        if found is None or target is None:
            return
        if self._lookout.widen():
            self._awaiting = (knobs, record)
            return
        if underway is not None and underway.waits:
            # held keys must not pile up questions: the newest wish waits for the answers to the last ones
            underway.give_up()
            self._errand, self._next_wish = underway, (knobs, record)
            return
        self._set_out(knobs, record, found, target)

    def stop(self) -> None:
        """Stop what runs: the socket closes at once."""
        self._errand = self._next_wish = self._awaiting = None
        flight = self.flight
        if flight is not None and flight.running:
            flight.given_up = True
            self._channel.send(CancelOrder(flight.run_id))
            self._machine.end()

    # -- time ---------------------------------------------------------------------------------------------

    def tick(self) -> None:
        """Send what waited for the engine, give up what takes too long, close what does not end."""
        if self._awaiting is not None and self._lookout.found is not None:
            self.send(*self._awaiting)
        elif self._lookout.problem:
            self._awaiting = None
        self._hurry()
        order = self.flight.overtime(self._clock()) if self.flight else None
        if order is not None:
            self._channel.send(order)

    def _hurry(self) -> None:
        """An engine that does not answer what must be known first is not waited for without end."""
        limit_ns = min(ERRAND_NS, round((self.timeout_s or 1e9) * 1e9))
        if self._errand is not None and self._clock() - self._errand_ns > limit_ns:
            self.notice = (
                f"not sent: the engine did not finish {self._errand.activity} in {limit_ns / 1e9:g} s"
            )
            self._errand = self._next_wish = None

    # -- what came ----------------------------------------------------------------------------------------

    def reply(self, reply: Reply) -> None:
        """An answer to a question that was asked before sending."""
        if self._errand is not None and self._errand.hear(reply):
            self._go()

    def heard(self, frame: Item | Mark) -> None:
        """A record or the time zero of a stream; those of earlier ones are ignored."""
        flight = self.flight
        if flight is None or frame.run_id != flight.run_id:
            return
        match frame:
            case Mark(name="sent", mono_ns=mono_ns):
                flight.zero_ns = mono_ns
                self._machine.mark()
            case Item(record=record):
                if isinstance(record, Note) and record.name == "recording_failed":
                    self.notice = f"not recorded: {record.fields.get('reason')}"
                wanted = flight.running
                flight.feed((record,))
                self._machine.reached(flight.reached)
                if wanted and not flight.running:
                    self._keep(flight)
            case _:
                pass

    def lose(self, why: str) -> None:
        """The reader is gone: what it was asked for never comes."""
        self._errand = self._awaiting = None
        if self.flight is not None and self.flight.running:
            self.flight.lose(why, self._clock())
            self._machine.end()

    # -- from the wish to the wire ------------------------------------------------------------------------

    @property
    def _builtin(self) -> BuiltIn:
        return self._lookout.builtin

    def _set_out(self, knobs: Knobs, record: Path | None, found: Found, target: Target) -> None:
        self._channel.send(WarmOrder(found.base.root, target.ca_file, target.insecure))
        self._errand = Errand(
            knobs, target, found, record, self._channel.send, self._next_id, self._memory, self.timeout_s
        )
        self._errand_ns = self._clock()
        self._go()

    def _go(self) -> None:
        """Send the stream once the errand has all it needs."""
        errand = self._errand
        if errand is None or not errand.done:
            return
        wish, self._errand, self._next_wish = self._next_wish, None, None
        found, target = self._lookout.found, self._lookout.target
        if wish is not None and found is not None and target is not None:
            self._set_out(*wish, found, target)
        elif errand.problem:
            self.notice = errand.problem
        else:
            record = errand.record if errand.record is not None else self._place()
            order = errand.order(self._next_id(), datetime.now(), record)
            self._start(self._prepared(order, errand.knobs), errand, record)

    def _place(self) -> Path | None:
        if self._recordings is None:
            return None
        try:
            return self._recordings.reserve(datetime.now())
        except OSError as error:
            self.notice = f"not recorded: {error.filename or ''} {error.strerror or error}"
            return None

    def _prepared(self, order: StreamOrder, knobs: Knobs) -> StreamOrder:
        """The order with what earlier runs have taught about it."""
        found, engine = self._lookout.found, self._builtin.engine
        if found is None:
            return order
        ours = engine is not None and engine.base_url.startswith(found.base.root)
        return self._foresight.prepared(order, knobs, found, ours, self.trial)

    def _start(self, order: StreamOrder, errand: Errand, record: Path | None) -> None:
        number = self.shelf.begin()
        label = label_of(number, errand.knobs)
        self.flight = Flight(Run(number, errand.knobs, label, record, errand.parts, errand.note), order.id)
        self._machine.begin()
        self._channel.send(order)
        if errand.probe is not None:
            self._channel.send(NoteOrder(order.id, "tokenize_probe", errand.probe))

    def _keep(self, flight: Flight) -> None:
        """Keep what a run that has just come to its end leaves behind; its rivals end with it."""
        if flight.run.knobs.rivals:
            self._channel.send(HushOrder(flight.run_id))
        view = flight.view(self._clock())
        self.shelf.keep(view, flight.run.knobs, flight.run.label)
        self._foresight.learn(view)
        self._machine.end()
        chars, tokens = view.conditions.get("prompt_chars"), view.prompt_tokens
        found = self._lookout.found
        if found and isinstance(chars, int) and tokens:
            self._memory.learn(found.base.root, found.model, chars, tokens)
