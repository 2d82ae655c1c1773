"""Which engine to talk to: looks at addresses, finds engines on this machine, brings up the built-in one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from tui.capture.aiming import Aim, Discovery
from tui.capture.builtin import BuiltIn
from tui.capture.frames import Reply
from tui.capture.orders import FetchOrder
from tui.capture.target import Target
from tui.engines import nearby
from tui.engines.detect import Found
from tui.engines.evidence.kind import pick
from tui.engines.urls import Base

AGAIN_NS = 500_000_000  # an engine that still loads is asked again


class Lookout:
    """`found` is the engine requests go to; `problem` is one line when there is none.

    discovered: engines on the usual local ports, None while not asked or not done. slow: addresses among
    them where something did not answer in time. also: addresses that are asked beside them. lost: nobody can
    be asked any more.
    """

    def __init__(
        self,
        ask: Callable[[FetchOrder], None],
        next_id: Callable[[], int],
        clock: Callable[[], int],
        chosen: Callable[[str], None],
    ) -> None:
        """`chosen` is told the address of each engine that was found."""
        self._ask = ask
        self._next_id = next_id
        self._clock = clock
        self._chosen = chosen
        self._aim: Aim | None = None
        self._again_ns: int | None = None
        self._discovery: Discovery | None = None
        self._take: str | None = None
        self._model = ""
        self.lost = False
        self._heard = False
        self.also: tuple[Base, ...] = ()
        self.slow: tuple[str, ...] = ()
        self.builtin = BuiltIn()
        self.target: Target | None = None
        self.found: Found | None = None
        self.problem = ""
        self.discovered: tuple[Found, ...] | None = None

    @property
    def aiming(self) -> bool:
        return self._aim is not None or self._again_ns is not None

    def aim(self, target: Target) -> None:
        """Look what answers at the target; `found` or `problem` follows. Ends the built-in engine."""
        if self.builtin.state != "off":
            self.builtin.leave()
        self._look_at(target)

    def _look_at(self, target: Target) -> None:
        self.target, self.found, self._again_ns = target, None, None
        if self.lost:
            return
        self.problem = ""
        self._aim = Aim(target, self._ask, self._next_id, self._clock(), self._heard)
        self._aimed()

    def discover(self, take: str | None, model: str = "") -> None:
        """Ask the usual local ports; with `take` aim at the first engine of that name ("": of any).

        `model` is the one to use there; an engine that has it comes before one that does not.
        """
        if self.lost:
            return
        self.discovered = None
        if take is not None:
            self._take, self._model = take, model
        self._discovery = Discovery(
            nearby.bases(self.also), self._ask, self._next_id, self._clock(), self._heard
        )

    def embed(self, gguf: Path | None, download: bool) -> None:
        """Bring up the built-in engine and aim at it."""
        if self.lost:
            return
        self._aim = self._again_ns = None
        self.found = self.target = None
        self.builtin.begin(gguf, download)
        self.problem = self.builtin.why
        if self.builtin.state == "ready":
            self._builtin_changed()

    def widen(self) -> bool:
        """Start the built-in engine anew where it has fewer slots than it should; True when it does."""
        if not self.builtin.narrow or self.builtin.state != "ready":
            return False
        self._aim = self._again_ns = None
        self.found = self.target = None
        self.builtin.anew()
        return True

    def hear(self, reply: Reply) -> bool:
        """Take a reply that belongs here."""
        self._heard, now_ns = True, self._clock()
        if self._aim is not None and self._aim.hear(reply, now_ns):
            self._aimed()
            return True
        if self._discovery is not None and self._discovery.hear(reply, now_ns):
            self._searched()
            return True
        return False

    def _searched(self) -> None:
        search = self._discovery
        if search is not None and search.done:
            self.discovered, self.slow, self._discovery = search.found, search.slow, None
            self._take_first()

    def tick(self) -> bool:
        """Look after the built-in engine, one that loads, and what is late; True when anything changed."""
        changed, now_ns = self.builtin.tick(), self._clock()
        if changed:
            self._builtin_changed()
        if self._again_ns is not None and now_ns >= self._again_ns and self.target is not None:
            self._look_at(self.target)
        if self._aim is not None and self._aim.tick(now_ns):
            self._aimed()
            changed = True
        if self._discovery is not None and self._discovery.tick(now_ns):
            self._searched()
            changed = True
        return changed

    def lose(self, why: str) -> None:
        """Nobody can be asked any more."""
        self.lost, self.problem = True, why
        self.found = self._aim = self._discovery = self._again_ns = None

    def _take_first(self) -> None:
        wanted, self._take = self._take, None
        if wanted is None or self.target is not None or self.builtin.state != "off":
            return
        fit = [f for f in self.discovered or () if _is_wanted(f.engine, wanted)]
        if fit:
            having = (f for f in fit if self._model and pick(f.models, self._model) in f.models)
            first = next(having, fit[0])
            self.aim(Target(first.base.root, model=self._model))
        elif wanted:
            late = f" (no answer in time at {', '.join(self.slow)})" if self.slow else ""
            self.problem = f"no {wanted} answers on the usual local ports{late}; name its address with --url"

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
        self._chosen(root)

    def _builtin_changed(self) -> None:
        engine = self.builtin.engine
        if not self.lost:
            self.problem = self.builtin.why
        if self.builtin.state == "ready" and engine is not None:
            self._look_at(Target(engine.base_url, engine.api_key))
        elif self.builtin.state == "failed":
            self.found = None


def _is_wanted(engine: str, wanted: str) -> bool:
    """A short name stands for its kinds too: `nim` for the NIM of any engine inside."""
    return wanted in ("", engine) or engine.startswith(f"{wanted}-")
