"""Strings as they may come from outside: any of them can be made one that an encoding can hold."""

from __future__ import annotations


def encodable(words: str) -> str:
    """`words` with each half of a surrogate pair as U+FFFD; UTF-8 and JSON can hold all the others."""
    if words.isascii():
        return words
    try:
        words.encode("utf-8")
    except UnicodeEncodeError:
        return words.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return words
