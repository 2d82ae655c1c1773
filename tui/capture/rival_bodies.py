"""What the background requests ask: a prompt half as long as the shown one's, for as many tokens or half."""

from __future__ import annotations

from tui.capture.orders import NONCE
from tui.domain.knobs import Knobs
from tui.engines.base import Adapter, Plan, Turn
from tui.engines.detect import Found
from tui.engines.prompts import Wish, joined, turns_of
from tui.engines.sizing import Sized

_LEAST_ANSWER = 8
_OTHERS = 45  # tokens of template, nonce and question together, roughly
_PER_PIECE = 1.3  # tokens of a word of the plain text where nobody counted them


def rival_bodies(knobs: Knobs, found: Found, adapter: Adapter, sized: Sized) -> tuple[str, ...]:
    """A body for each rival of `knobs`, with `NONCE` in its first words: none of them finds a cache.

    Odd rivals write half the answer, so that they do not all end at the same moment.
    """
    return tuple(_body(number, knobs, found, adapter, sized) for number in range(1, knobs.rivals + 1))


def _body(number: int, knobs: Knobs, found: Found, adapter: Adapter, sized: Sized) -> str:
    whole = knobs.answer_limit
    plan = Plan(
        model=found.model,
        turns=_turns(sized),
        max_tokens=max(_LEAST_ANSWER, whole // 2) if number % 2 else whole,
        cache="cold",
        temperature=knobs.temperature,
        seed=knobs.seed,
        ignore_eos=knobs.ignore_eos,
        conditions=dict(found.conditions) | dict(found.features),
    )
    return adapter.request(plan).data.decode("utf-8")


def _turns(sized: Sized) -> tuple[Turn, ...]:
    """Some 10 % from half the prompt's length is near enough: nobody is shown the length of a rival."""
    half = sized.tokens // 2
    text = max(0, half - _OTHERS)
    wish = Wish(profile="plain", tokens=half)
    first, *rest = turns_of(wish, {"text": round(text / _tokens_per_piece(sized))}, brief=not text)
    return (Turn(first.role, joined(f"Session {NONCE}.", first.content)), *rest)


def _tokens_per_piece(sized: Sized) -> float:
    told = next((part.tokens for part in sized.parts if part.name == "text"), 0)
    wrote = sized.sizes.get("text", 0)
    return told / wrote if told and wrote else _PER_PIECE
