"""The knobs of a request (prompt length, answer limit, cache, profile, sampling), and how they turn."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum

from tui.domain.rivals import MOST_RIVALS

LADDER = tuple(128 << i for i in range(14))  # 128 … 1M tokens
ANSWERS = (16, 32, 64, 128, 256, 512, 1024)
FINE = 64
LEAST_PROMPT = 16


class Cache(Enum):
    """What may be reused: nothing, the identical prompt, or all but a new tail."""

    COLD = "cold"
    SAME = "same"
    TAIL = "tail"


class Profile(Enum):
    PLAIN = "plain"
    AGENT = "agent"
    OWN = "own"


@dataclass(frozen=True, slots=True)
class Knobs:
    """What to send. Lengths in tokens as the engine counts them; `tail_tokens` are new in cache mode tail.

    rivals: background requests beside it.
    """

    prompt_tokens: int = 512
    answer_limit: int = 64
    cache: Cache = Cache.COLD
    tail_tokens: int = 64
    profile: Profile = Profile.PLAIN
    own_text: str = ""
    temperature: float = 0.0
    seed: int | None = None
    ignore_eos: bool = False
    auto: bool = False
    rivals: int = 0

    @property
    def own(self) -> bool:
        """An own text is sent as it is: `prompt_tokens` say nothing about it."""
        return self.profile is Profile.OWN and bool(self.own_text)


def room(context: int | None, answer_limit: int) -> int | None:
    """The longest prompt that leaves space for the answer; None when the context is not known."""
    return None if context is None else max(0, context - answer_limit)


def steps(knobs: Knobs, context: int | None) -> tuple[tuple[int, bool], ...]:
    """(length, reachable) of every step of the dial: the ladder, and an exact length as one more step.

    The ladder stops behind the first step that the context cannot hold; 32k is the last one if it is unknown.
    """
    most = room(context, knobs.answer_limit)
    limit = 32768 if context is None else context
    lengths = [n for n in LADDER if n <= limit]
    if knobs.prompt_tokens not in lengths:
        lengths.append(knobs.prompt_tokens)
    return tuple((n, most is None or n <= most) for n in sorted(lengths))


def turn_prompt(knobs: Knobs, direction: int, context: int | None) -> Knobs:
    """One ladder step longer (+1) or shorter (-1); stays where the context or the ladder ends.

    An own prompt has the length it has.
    """
    if knobs.own:
        return knobs
    reachable = [n for n, ok in steps(knobs, context) if ok]
    longer = [n for n in reachable if n > knobs.prompt_tokens]
    shorter = [n for n in reachable if n < knobs.prompt_tokens]
    if direction > 0:
        return replace(knobs, prompt_tokens=longer[0]) if longer else knobs
    return replace(knobs, prompt_tokens=shorter[-1]) if shorter else knobs


def exact_prompt(knobs: Knobs, tokens: int, context: int | None) -> Knobs:
    """`tokens` held between the least prompt and what the context leaves; an own prompt keeps its length."""
    if knobs.own:
        return knobs
    most = room(context, knobs.answer_limit)
    tokens = max(LEAST_PROMPT, tokens)
    return replace(knobs, prompt_tokens=tokens if most is None else max(1, min(tokens, most)))


def turn_answer(knobs: Knobs, direction: int, context: int | None) -> Knobs:
    """The next answer limit up or down that still leaves space for the chosen prompt."""
    if direction > 0:
        larger = [n for n in ANSWERS if n > knobs.answer_limit]
        if larger and (context is None or knobs.prompt_tokens + larger[0] <= context):
            return replace(knobs, answer_limit=larger[0])
        return knobs
    smaller = [n for n in ANSWERS if n < knobs.answer_limit]
    return replace(knobs, answer_limit=smaller[-1]) if smaller else knobs


def fitted(knobs: Knobs, context: int | None) -> Knobs:
    """The same wishes inside another context: a shorter answer first, then a shorter prompt."""
    if context is None:
        return knobs
    limit = min(knobs.answer_limit, max(1, context // 2))
    most = context - limit
    return replace(knobs, answer_limit=limit, prompt_tokens=max(1, min(knobs.prompt_tokens, most)))


def next_cache(knobs: Knobs) -> Knobs:
    order = list(Cache)
    return replace(knobs, cache=order[(order.index(knobs.cache) + 1) % len(order)])


def next_profile(knobs: Knobs) -> Knobs:
    """plain → agent → own (only where an own text was written)."""
    order = [p for p in Profile if p is not Profile.OWN or knobs.own_text]
    at = order.index(knobs.profile) if knobs.profile in order else -1
    return replace(knobs, profile=order[(at + 1) % len(order)])


def next_rivals(knobs: Knobs) -> Knobs:
    """One more background request; after the most of them none."""
    return replace(knobs, rivals=(knobs.rivals + 1) % (MOST_RIVALS + 1))
