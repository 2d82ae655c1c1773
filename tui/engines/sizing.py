"""A prompt of the asked number of tokens, template included: write, count, correct, until it fits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from tui.engines.asking import Asking
from tui.engines.base import Counter, Turn
from tui.engines.prompts import AGENT_TOKENS, TAIL, Wish, joined, kinds_of, part_text, turns_of
from tui.engines.token_count import Estimate

_FIRST_GUESS = 2.0  # tokens per piece
_ROUNDS = 6
_SMALL_STEP = 10  # tokens
_LEAST_TAIL = 8  # tokens; fewer might not differ from the tail before
_TURN_END = 5  # tokens that close a turn and open the answer in common templates


@dataclass(frozen=True, slots=True)
class Part:
    """A part of the prompt and its tokens."""

    name: str
    tokens: int


@dataclass(frozen=True, slots=True)
class Sized:
    """A prompt with its length.

    tokens: what it counts; `exact` when the engine counted it, else an estimate. parts: what fills it, in
    tokens. sizes, brief: what `turns_of` needs to write it again with another nonce, without asking anybody.
    note: what the person should know (a part was shrunk, the length can't be reached), else empty.
    """

    turns: tuple[Turn, ...]
    tokens: int
    asked: int | None
    exact: bool
    parts: tuple[Part, ...] = ()
    sizes: Mapping[str, int] = field(default_factory=dict)
    brief: bool = False
    note: str = ""


class _Scale:
    """Counts prompts with the engine while it tells, else by the estimate."""

    def __init__(self, model: str, counter: Counter | None, estimate: Estimate) -> None:
        self.exact = counter is not None
        self._counter = counter
        self._model = model
        self._estimate = estimate

    def weigh(self, prompts: Sequence[Sequence[Turn]]) -> Asking[list[int]]:
        if self.exact and self._counter is not None:
            told = yield from self._counter(self._model, prompts)
            if told is not None:
                return told
            self.exact = False
        return [self._estimate.tokens(prompt) for prompt in prompts]


def size(
    wish: Wish, model: str, *, counter: Counter | None, estimate: Estimate | None = None
) -> Asking[Sized]:
    """Write the prompt of a wish. `counter`: asks the engine to count tokens without running them.

    Where the engine counts, a prompt of 64 tokens or more comes within 1 % or 2 tokens of what was asked.
    """
    scale = _Scale(model, counter, estimate or Estimate())
    if wish.profile == "own" or wish.tokens is None:
        turns = turns_of(wish, {})
        (tokens,) = yield from scale.weigh([turns])
        return Sized(turns, tokens, wish.tokens, scale.exact)
    empty = turns_of(wish, {})
    twice = (*empty[:-1], Turn("user", joined(empty[-1].content, empty[-1].content)))
    full, short, double = yield from scale.weigh([empty, turns_of(wish, {}, brief=True), twice])
    brief = full > wish.tokens
    base = short if brief else full
    if base >= wish.tokens:
        note = (
            f"The template and the shortest question alone are {base} tokens." if base > wish.tokens else ""
        )
        return Sized(turns_of(wish, {}, brief=brief), base, wish.tokens, scale.exact, brief=brief, note=note)
    targets = _targets(wish, wish.tokens - base, double - full)
    sizes, per_piece, parts = yield from _fit_parts(wish, targets, base, brief, scale)
    sizes, tokens = yield from _fit_whole(wish, sizes, per_piece, brief, scale)
    turns = turns_of(wish, sizes, brief=brief)
    return Sized(turns, tokens, wish.tokens, scale.exact, parts, sizes, brief, _note(wish))


def _targets(wish: Wish, fill: int, question: int) -> dict[str, int]:
    """Tokens for each part: the new tail first, the rest by share. The `question` lies behind the tail."""
    tail = 0
    if wish.cache == "tail":
        tail = min(fill, max(_LEAST_TAIL, wish.tail - question - _TURN_END))
    kinds = kinds_of(wish)
    whole = sum(kind.share for kind in kinds)
    targets = {kind.name: (fill - tail) * kind.share // whole for kind in kinds}
    return targets | ({TAIL: tail} if tail else {})


def _fit_parts(
    wish: Wish, targets: Mapping[str, int], base: int, brief: bool, scale: _Scale
) -> Asking[tuple[dict[str, int], dict[str, float], tuple[Part, ...]]]:
    """Sizes in pieces that come near each part's tokens; (sizes, tokens per piece, parts as counted)."""
    question = turns_of(wish, {}, brief=brief)[-1].content
    per_piece = dict.fromkeys(targets, _FIRST_GUESS)
    sizes: dict[str, int] = {}
    told: dict[str, int] = {}
    for _ in range(2):
        sizes = {name: round(target / per_piece[name]) for name, target in targets.items()}
        texts = [part_text(wish, name, number) for name, number in sizes.items()]
        weights = yield from scale.weigh([[Turn("user", joined(text, question))] for text in texts])
        for name, weight in zip(sizes, weights, strict=True):
            told[name] = max(0, weight - base)
            if sizes[name] and told[name]:
                per_piece[name] = told[name] / sizes[name]
    return sizes, per_piece, tuple(Part(name, tokens) for name, tokens in told.items())


def _fit_whole(
    wish: Wish, sizes: dict[str, int], per_piece: Mapping[str, float], brief: bool, scale: _Scale
) -> Asking[tuple[dict[str, int], int]]:
    """Correct one part until the whole has the asked tokens or comes no nearer; the tail is never touched."""
    asked = wish.tokens or 0
    best, best_tokens = sizes, -1
    for _ in range(_ROUNDS):
        (tokens,) = yield from scale.weigh([turns_of(wish, sizes, brief=brief)])
        missing = asked - tokens
        if best_tokens >= 0 and abs(missing) >= abs(asked - best_tokens):
            break
        best, best_tokens = sizes, tokens
        if missing == 0:
            break
        name = _correctable(sizes, per_piece, missing, asked)
        change = round(missing / per_piece[name]) or (1 if missing > 0 else -1)
        sizes = sizes | {name: max(0, sizes[name] + change)}
    return best, best_tokens


def _correctable(sizes: Mapping[str, int], per_piece: Mapping[str, float], missing: int, asked: int) -> str:
    """The largest part for a large step, which it hardly notices; for a small one the finest-grained."""
    parts = [name for name in sizes if name != TAIL]
    fine = [name for name in parts if sizes[name] * per_piece[name] + missing >= 0]
    if fine and abs(missing) <= max(_SMALL_STEP, asked // 50):
        return min(fine, key=lambda name: per_piece[name])
    return max(parts, key=lambda name: sizes[name])


def _note(wish: Wish) -> str:
    if wish.profile == "agent" and wish.tokens is not None and wish.tokens < AGENT_TOKENS:
        share = 100 * wish.tokens / AGENT_TOKENS
        return f"The agent's parts are shrunk to {share:.3g} % of {AGENT_TOKENS:,} tokens."
    return ""
