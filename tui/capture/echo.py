"""Takes echoes of a key out of what a server says: whole, encoded, shortened, or cut between two reads."""

from __future__ import annotations

import base64
import binascii
import json
import re
from collections.abc import Iterable, Mapping
from typing import Any
from urllib.parse import quote, unquote

from tui.capture.scrub import REMOVED, secret_words

SHORTEST = 6  # a shorter "key" such as "none" is no secret, and would tear holes into the text
_NO_SECRETS = frozenset(
    {
        "ollama",
        "lm-studio",
        "lmstudio",
        "not-needed",
        "no-key",
        "no-key-required",
        "sk-no-key-required",
        "dummy-key",
    }
)
"""What people send where a client insists on a key and the server on none."""
_FRAGMENT = 8  # so much of a key's beginning or end, alone, is taken out too
_LONG = 16  # of keys that are at least so long
_HEAD_LEAST, _TAIL_LEAST = 3, 4  # of a masked key, where only one of its ends is shown
_SHOWN_MOST = 24  # a server that masks a key shows no more than this of either end
_MASK = rb"(?:\*{2,}|\.{3,}|[xX]{4,}|#{3,}|(?:\xe2\x80\xa6)+|(?:\xe2\x80\xa2){2,}|\\u2026|(?:\\u2022){2,})"
_MARKS = (b"**", b"...", b"xxxx", b"XXXX", b"###", b"\xe2\x80", b"\\u20")  # no mask without one of them
_MASKING = (
    b"*",
    b".",
    b"x",
    b"X",
    b"#",
    b"\xe2",
    b"\x80",
    b"\xa2",
    b"\\",
    b"u",
    b"2",
)  # a mask may begin here
_WORD_MOST = 2048
_BETWEEN = b" \t\r\n\x0b\x0c\"'<>,;(){}"  # two words, where no key holds it
_REMOVED = REMOVED.encode()


class Veil:
    """Knows the keys that go out with one request's headers, and hides them in what comes back."""

    def __init__(self, headers: Mapping[str, str]) -> None:
        self._keys = tuple(sorted(_keys(headers), key=len, reverse=True))
        forms = sorted({form for key in self._keys for form in _forms(key)}, key=len, reverse=True)
        self._forms = tuple(forms)
        # others would be cut inside a character
        self._parted = tuple(key for key in self._keys if key.isascii())
        self._masked = re.compile(b"|".join(map(_masked, self._parted)) or b"(?!)")
        self._signs = _signs(self._forms, self._parted)
        self._long = tuple(key for key in self._parted if len(key) >= _LONG)
        between = bytes(sign for sign in _BETWEEN if not any(sign in form for form in forms))
        self._word = re.compile(b"[^%b]*" % re.escape(between))
        self._held = b""

    @property
    def active(self) -> bool:
        """There is a key to hide."""
        return bool(self._keys)

    def hidden(self, data: bytes) -> bytes:
        """The bytes with every echo replaced."""
        for sign in self._signs:
            if sign in data:
                return self._hidden(data)
        return data

    def _hidden(self, data: bytes) -> bytes:
        for form in self._forms:
            data = data.replace(form, _REMOVED)
        if any(mark in data for mark in _MARKS):  # the pattern is slow
            data = self._masked.sub(_REMOVED, data)
        for key in self._long:
            data = _without_ends(data, key)
        return data

    def streamed(self, data: bytes) -> bytes:
        """The next bytes of a stream. What may be the beginning of an echo is kept for the next call.

        No event of a stream waits for that: a line end is never kept.
        """
        if not self.active:
            return data
        if self._held:
            data, self._held = self._held + data, b""
        if not data.endswith(b"\n"):
            word = self._last_word(data)
            if word and self._may_go_on(word):
                data, self._held = data[: len(data) - len(word)], word
        return self.hidden(data)

    def rest(self) -> bytes:
        """What was kept when the stream ended."""
        held, self._held = self._held, b""
        cut = any(held.endswith(form[:n]) for form in self._forms for n in range(4, len(form)))
        cut = cut or any(len(held) >= _FRAGMENT and held[-_FRAGMENT:] in key for key in self._long)
        return _REMOVED if cut else self.hidden(held)

    def words(self, told: Any) -> Any:
        """A value of JSON with every echo replaced in its texts, names included."""
        if not self.active:
            return told
        match told:
            case str():
                return self.hidden(told.encode("utf-8", "surrogatepass")).decode("utf-8", "surrogatepass")
            case dict():
                return {self.words(name): self.words(value) for name, value in told.items()}
            case list() | tuple():
                return [self.words(value) for value in told]
            case _:
                return told

    def _last_word(self, data: bytes) -> bytes:
        """What stands behind the last blank or sign, as much of it as an echo could be."""
        backwards = self._word.match(data[-_WORD_MOST:][::-1])
        return backwards[0][::-1] if backwards else b""

    def _may_go_on(self, word: bytes) -> bool:
        if (
            word.endswith(_MASKING)
            or re.search(_MASK, word)
            or any(key[:_HEAD_LEAST] in word for key in self._keys)
            or any(word[-1:] in key[:-1] for key in self._long)  # a piece that goes on to the key's end
        ):
            return True
        return any(_ends_within(word, form) for form in self._forms)


