"""Typed looks into JSON that may be anything: what has the wrong shape equals absent."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping

from tui.domain.characters import encodable
from tui.domain.values import finite

Object = Mapping[str, object]
_EMPTY: Object = {}
_DECODER = json.JSONDecoder()
_JSON_BLANK = " \t\n\r"
_LONGEST_NS = 4e18
_DEEPEST = 64  # no engine nests deeper; what does could not be copied or written again


def mapping(value: object) -> Object:
    """`value` when it is a JSON object, else an empty one."""
    return value if isinstance(value, dict) else _EMPTY


def items(value: object) -> list[object]:
    """`value` when it is a JSON list, else an empty one."""
    return value if isinstance(value, list) else []


def text(value: object) -> str:
    """`value` when it is a string, else an empty one; half a surrogate pair becomes U+FFFD."""
    return encodable(value) if isinstance(value, str) else ""


def nanoseconds(value: object, unit_ns: float) -> int | None:
    """A duration of `value` units of `unit_ns` nanoseconds; NaN, Infinity and negative equal absent.

    So does one that is longer than a century.
    """
    number = finite(value)
    return round(number * unit_ns) if number is not None and 0 <= number * unit_ns <= _LONGEST_NS else None


def parsed(data: bytes | str) -> object:
    """The JSON value in `data`. Raises ValueError, also for what is nested too deep or has endless digits."""
    try:
        value = _value_in(data) if isinstance(data, str) else json.loads(data)
    except RecursionError as error:
        raise ValueError("nested too deep") from error
    opened = data.count("{") + data.count("[") if isinstance(data, str) else len(data)
    if opened > _DEEPEST and _deeper(value):  # most have too few brackets for it
        raise ValueError("nested too deep")
    return value


def _value_in(words: str) -> object:
    """What `json.loads` does, without its ways for other kinds of input: there is one for each token."""
    words = words.strip(_JSON_BLANK)
    value: object
    value, end = _DECODER.raw_decode(words)
    if end != len(words):
        raise ValueError("more behind the value")
    return value


def _deeper(value: object) -> bool:
    """Whether the value is nested too deep."""
    level = [value]
    for _ in range(_DEEPEST + 1):
        level = [inner for place in level for inner in _inside(place)]
    return bool(level)


def _inside(value: object) -> Iterable[object]:
    if isinstance(value, dict):
        return value.values()
    return value if isinstance(value, list) else ()


def plain(value: object) -> object:
    """A JSON value as it can be written again: NaN and Infinity become null, half a surrogate pair U+FFFD."""
    match value:
        case str():
            return encodable(value)
        case bool():
            return value
        case int() | float():
            return value if finite(value) is not None else None
        case dict():
            return {encodable(str(key)): plain(inner) for key, inner in value.items()}
        case list() | tuple():
            return [plain(inner) for inner in value]
        case _:
            return None


def parsed_or_none(data: bytes | str) -> object:
    """The JSON value in `data`, None when it is not JSON (also when its text is not UTF-8)."""
    try:
        return parsed(data)
    except ValueError:
        return None


def are_chunks(data: bytes) -> bool:
    """Whether the first line is one chunk of a chat: a stream of them that lost its `data:`."""
    choices = items(mapping(parsed_or_none(data.partition(b"\n")[0])).get("choices"))
    return any("delta" in mapping(choice) for choice in choices)


def headers_of(raw: object) -> dict[str, str]:
    """Header names in lower case → values, from a list of pairs or a mapping; the first of a name counts."""
    pairs = list(raw.items()) if isinstance(raw, Mapping) else items(raw)
    found: dict[str, str] = {}
    for pair in pairs:
        if isinstance(pair, (list, tuple)) and len(pair) == 2:
            found.setdefault(str(pair[0]).lower(), str(pair[1]))
    return found
