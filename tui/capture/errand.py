"""What must be known before a request can be sent: a prompt of the right length, the tokenizer's time."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path

from tui.capture.dialogue import Dialogue
from tui.capture.frames import Reply
from tui.capture.orders import FetchOrder, StreamOrder
from tui.capture.outfit import order_of, plan_of, wish_of
from tui.capture.target import Target
from tui.domain.knobs import Cache, Knobs, Profile
from tui.engines.asking import Asking
from tui.engines.base import Request
from tui.engines.detect import Found
from tui.engines.prompts import Wish, turns_of
from tui.engines.registry import adapter
from tui.engines.sizing import Sized, size
from tui.engines.token_count import Estimate

_MAY_STOP = "this engine is not known to write on after its end token: the answer may be shorter"


@dataclass(slots=True)
class Memory:
    """What earlier errands learned: prompts by (address, model, wish), estimates by (address, model).

    cold: the newest prompt that no cache knew, by the wish for the same one again. Where reuse can't be
    switched off it has a first line of its own, and only the identical prompt finds it again. One that was
    sized by an estimate also stays as it was sent: a better estimate would make it another prompt.
    """

    sized: dict[tuple[str, str, Wish], Sized] = field(default_factory=dict)
    estimate: dict[tuple[str, str], Estimate] = field(default_factory=dict)
    cold: dict[tuple[str, str, Wish], Sized] = field(default_factory=dict)

    def learn(self, root: str, model: str, characters: int, tokens: int) -> None:
        """A run told how many tokens a prompt of so many characters had."""
        template = Estimate().template_tokens
        if tokens > 2 * template:
            self.estimate[root, model] = Estimate(characters / (tokens - template), template)


class Errand:
    """Sizes the prompt, then probes the tokenizer; once `done`, ask for the `order` or read the `problem`."""

    def __init__(
        self,
        knobs: Knobs,
        target: Target,
        found: Found,
        record: Path | None,
        ask: Callable[[FetchOrder], None],
        next_id: Callable[[], int],
        memory: Memory,
        timeout_s: float | None,
    ) -> None:
        self.knobs = knobs
        self.record = record
        self.problem = ""
        self.activity = "counting the prompt's tokens"
        self.probe: Mapping[str, object] | None = None
        self._target = target
        self._found = found
        self._ask = ask
        self._next_id = next_id
        self._timeout_s = timeout_s
        self._adapter = adapter(found.engine)
        self._request: Request | None = None
        self._probing: Dialogue[dict[str, int] | None] | None = None
        self._sized: Sized | None = None
        self._given_up = False
        if knobs.profile is Profile.OWN and not knobs.own_text:
            self.problem = "there is no own prompt yet; press o to write one"
        self.problem = self.problem or found.unnamed
        self._wish = wish_of(knobs, self._adapter, os.urandom(4).hex())
        self._memory = memory
        self._sizing = Dialogue(self._size(), found.base, target, ask)
        self._sizing.begin(next_id)
        self._go_on()

    def _size(self) -> Asking[Sized]:
        """The same prompt again is the one that was sent; the others are written, each with its own nonce."""
        wish, found = self._wish, self._found
        again = (found.base.root, found.model, replace(wish, cache=Cache.SAME.value, nonce=""))
        if wish.cache == Cache.SAME.value and again in self._memory.cold:
            return self._memory.cold[again]
        sized = yield from self._sizes()
        if wish.cache == Cache.SAME.value or (wish.cache == Cache.COLD.value and wish.nonce):
            self._memory.cold[again] = sized
        return sized

    def _sizes(self) -> Asking[Sized]:
        """A prompt that was sized before is only written again, with the new nonce."""
        wish, found = self._wish, self._found
        key = (found.base.root, found.model, replace(wish, nonce=""))
        known = self._memory.sized.get(key)
        if known is not None and known.sizes:
            return replace(known, turns=turns_of(wish, known.sizes, brief=known.brief))
        estimate = self._memory.estimate.get(key[:2])
        sized = yield from size(wish, found.model, counter=self._adapter.counter, estimate=estimate)
        if sized.exact or wish.cache == Cache.TAIL.value:  # a prefix of another length is not the same one
            self._memory.sized[key] = sized
        return sized

    @property
    def done(self) -> bool:
        """It is over: `order` can be asked for, or a `problem` stands, or it was given up."""
        return bool(self.problem) or (self._given_up and not self.waits) or self._ready

    @property
    def _ready(self) -> bool:
        return self._probing is not None and self._probing.done

    @property
    def waits(self) -> bool:
        """Questions are out."""
        return self._sizing.waits or (self._probing is not None and self._probing.waits)

    def give_up(self) -> None:
        """Ask nothing more; over when the questions that are out were answered."""
        self._given_up = True
        self._sizing.stop()
        if self._probing is not None:
            self._probing.stop()

    def hear(self, reply: Reply) -> bool:
        """Take a reply that belongs to this errand."""
        if self._sizing.hear(reply) or (self._probing is not None and self._probing.hear(reply)):
            self._go_on()
            return True
        return False

    def _go_on(self) -> None:
        if self.problem or self._given_up or not self._sizing.done:
            return
        if self._probing is None:
            self._sized = self._sizing.result
            assert self._sized is not None
            self._request = self._adapter.request(plan_of(self.knobs, self._found, self._sized))
            self.activity = "timing the tokenizer"
            probe = self._adapter.probe
            asking = probe(self._request.body) if probe is not None else _nothing()
            self._probing = Dialogue(asking, self._found.base, self._target, self._ask)
            self._probing.begin(self._next_id)
        if self._probing.done:
            self.probe = self._probing.result

    @property
    def parts(self) -> tuple[tuple[str, int], ...]:
        return tuple((p.name, p.tokens) for p in self._sized.parts) if self._sized else ()

    @property
    def note(self) -> str:
        told = [self._sized.note if self._sized else ""]
        if self.knobs.ignore_eos and self._request is not None and "ignore_eos" not in self._request.body:
            told.append(_MAY_STOP)
        return "; ".join(filter(None, told))

    def order(self, run_id: int, started: datetime, record: Path | None) -> StreamOrder:
        """The order that sends the request, to be recorded at `record`."""
        assert self._sized is not None and self._request is not None
        return order_of(
            run_id, self.knobs, self._target, self._found, self._adapter, self._sized, self._request,
            record, started, self._timeout_s,
        )  # fmt: skip


def _nothing() -> Asking[dict[str, int] | None]:
    """Where the engine has no tokenizer to ask."""
    yield from ()
    return None