def _signs(forms: Iterable[bytes], keys: Iterable[bytes]) -> tuple[bytes, ...]:
    """Bytes of which at least one is in whatever holds an echo: nearly all reads hold none.

    A masked key shows three of its beginning or four of its end, and a long piece of either shows them too.
    """
    heads = {key[:_HEAD_LEAST] for key in keys}
    whole = (form[:_FRAGMENT] for form in forms if not form.startswith(tuple(heads)))
    return (*heads, *dict.fromkeys(whole), *(key[-_TAIL_LEAST:] for key in keys))


def _ends_within(word: bytes, form: bytes) -> bool:
    """Whether `form` begins in `word` and would go on behind it."""
    at = max(0, len(word) - len(form) + 1)
    while (at := word.find(form[:1], at)) >= 0:
        if form.startswith(word[at:]):
            return True
        at += 1
    return False


def _keys(headers: Mapping[str, str]) -> Iterable[bytes]:
    """The secret words of the headers; of a name and password also both."""
    for scheme, word in secret_words(headers):
        told = [word]
        if scheme.lower() == "basic":
            try:
                pair = base64.b64decode(word, validate=True).decode()
                told += [pair, pair.partition(":")[2]]
            except (binascii.Error, UnicodeDecodeError):
                pass
        yield from (key.encode() for key in told if len(key) >= SHORTEST and key.lower() not in _NO_SECRETS)


def _forms(key: bytes) -> Iterable[bytes]:
    """How a key may be written: as it is, in a URL, in JSON, in base64."""
    text = key.decode()
    yield key
    for safe in ("", "/"):
        yield (coded := quote(text, safe=safe).encode())
        yield re.sub(rb"%[0-9A-F]{2}", lambda found: found[0].lower(), coded)
    yield quote(unquote(text), safe="").encode()
    yield json.dumps(text)[1:-1].encode()
    yield json.dumps(text)[1:-1].replace("/", "\\/").encode()
    for coded in (base64.b64encode(key), base64.urlsafe_b64encode(key)):
        yield coded.rstrip(b"=")


def _masked(key: bytes) -> bytes:
    """A pattern for `sk-a****wxyz`: some of its beginning, a mask, some of its end; one of both is enough."""
    most = min(_SHOWN_MOST, len(key) - 1)
    heads = b"|".join(re.escape(key[:n]) for n in range(most, _HEAD_LEAST - 1, -1))
    tails = b"|".join(re.escape(key[-n:]) for n in range(most, 1, -1))
    long_tails = b"|".join(re.escape(key[-n:]) for n in range(most, _TAIL_LEAST - 1, -1))
    return rb"(?:%b)%b(?:%b)?|%b(?:%b)" % (heads, _MASK, tails, _MASK, long_tails)


def _without_ends(data: bytes, key: bytes) -> bytes:
    """Without a long piece of the key's beginning or end that stands alone."""
    at = 0
    while (at := data.find(key[:_FRAGMENT], at)) >= 0:
        end = _FRAGMENT
        while end < len(key) and data[at + end : at + end + 1] == key[end : end + 1]:
            end += 1
        data = data[:at] + _REMOVED + data[at + end :]
        at += len(_REMOVED)
    at = 0
    while (at := data.find(key[-_FRAGMENT:], at)) >= 0:
        more = 0
        while _FRAGMENT + more < len(key) and more < at and data[at - more - 1] == key[-_FRAGMENT - more - 1]:
            more += 1
        data = data[: at - more] + _REMOVED + data[at + _FRAGMENT :]
        at += len(_REMOVED) - more
    return data
