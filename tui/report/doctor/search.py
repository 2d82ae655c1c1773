"""Asks the engines and the machine at once, each for a limited time; sends nothing but harmless questions."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from itertools import count
from urllib.parse import urlsplit

from tui.capture.aiming import Aim, Discovery
from tui.capture.channel import Channel
from tui.capture.frames import Gone, Reply
from tui.capture.target import Target
from tui.domain.machine import Reading, reading_from
from tui.engines.detect import Found
from tui.engines.urls import Base
from tui.probes.sampler import Sampler

MACHINE_NS = 2_500_000_000  # a driver or a process list that takes longer gives no answer
ENGINES_NS = 12_000_000_000
FACTS_NS = 200_000_000  # between two askings for the facts of the host
_LOOK_S = 0.02
_ASKING = "asking"
_LOOKING = "looking"


@dataclass(frozen=True, slots=True)
class Seen:
    """engines: those that answer. slow: addresses with something that did not answer in time. problem: one
    line when the named address gives no engine. reading: the machine, None when it gave no answer.
    """

    engines: tuple[Found, ...] = ()
    slow: tuple[str, ...] = ()
    problem: str = ""
    reading: Reading | None = None


class Search:
    """One look at the named target, or at the usual local addresses and those `also` named."""

    def __init__(
        self,
        channel: Channel,
        sampler: Sampler,
        target: Target | None,
        bases: tuple[Base, ...],
        engine: str = "",
        clock: Callable[[], int] = time.monotonic_ns,
    ) -> None:
        """`engine` keeps only those of that name."""
        self._channel, self._sampler, self._clock, self._engine = channel, sampler, clock, engine
        self._begun_ns = now = clock()
        self._problem = ""
        ids = count(1)
        self._aim = self._discovery = None
        if target is not None:
            self._aim = Aim(target, channel.send, lambda: next(ids), now, heard=False)
        else:
            self._discovery = Discovery(bases, channel.send, lambda: next(ids), now, heard=False)
        self._reading: Reading | None = None
        self._watched = ""
        self._watched_ns = 0
        self._asked_ns = 0

    def run(self) -> Seen:
        """Until all has answered or its time is over."""
        while not self._over():
            self._channel.wait(_LOOK_S)
            self._step()
        return Seen(self._found(), self._slow(), self._why(), self._reading)

    def _step(self) -> None:
        for frame in self._channel.drain():
            match frame:
                case Reply():
                    self._hear(frame)
                case Gone(detail=detail):
                    self._problem = f"{detail}; try again"
                case _:
                    pass
        look = self._aim or self._discovery
        if look is not None:
            look.tick(self._clock())
        for mono_ns, fields in self._sampler.drain():
            self._reading = reading_from(mono_ns, fields)
        self._watch()

    def _hear(self, reply: Reply) -> None:
        look = self._aim or self._discovery
        if look is not None:
            look.hear(reply, self._clock())

    def _watch(self) -> None:
        """Once an engine is known its process is looked for."""
        found = self._found()
        if self._watched or not self._looked or not found:
            return
        parts = urlsplit(found[0].base.root)
        self._watched = found[0].base.root
        self._watched_ns = self._clock()
        self._sampler.watch(parts.hostname or "", parts.port or (443 if parts.scheme == "https" else 80))
        self._sampler.mark()
        self._sampler.rate(10)

    @property
    def _looked(self) -> bool:
        look = self._aim or self._discovery
        return look is None or look.done or bool(self._problem)

    def _over(self) -> bool:
        spent_ns = self._clock() - self._begun_ns
        if not self._looked:
            return spent_ns > ENGINES_NS
        since_ns = self._clock() - max(self._begun_ns, self._watched_ns)
        return self._settled() or bool(self._sampler.reason) or since_ns > MACHINE_NS

    def _settled(self) -> bool:
        """The machine has told all that it is going to tell; its facts come with marked readings only."""
        reading = self._reading
        if reading is None or (self._watched and reading.at_ns < self._watched_ns):
            return False
        if reading.gpu_reason.startswith(_ASKING) or reading.server_reason.startswith(_LOOKING):
            return False
        if not reading.host and self._clock() - self._asked_ns > FACTS_NS:
            self._asked_ns = self._clock()
            self._sampler.mark()
        return bool(reading.host)

    def _found(self) -> tuple[Found, ...]:
        if self._aim is not None:
            told = tuple(found for found in (self._aim.found,) if found is not None)
        else:
            told = self._discovery.found if self._discovery is not None else ()
        wanted = self._engine
        return tuple(it for it in told if wanted in ("", it.engine) or it.engine.startswith(f"{wanted}-"))

    def _slow(self) -> tuple[str, ...]:
        return self._discovery.slow if self._discovery is not None else ()

    def _why(self) -> str:
        if self._aim is not None and self._aim.found is None:
            return self._problem or self._aim.problem or "the address gave no whole answer in time; try again"
        if self._aim is not None and not self._found():
            other = self._aim.found.engine if self._aim.found else ""
            return f"it is {other} that answers there, not {self._engine}; leave --engine away"
        return self._problem
