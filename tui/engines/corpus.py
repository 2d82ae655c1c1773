"""Text to fill prompts with: a story and the parts of an agent's context, endless and repeatable.

Every kind is a function from an item's number to its text. Numbers choose the words, so that item 900 is no
copy of item 3.
"""

from __future__ import annotations

import re
from collections.abc import Callable

Item = Callable[[int], str]

_NAMES = (
    "Mara", "Tobias", "Ines", "Jonah", "Freda", "Anselm", "Pia", "Ruben", "Clara", "Emil", "Nora", "Oskar",
)  # fmt: skip
_PLACES = (
    "the harbour", "the mill", "the upper bridge", "the old station", "the salt market", "the north quay",
    "the reading room", "the orchard", "the ferry house", "the workshop", "the long field", "the lighthouse",
    "the glass works",
)  # fmt: skip
_THINGS = (
    "a brass compass", "a letter without a stamp", "a basket of pears", "a broken clock", "a pair of oars",
    "a roll of sailcloth", "a map with one corner missing", "a small green lamp", "a ledger", "a bird cage",
    "a tin of nails",
)  # fmt: skip
_SKIES = (
    "Fog lay on the water", "The rain had stopped", "Frost covered the roofs", "The sun stood low",
    "A warm wind came up the valley", "The sky was the colour of slate", "Thunder rolled beyond the hills",
)  # fmt: skip
_TURNS = (
    "{sky} when {a} reached {place} on day {n}.",
    "{a} carried {thing}, and nobody asked what it was for.",
    '"If we wait for {b}," said {a}, "we shall still be standing here at noon."',
    "There were {n} steps down to {place}, and every one of them creaked.",
    "{b} had promised to bring {thing} before the evening boat left.",
    "From {place} one could see how slowly the smoke rose over the town.",
    "{a} and {b} did not speak of the winter, though both of them thought of it.",
    "In the account book, page {n} said only: {thing}, paid in full.",
    "{sky}, and for a while the only sound was the rope against the mast.",
    "It took {b} most of an hour to find {place}, because the signs had been painted over.",
    "What {a} remembered afterwards was not the quarrel but the smell of wet wood.",
    "{b} laughed, put down {thing}, and walked back the way they had come.",
    '"Number {n} is the last one," {b} said, and closed the shutters of {place}.',
)
_SUBJECTS = (
    "order", "invoice", "session", "parcel", "account", "report", "sensor", "ticket", "backup", "route",
)  # fmt: skip
_VERBS = ("collect", "merge", "check", "archive", "rank", "split", "forward", "restore", "count", "compare")
_FIELDS = ("owner", "region", "priority", "created_at", "checksum", "retries", "label")

# Words that are one token for the common tokenizers, so that their choice never changes a length.
COMMON = (
    "river", "stone", "garden", "paper", "window", "summer", "forest", "winter", "bridge", "silver", "market",
    "letter", "morning",
)  # fmt: skip

_PIECE = re.compile(r"\S+\s*")


def _picked(choices: tuple[str, ...], number: int, stride: int) -> str:
    return choices[(number * stride + number // len(choices)) % len(choices)]


def _sentence(number: int) -> str:
    a, b = _picked(_NAMES, number, 5), _picked(_NAMES, number + 3, 7)
    return _picked(_TURNS, number, 4).format(
        a=a,
        b=b if b != a else _NAMES[(_NAMES.index(a) + 1) % len(_NAMES)],
        place=_picked(_PLACES, number, 5),
        thing=_picked(_THINGS, number, 3),
        sky=_picked(_SKIES, number, 2),
        n=number + 2,
    )


def story(number: int) -> str:
    """A paragraph of a story without an end."""
    first = number * 5
    return " ".join(_sentence(first + i) for i in range(5)) + "\n\n"


def instruction(number: int) -> str:
    """A rule for an agent that works on code."""
    verb, subject = _picked(_VERBS, number, 3), _picked(_SUBJECTS, number, 7)
    return (
        f"{number + 1}. Before you {verb} a {subject}, read the part of the repository that owns it and say"
        f" in one sentence what will change. Never {verb} more than {number % 9 + 2} of them in one step,"
        f" and ask when a {subject} has no {_picked(_FIELDS, number, 4)}.\n"
    )


def tool(number: int) -> str:
    """The description of a tool as JSON."""
    verb, subject = _picked(_VERBS, number, 7), _picked(_SUBJECTS, number, 3)
    field, other = _picked(_FIELDS, number, 2), _picked(_FIELDS, number + 1, 3)
    return (
        f'{{"name": "{verb}_{subject}_{number}", "description": "{verb.capitalize()} one {subject} by its'
        f' {field}.", "parameters": {{"type": "object", "properties": {{"{field}": {{"type":'
        f' "string"}}, "{other}_{number}": {{"type": "integer", "minimum": {number % 5}}}}}, "required":'
        f' ["{field}"]}}}}\n'
    )


def exchange(number: int) -> str:
    """What one side says in an earlier conversation; even numbers ask, odd ones answer."""
    verb, subject = _picked(_VERBS, number, 3), _picked(_SUBJECTS, number, 7)
    field = _picked(_FIELDS, number, 5)
    if number % 2 == 0:
        return (
            f"The step that should {verb} the {subject} stopped after {number + 3} entries. I looked at the"
            f" {field} and it seems right. Can you find out what is different about number {number + 4}? "
        )
    return (
        f"I compared both runs. The {subject} is written twice because the {field} is read before the lock"
        f" is taken, so entry {number + 3} is seen in an old state. I moved the read and added a test. "
    )


def memory(number: int) -> str:
    """A note that an agent kept from earlier days."""
    return (
        f"- {_picked(_NAMES, number, 5)} prefers that the {_picked(_SUBJECTS, number, 3)} job runs at minute"
        f" {number * 7 % 60} and is written to {_picked(_FIELDS, number, 3)}_{number}.\n"
    )


def code(number: int) -> str:
    """A function in Python."""
    verb, subject = _picked(_VERBS, number, 3), _picked(_SUBJECTS, number, 7)
    field = _picked(_FIELDS, number, 4)
    return (
        f"def {verb}_{subject}_{number}(entries, limit={number % 40 + 5}):\n"
        f'    """{verb.capitalize()} each {subject} whose {field} is set."""\n'
        f"    kept = []\n"
        f"    for position, entry in enumerate(entries):\n"
        f"        if entry.{field} is None or position >= limit:\n"
        f"            continue\n"
        f"        kept.append((entry.{field}, position * {number % 7 + 1}))\n"
        f"    return sorted(kept)\n\n\n"
    )


def news(number: int) -> str:
    """A sentence of common words: two numbers give two sentences of the same length in tokens."""
    digits = [number // len(COMMON) ** place for place in range(4)]
    a, b, c, d = (COMMON[digit % len(COMMON)] for digit in digits)
    return f"the {a} came before the {b}, and behind the {c} they saw the {d} again. "


def pieces(item: Item, wanted: int, first: int = 0) -> str:
    """The first `wanted` pieces, words with the blanks behind them, of items `first`, `first` + 1, …"""
    taken: list[str] = []
    number = first
    while len(taken) < wanted:
        taken += _PIECE.findall(item(number))
        number += 1
    return "".join(taken[: max(0, wanted)]).rstrip()
