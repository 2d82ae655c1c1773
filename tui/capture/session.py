"""One sitting with an engine: aim at it, size a prompt, send, watch, cancel. Only `wait` ever blocks."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from itertools import count
from pathlib import Path

from tui.capture.aiming import Aim, Discovery
from tui.capture.builtin import BuiltIn
from tui.capture.channel import Channel
from tui.capture.errand import Errand, Memory
from tui.capture.flight import Flight
from tui.capture.frames import Frame, Gone, Item, Mark, Reply
from tui.capture.machine import Machine
from tui.capture.orders import CancelOrder, NoteOrder, StreamOrder, WarmOrder
from tui.capture.shelf import Shelf as Recordings
from tui.capture.target import Run, Target
from tui.domain.knobs import Knobs
from tui.domain.pressure import Pressure
from tui.domain.shelf import Shelf
from tui.domain.view import View
from tui.domain.wire import Note
from tui.engines.detect import Found
from tui.plot.numbers import prompt_length
from tui.probes.sampler import Sampler

AGAIN_NS = 500_000_000  # an engine that still loads is asked again


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
    ) -> None:
        self._channel = channel
        self._recordings = recordings
        self._clock = clock
        self._ids = count(1)
        self._machine = Machine(sampler)
        self._aim: Aim | None = None
        self._again_ns: int | None = None
        self._discovery: Discovery | None = None
        self._take: str | None = None
        self._errand: Errand | None = None
        self._flight: Flight | None = None
        self.builtin = BuiltIn()
        self.target: Target | None = None
        self.found: Found | None = None
        self.problem = ""
        self._lost = ""
        self.notice = ""
        self.discovered: tuple[Found, ...] | None = None
        self.shelf = Shelf()
        self.timeout_s: float | None = None
        self.gguf: Path | None = None
        self.download = True
        self._memory = Memory()

    # -- aiming -------------------------------------------------------------------------------------------

    def aim(self, target: Target) -> None:
        """Look what answers at the target; `found` or `problem` follows."""
        self.target, self.found, self.problem, self._again_ns = target, None, self._lost, None
        if self._lost:
            return
        self._aim = Aim(target, self._channel.send, self._next)
        self._aimed()

    def discover(self, take: str | None = None) -> None:
        """Ask the usual local ports; `discovered` follows.

        With `take` the first engine of that name ("": of any) is aimed at, unless one was chosen meanwhile.
        """
        if self._lost:
            return
        self.discovered, self._take = None, take
        self._discovery = Discovery(self._channel.send, self._next)

    def embed(self) -> None:
        """Use the built-in engine: fetch its model when needed (and `download`), start it, aim at it."""
        if self._lost:
            return
        self.builtin.begin(self.gguf, self.download)
        self.problem = self.builtin.why

    @property
    def context(self) -> int | None:
        """Tokens that prompt and answer share, None when not known."""
        return self.found.context if self.found else None

    @property
    def aiming(self) -> bool:
        return self._aim is not None or self._again_ns is not None

    # -- requests -----------------------------------------------------------------------------------------

    @property
    def activity(self) -> str:
        return self._errand.activity if self._errand else ""

    @property
    def running(self) -> bool:
        """From `send` until the request is over, failed or cancelled."""
        return self._errand is not None or (self._flight is not None and self._flight.running)

    @property
    def run(self) -> Run | None:
        """The request that runs, or the latest one."""
        return self._flight.run if self._flight else None

    def send(self, knobs: Knobs, record: Path | None = None) -> None:
        """Send a request; what runs is cancelled. Without an engine `problem` says so."""
        self.cancel()
        self.notice = ""
        if self.found is None or self.target is None:
            self.problem = self.problem or "no engine yet"
            return
        self._channel.send(WarmOrder(self.found.base.root, self.target.ca_file, self.target.insecure))
        path = record if record is not None else self._place()
        self._errand = Errand(
            knobs, self.target, self.found, path, self._channel.send, self._next, self._memory, self.timeout_s
        )
        self._go()

    def cancel(self) -> None:
        """Stop what runs: the socket closes at once."""
        self._errand = None
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
        if self.builtin.tick():
            changed = True
            self._builtin_changed()
        if self._again_ns is not None and self._clock() >= self._again_ns and self.target is not None:
            self.aim(self.target)
        order = self._flight.overtime(self._clock()) if self._flight else None
        if order is not None:
            self._channel.send(order)
        return changed or bool(frames)

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
        self._lost = self.problem = why
        self.found = self._aim = self._discovery = self._errand = self._again_ns = None
        if self._flight is not None and self._flight.running:
            self._flight.lose(why, self._clock())
            self._machine.end()

    def _reply(self, reply: Reply) -> None:
        if self._aim is not None and self._aim.hear(reply):
            self._aimed()
        elif self._discovery is not None and self._discovery.hear(reply):
            if self._discovery.done:
                self.discovered, self._discovery = self._discovery.found, None
                self._take_first()
        elif self._errand is not None and self._errand.hear(reply):
            self._go()

    def _take_first(self) -> None:
        wanted, self._take = self._take, None
        if wanted is None or self.target is not None or self.builtin.state != "off":
            return
        first = next((f for f in self.discovered or () if wanted in ("", f.engine)), None)
        if first is not None:
            self.aim(Target(first.base.root))
        elif wanted:
            self.problem = f"no {wanted} answers on the usual local ports; name its address with --url"

    def _aimed(self) -> None:
        aim = self._aim
        if aim is None or not aim.done:
            return
        self._aim = None
        self.found, self.problem = aim.found, aim.problem
        if aim.found is None:
            return
        if aim.found.loading:
            self.found, self._again_ns = None, self._clock() + AGAIN_NS
            return
        root = aim.found.base.root
        self.found = replace(aim.found, conditions=dict(aim.found.conditions) | self.builtin.knows(root))
        self._machine.watch(root)

    def _builtin_changed(self) -> None:
        engine = self.builtin.engine
        self.problem = self._lost or self.builtin.why
        if self.builtin.state == "ready" and engine is not None:
            self.aim(Target(engine.base_url, engine.api_key))
        elif self.builtin.state == "failed" and self.target and engine is None:
            self.found = None

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
        self._errand = None
        if errand.problem:
            self.notice = errand.problem
            return
        order = errand.order(self._next(), datetime.now())
        self._start(order, errand)

    def _start(self, order: StreamOrder, errand: Errand) -> None:
        number = self.shelf.begin()
        knobs = errand.knobs
        label = f"run {number} · {prompt_length(knobs.prompt_tokens)} · {knobs.cache.value}"
        self._flight = Flight(Run(number, knobs, label, errand.record, errand.parts, errand.note), order.id)
        self._machine.begin()
        self._channel.send(order)
        if errand.probe is not None:
            self._channel.send(NoteOrder(order.id, "tokenize_probe", errand.probe))

    def _sampling(self) -> int | None:
        """The stream that machine samples belong to."""
        return self._flight.run_id if self._flight and self._flight.running else None

    def _keep(self, flight: Flight) -> None:
        """Keep what a run that has just come to its end leaves behind."""
        view = flight.view(self._clock())
        self.shelf.keep(view, flight.run.knobs, flight.run.label)
        self._machine.end()
        chars, tokens = view.conditions.get("prompt_chars"), view.prompt_tokens
        if self.found and isinstance(chars, int) and tokens:
            self._memory.learn(self.found.base.root, self.found.model, chars, tokens)
