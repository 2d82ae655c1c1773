"""Text as the terminal counts it: cell widths, clusters, clipping, and the gate for text from outside."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache

_JOINER = "\u200d"
_EMOJI_STYLE = "\ufe0f"

UNSEEN = (
    "\x00-\x1f\x7f-\x9f\u00ad\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\ufffe\uffff"
    "\ud800-\udfff\U000e0000-\U000e0fff"
)
"""For a class of a pattern: controls, C1, direction marks and overrides, line separators, lone surrogates,
hidden tags, noncharacters."""
_UNSAFE = re.compile(f"[{UNSEEN}]")
_MARK = "[\u0300-\u036f\u0483-\u0489\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff]"
_PILE = re.compile(f"({_MARK}{{4}}){_MARK}+")
_PICTURES = "\u2190-\u2bff\ufe0f\U0001f000-\U0001faff"
_STRAY_JOINER = re.compile(f"(?<![{_PICTURES}])\u200d|\u200d(?![{_PICTURES}])")


def clean(text: str) -> str:
    """Text that can't move the cursor, reorder, hide or join anything: the gate for all text from outside.

    C0 controls and DEL become their pictures (`␛`), other unsafe characters `\ufffd`. A mark without a letter
    becomes `\ufffd`, more than four on one letter are cut, joiners stay between emoji only. Split lines and
    expand tabs first where they should act.
    """
    if text.isascii() and text.isprintable():  # nearly all there is
        return text
    safe = _STRAY_JOINER.sub("", _PILE.sub(r"\1", _UNSAFE.sub(_picture, text)))
    return safe if safe[:1].isascii() or _char_width(safe[0]) else "\ufffd" + safe[1:]


def shorn(text: str) -> str:
    """Text to be edited: lines and tabs stay, what `clean` would replace is left out."""
    return _UNSAFE.sub(lambda found: found[0] if found[0] in "\n\t" else "", text)


def _picture(found: re.Match[str]) -> str:
    code = ord(found[0])
    if code < 0x20:
        return chr(0x2400 + code)
    return "\u2421" if code == 0x7F else "\ufffd"


@lru_cache(maxsize=4096)
def _char_width(char: str) -> int:
    code = ord(char)
    category = unicodedata.category(char)
    if category in ("Mn", "Me", "Mc", "Cf", "Cc") or 0x1160 <= code <= 0x11FF or 0x1F3FB <= code <= 0x1F3FF:
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1


def clusters(text: str) -> Iterator[tuple[str, int]]:
    """The characters as a reader sees them, each with its cells: marks and joined emoji stay together."""
    cluster, cells, joined = "", 0, False
    for char in text:
        own = _char_width(char)
        if cluster and (joined or own == 0):
            cluster += char
            if char == _EMOJI_STYLE and cells == 1 and _may_be_emoji(cluster[0]):
                cells = 2
        else:
            if cluster:
                yield cluster, cells
            cluster, cells = char, own
        joined = char == _JOINER
    if cluster:
        yield cluster, cells


def _may_be_emoji(char: str) -> bool:
    return char in "#*0123456789" or unicodedata.category(char) in ("So", "Sm", "Po")


@lru_cache(maxsize=512)  # a screen has some hundred texts; more would only be kept from runs long gone
def _measured(text: str) -> int:
    return sum(cells for _, cells in clusters(text))


def width(text: str) -> int:
    """Cells that `text` takes in a terminal."""
    return len(text) if text.isascii() else _measured(text)


def fit(text: str, cells: int) -> str:
    """The longest start of `text` within `cells`, never cut inside a cluster."""
    if text.isascii():
        return text[: max(0, cells)]
    taken: list[str] = []
    for cluster, own in clusters(text):
        cells -= own
        if cells < 0:
            break
        taken.append(cluster)
    return "".join(taken)
