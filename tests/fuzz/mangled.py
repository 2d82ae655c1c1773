"""Bytes of a reply changed as no engine should: bits, lines, and values of another type inside its JSON."""

from __future__ import annotations

import copy
import json
import random
import re
from typing import Any

_DEEP = 1000
_SEARCHED = 20_000  # bytes
_NUMBER = re.compile(rb"-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?")
_ODD_NUMBERS = (
    *(b"0", b"-1", b"1", b"1e-320", b"1e300", b"1e999", b"-1e300", b"NaN", b"+Inf", b"4294967296", b""),
    b"9" * 400,
)
ODD: tuple[Any, ...] = (
    None,
    True,
    False,
    0,
    1,
    -1,
    0.5,
    1e-320,
    1e300,
    -1e300,
    1 << 31,
    1 << 32,
    1 << 63,
    10**30,
    10**400,
    float("nan"),
    float("inf"),
    float("-inf"),
    "",
    "null",
    "12",
    "1e999",
    "\ud800",
    "\x1b[2J\x9b31m\x07",
    "[/red][@click=app.quit]",
    [],
    {},
    [None],
    [[]],
    [{"index": 1}],
    {"error": {"message": ["no"]}},
    {"": 0},
)


def mangled(data: bytes, chance: random.Random) -> bytes:
    """`data` after a few changes."""
    for _ in range(chance.choice((1, 1, 2, 4))):
        change = chance.choice((_bits, _lines, _number, _value, _value, _value))
        data = change(data, chance)
    return data


def _bits(data: bytes, chance: random.Random) -> bytes:
    changed = bytearray(data)
    for _ in range(min(len(changed), chance.choice((1, 3, 20)))):
        changed[chance.randrange(len(changed))] ^= 1 << chance.randrange(8)
    return bytes(changed)


def _number(data: bytes, chance: random.Random) -> bytes:
    """One number in the text, of a page of counters, say."""
    places = list(_NUMBER.finditer(data[:_SEARCHED]))
    if not places:
        return data
    place = chance.choice(places)
    return data[: place.start()] + chance.choice(_ODD_NUMBERS) + data[place.end() :]


def _lines(data: bytes, chance: random.Random) -> bytes:
    lines = data.split(b"\n")
    at, other = chance.randrange(len(lines)), chance.randrange(len(lines))
    match chance.randrange(4):
        case 0:
            del lines[at]
        case 1:
            lines.insert(other, lines[at])
        case 2:
            lines[at], lines[other] = lines[other], lines[at]
        case _:
            lines[at] = lines[at][: chance.randrange(len(lines[at]) + 1)]
    return b"\n".join(lines)


def _value(data: bytes, chance: random.Random) -> bytes:
    """One value of one JSON object that fills the rest of a line."""
    lines = data.split(b"\n")
    at = chance.randrange(len(lines))
    for index in (*range(at, len(lines)), *range(at)):
        before, brace, rest = lines[index].partition(b"{")
        if brace:
            try:
                lines[index] = before + dumped(swapped(json.loads(brace + rest), chance), chance)
            except (ValueError, RecursionError):
                continue
            return b"\n".join(lines)
    return data


def swapped(told: Any, chance: random.Random) -> Any:
    """`told` with one value inside it replaced, left out or moved to another key."""
    places: list[tuple[Any, Any]] = []
    open_: list[Any] = [told]
    while open_:
        place = open_.pop()
        keys = list(place) if isinstance(place, dict) else list(range(len(place)))
        for key in keys:
            places.append((place, key))
            if isinstance(place[key], dict | list):
                open_.append(place[key])
    if not places:
        return told
    place, key = chance.choice(places)
    match chance.randrange(8):
        case 0:
            del place[key]
        case 1:
            place[key] = str(place[key])
        case 2:
            place[key] = [place[key]]
        case 3:
            other, its = chance.choice(places)
            if isinstance(other, dict) == (its in other if isinstance(other, dict) else False):
                place[key] = json.loads(json.dumps(other[its]))
        case _:
            place[key] = copy.deepcopy(chance.choice(ODD))
    return told


def dumped(value: Any, chance: random.Random) -> bytes:
    """JSON; now and then an empty list in it is a thousand lists deep."""
    words = json.dumps(value).encode()
    if chance.randrange(8) == 0:
        deep = chance.choice((40, 300, 900, _DEEP))
        words = words.replace(b"[]", b"[" * deep + b"]" * deep, 1).replace(
            b"null", b'{"a":' * deep + b"1" + b"}" * deep, 1
        )
    return words
