"""Typed looks into JSON that may be anything: what has the wrong shape equals absent."""

from __future__ import annotations

import json
from collections.abc import Mapping

from tui.domain.values import finite

Object = Mapping[str, object]
_EMPTY: Object = {}


def mapping(value: object) -> Object:
    """`value` when it is a JSON object, else an empty one."""
    return value if isinstance(value, dict) else _EMPTY


def items(value: object) -> list[object]:
    """`value` when it is a JSON list, else an empty one."""
    return value if isinstance(value, list) else []


def text(value: object) -> str:
    """`value` when it is a string, else an empty one; half a surrogate pair becomes U+FFFD."""
    if not isinstance(value, str):
        return ""
    if value.isascii():
        return value
    try:
        value.encode("utf-8")
    except UnicodeEncodeError:
        return value.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return value


def nanoseconds(value: object, unit_ns: float) -> int | None:
    """A duration of `value` units of `unit_ns` nanoseconds; NaN, Infinity and negative equal absent."""
    number = finite(value)
    return round(number * unit_ns) if number is not None and number >= 0 else None


def parsed(data: bytes | str) -> object:
    """The JSON value in `data`. Raises ValueError, also for what is nested too deep or has endless digits."""
    try:
        value: object = json.loads(data)
    except RecursionError as error:
        raise ValueError("nested too deep") from error
    return value


def parsed_or_none(data: bytes | str) -> object:
    """The JSON value in `data`, None when it is not JSON (also when its text is not UTF-8)."""
    try:
        return parsed(data)
    except ValueError:
        return None


def headers_of(raw: object) -> dict[str, str]:
    """Header names in lower case → values, from a list of pairs or a mapping; the first of a name counts."""
    pairs = list(raw.items()) if isinstance(raw, Mapping) else items(raw)
    found: dict[str, str] = {}
    for pair in pairs:
        if isinstance(pair, (list, tuple)) and len(pair) == 2:
            found.setdefault(str(pair[0]).lower(), str(pair[1]))
    return found
