"""Prompts out of parts of chosen sizes: what is sent for a profile, a cache mode and a number of pieces."""

from __future__ import annotations

import random  # hashlib would bring OpenSSL into the screen's process
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from tui.engines import corpus
from tui.engines.base import Cache, Turn

Profile = Literal["plain", "agent", "own"]

TAIL = "tail"

_BRIEF = "Tell a long story."
_PLAIN_QUESTION = "Continue this story. Write a long next chapter with many details, people and places."
_AGENT_QUESTION = (
    "Now explain step by step, and at length, what this code does, what can go wrong in it, and how you would"
    " test it. Write complete sentences."
)


@dataclass(frozen=True, slots=True)
class Kind:
    """A part of a profile: its items, its share of the whole in tokens, the number of its first item."""

    name: str
    item: corpus.Item
    share: int
    first: int = 0


PLAIN = (Kind("text", corpus.story, 1),)
AGENT = (
    Kind("system", corpus.instruction, 3_000),
    Kind("tools", corpus.tool, 2_000),
    Kind("history", corpus.exchange, 5_000),
    Kind("memory", corpus.memory, 3_000),
    Kind("code", corpus.code, 7_000),
    Kind("request", corpus.exchange, 500, first=100_000),
)
AGENT_TOKENS = sum(kind.share for kind in AGENT)


@dataclass(frozen=True, slots=True)
class Wish:
    """The prompt that is wanted.

    tokens: its whole length, template included (None with own text: as long as it is). tail: in cache mode
    "tail", how many tokens at its end are new. nonce: any text. Another one makes another tail, and a cold
    prompt with a nonce begins with a line made from it: for engines whose reuse can't be switched off.
    """

    profile: Profile = "plain"
    tokens: int | None = 512
    own_text: str = ""
    cache: Cache = "cold"
    tail: int = 0
    nonce: str = ""


def kinds_of(wish: Wish) -> tuple[Kind, ...]:
    """The parts that fill a prompt, none for own text."""
    match wish.profile:
        case "plain":
            return PLAIN
        case "agent":
            return AGENT
        case "own":
            return ()


def turns_of(wish: Wish, sizes: Mapping[str, int], *, brief: bool = False) -> tuple[Turn, ...]:
    """The messages of a prompt whose parts have `sizes` pieces (see `corpus.pieces`); "tail" is one of them.

    `brief` asks in few words, for lengths that hold little more than the template.
    """
    turns = _turns(wish, sizes, _BRIEF if brief else None)
    if not wish.nonce or wish.cache != "cold":
        return tuple(turns)
    line = f"Session {_nonce_words(wish.nonce)}."
    if turns[0].role == "system":
        return (Turn("system", joined(line, turns[0].content)), *turns[1:])
    return (Turn("system", line), *turns)


def part_text(wish: Wish, name: str, wanted: int) -> str:
    """The text of one part with `wanted` pieces (the history's as one text)."""
    if name == TAIL:
        return corpus.pieces(corpus.news, wanted, first=_nonce_number(wish.nonce))
    kind = next(kind for kind in kinds_of(wish) if kind.name == name)
    return corpus.pieces(kind.item, wanted, kind.first)


def _turns(wish: Wish, sizes: Mapping[str, int], question: str | None) -> list[Turn]:
    tail = part_text(wish, TAIL, sizes.get(TAIL, 0))
    match wish.profile:
        case "own":
            return [Turn("user", wish.own_text)]
        case "plain":
            text = part_text(wish, "text", sizes.get("text", 0))
            return [Turn("user", joined(text, tail, question or _PLAIN_QUESTION))]
        case "agent":
            parts = {kind.name: part_text(wish, kind.name, sizes.get(kind.name, 0)) for kind in AGENT}
            system = joined(parts["system"], parts["tools"], parts["memory"])
            user = joined(parts["code"], parts["request"], tail, question or _AGENT_QUESTION)
            opening = [Turn("system", system)] if system else []
            return [*opening, *_history(sizes.get("history", 0)), Turn("user", user)]


def _history(wanted: int) -> list[Turn]:
    """Earlier turns of about 200 pieces each, always whole pairs of question and answer."""
    if wanted < 2:
        return []
    number = max(2, wanted // 400 * 2)
    return [
        Turn(
            "assistant" if at % 2 else "user",
            corpus.pieces(corpus.exchange, wanted // number + (at < wanted % number), first=at * 65),
        )
        for at in range(number)
    ]


def joined(*texts: str) -> str:
    """The texts that are not empty, with a blank line between them."""
    return "\n\n".join(text for text in texts if text)


def _nonce_number(nonce: str) -> int:
    return random.Random(nonce).getrandbits(48)


def _nonce_words(nonce: str) -> str:
    """The nonce as common words: whatever it is, the line costs the same number of tokens."""
    return " ".join(random.Random(nonce).choices(corpus.COMMON, k=9))
