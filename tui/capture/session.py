"""One sitting with an engine: aim at it, size a prompt, send, watch, cancel. Only `wait` ever blocks."""

from __future__ import annotations

import contextlib
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
from tui.capture.frames import Frame, Gone, Item, Mark, Reply
from tui.capture.live import Live
from tui.capture.machine import Machine
from tui.capture.orders import CancelOrder, NoteOrder, StreamOrder, WarmOrder
from tui.capture.shelf import Shelf as Recordings
from tui.capture.target import Run, Target
from tui.domain.knobs import Knobs
from tui.domain.pressure import Pressure
from tui.domain.shelf import Shelf
from tui.domain.view import View
from tui.engines.detect import Found
from tui.plot.numbers import prompt_length
from tui.probes.sampler import Sampler

LINGER_DONE_NS = 1_000_000_000  # after the end mark the server has this long to close
LINGER_FINISH_NS = 5_000_000_000  # after a finish reason usage may still come
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
        self._errand: Errand | None = None
        self._live = Live()
        self._run_id = 0
        self._zero_ns: int | None = None
        self._kept = True
        self._lost = ""
        self.builtin = BuiltIn()
        self.target: Target | None = None
        self.found: Found | None = None
        self.problem = ""
        self.notice = ""
        self.discovered: tuple[Found, ...] | None = None
        self.run: Run | None = None
        self.shelf = Shelf()
        self.timeout_s: float | None = None
        self._memory = Memory()

    # -- aiming -------------------------------------------------------------------------------------------

    def aim(self, target: Target) -> None:
        """Look what answers at the target; `found` or `problem` follows."""
        self.target, self.found, self.problem, self._again_ns = target, None, "", None
        self._aim = Aim(target, self._channel.send, self._next)
        self._aimed()

    def discover(self) -> None:
        """Ask the usual local ports; `discovered` follows."""
        self.discovered = None
        self._discovery = Discovery(self._channel.send, self._next)

    def embed(self, gguf: Path | None = None, download: bool = True) -> None:
        """Use the built-in engine: fetch its model when needed, start it, aim at it."""
        self.problem = ""
        self.builtin.begin(gguf, download)
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
        return self._errand is not None or (self.run is not None and not self._kept)

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
        if self.run is not None and not self._kept:
            self._channel.send(CancelOrder(self._run_id))
            self._conclude_cancelled()

    def raw(self) -> list[str]:
        """The newest reads of the stream as text."""
        return self._live.raw()

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
        self._overtime()
        return changed or bool(frames)

    def view(self) -> View:
        """The current request as it is now."""
        zero = self._zero_ns
        running = zero is not None and not self._live.state.over
        return self._live.view(self._clock() - zero if running and zero is not None else None)

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
        match frame:
            case Reply():
                self._reply(frame)
            case Item(run_id=run_id, record=record) if run_id == self._run_id:
                self._live.feed((record,))
                self._machine.phase(self._live.state)
                self._settle()
            case Mark(run_id=run_id, name="sent", mono_ns=mono_ns) if run_id == self._run_id:
                self._zero_ns = mono_ns
                self._machine.mark()
            case Gone(detail=detail):
                self._lost = detail
                self.problem = f"the reader process ended: {detail}; start toklane again"
                self._errand, self._kept = None, True
            case _:
                pass

    def _reply(self, reply: Reply) -> None:
        if self._aim is not None and self._aim.hear(reply):
            self._aimed()
        elif self._discovery is not None and self._discovery.hear(reply):
            if self._discovery.done:
                self.discovered, self._discovery = self._discovery.found, None
        elif self._errand is not None and self._errand.hear(reply):
            self._go()

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
        self._machine.watch(aim.found.base.root)

    def _builtin_changed(self) -> None:
        engine = self.builtin.engine
        self.problem = self.builtin.why
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
        self.run = Run(number, knobs, label, errand.record, errand.parts, errand.note)
        self._live, self._run_id, self._zero_ns, self._kept = Live(), order.id, None, False
        self._machine.begin()
        self._channel.send(order)
        if errand.probe is not None:
            self._channel.send(NoteOrder(order.id, "tokenize_probe", errand.probe))

    def _sampling(self) -> int | None:
        return self._run_id if self.run is not None and not self._kept else None

    def _settle(self) -> None:
        """Keep what a run that is over leaves behind, once."""
        if self._kept or self.run is None or not (self._live.state.over or self._live.ended):
            return
        self._kept = True
        view = self._live.view()
        self.shelf.keep(view, self.run.knobs, self.run.label)
        self._machine.end()
        chars, tokens = view.conditions.get("prompt_chars"), view.prompt_tokens
        if self.found and isinstance(chars, int) and tokens:
            self._memory.learn(self.found.base.root, self.found.model, chars, tokens)

    def _conclude_cancelled(self) -> None:
        """Until the child's End comes the run counts as over for whoever wants to send the next one."""
        self._kept = True
        self._machine.end()

    def _overtime(self) -> None:
        """A server that keeps the connection open after its last word is not waited for."""
        state = self._live.state
        if self._live.ended or self._zero_ns is None or not state.terminal:
            return
        said = state.done_ns if state.done_ns is not None else state.finish_ns
        limit = LINGER_DONE_NS if state.done_ns is not None else LINGER_FINISH_NS
        if said is not None and self._clock() - self._zero_ns - said > limit:
            with contextlib.suppress(OSError):
                self._channel.send(CancelOrder(self._run_id, "hang"))
            self._zero_ns = None if state.over else self._zero_ns


def with_model(target: Target, model: str) -> Target:
    """The same address, another model."""
    return replace(target, model=model)
