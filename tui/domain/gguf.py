"""The header of a GGUF model file: its metadata and the list of its tensors, never the weights.

Layout as in the format's specification (ggml, docs/gguf.md), versions 2 and 3, little-endian. The bytes may
come from anybody: every length is checked before it is used, and nothing larger than a name or a list of one
number per layer is kept.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping
from dataclasses import dataclass, field

MOST_PAIRS = 1 << 14
MOST_TENSORS = 1 << 16
MOST_STRINGS = 1 << 21  # in all lists together; the largest vocabularies have less than a million entries
LONGEST_NAME = 1 << 10
LONGEST_TEXT = 256  # of a text that is kept
LONGEST_LIST = 4096  # of a list that is kept
MOST_DIMENSIONS = 8
_VERSIONS = (2, 3)
_TEXT, _LIST, _BOOL = 8, 9, 7
_FORMS: Mapping[int, str] = {
    0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", _BOOL: "?", 10: "Q", 11: "q", 12: "d",
}  # fmt: skip

Plain = int | float | bool | str


class NotGguf(ValueError):
    """These bytes are no GGUF header that can be read; the message says why."""


class Cut(NotGguf):
    """The header goes on behind these bytes."""


@dataclass(frozen=True, slots=True)
class Tensor:
    """One tensor: `elements` weights, `offset` bytes behind the start of the data."""

    name: str
    elements: int
    offset: int


@dataclass(frozen=True, slots=True)
class Weight:
    """One tensor with its size in the file, bytes; padding to the next one is inside."""

    name: str
    elements: int
    size: int


@dataclass(frozen=True, slots=True)
class Header:
    """`metadata`: numbers, short texts and short lists; longer ones are left out."""

    metadata: Mapping[str, Plain | tuple[Plain, ...]] = field(default_factory=dict)
    tensors: tuple[Tensor, ...] = ()
    data_at: int = 0


def parse(data: bytes) -> Header:
    """The header at the start of `data`. Raises Cut when it goes on behind them, NotGguf when it is none."""
    reader = _Reader(data)
    if reader.take(4) != b"GGUF":
        raise NotGguf("not a GGUF file")
    version = reader.number("I")
    if version not in _VERSIONS:
        raise NotGguf("another byte order" if version & 0xFFFF == 0 else f"GGUF version {version}")
    tensors, pairs = reader.number("Q"), reader.number("Q")
    if tensors > MOST_TENSORS or pairs > MOST_PAIRS:
        raise NotGguf("implausible header")
    metadata: dict[str, Plain | tuple[Plain, ...]] = {}
    for _ in range(pairs):
        key = reader.text(LONGEST_NAME)
        kind = reader.number("I")
        value = reader.list() if kind == _LIST else reader.plain(kind)
        if value is not None:
            metadata[key] = value
    found = tuple(reader.tensor() for _ in range(tensors))
    told = metadata.get("general.alignment")
    alignment = told if isinstance(told, int) and 0 < told <= 1 << 20 else 32
    return Header(metadata, found, -(-reader.at // alignment) * alignment)


def weights(header: Header, file_bytes: int) -> tuple[Weight, ...]:
    """Each tensor's size: the distance to the next one, of the last to the end of the file.

    Empty when the offsets don't fit a file of `file_bytes`, and where there are none: some hold a vocabulary.
    """
    if not header.tensors:
        return ()
    ordered = sorted(header.tensors, key=lambda tensor: tensor.offset)
    ends = [tensor.offset for tensor in ordered[1:]] + [file_bytes - header.data_at]
    sizes = [end - tensor.offset for tensor, end in zip(ordered, ends, strict=True)]
    if any(size < 0 for size in sizes):
        return ()
    return tuple(Weight(t.name, t.elements, size) for t, size in zip(ordered, sizes, strict=True))


class _Reader:
    def __init__(self, data: bytes) -> None:
        self._data = data
        self.at = 0
        self._strings = 0

    def take(self, n: int) -> bytes:
        self._need(n)
        self.at += n
        return self._data[self.at - n : self.at]

    def _need(self, n: int) -> None:
        if n > len(self._data) - self.at:
            raise Cut("the header is longer than what was read")

    def number(self, form: str) -> int:
        size = struct.calcsize("<" + form)
        self._need(size)
        (value,) = struct.unpack_from("<" + form, self._data, self.at)
        self.at += size
        return int(value)

    def text(self, longest: int) -> str:
        n = self.number("Q")
        if n > longest:
            raise NotGguf("implausible name")
        return self.take(n).decode("utf-8", "replace")

    def plain(self, kind: int) -> Plain | None:
        """One value; None for a text too long to be kept."""
        if kind == _TEXT:
            n = self.number("Q")
            text = self.take(n)
            return text.decode("utf-8", "replace") if n <= LONGEST_TEXT else None
        if kind not in _FORMS:
            raise NotGguf(f"unknown kind of value {kind}")
        return self._plain(kind, 1)[0]

    def _plain(self, kind: int, n: int) -> tuple[Plain, ...]:
        form = f"<{n}{_FORMS[kind]}"
        return struct.unpack(form, self.take(struct.calcsize(form)))

    def list(self) -> tuple[Plain, ...] | None:
        """Its values; None for a list too long to be kept."""
        kind, n = self.number("I"), self.number("Q")
        if kind == _TEXT:
            self._skip(n)
            return None
        if kind not in _FORMS:
            raise NotGguf(f"a list of kind {kind}")
        if n <= LONGEST_LIST:
            return self._plain(kind, n)
        size = n * struct.calcsize("<" + _FORMS[kind])
        self._need(size)
        self.at += size
        return None

    def _skip(self, n: int) -> None:
        """Past `n` texts: the vocabulary, the largest part of a header."""
        self._strings += n
        if self._strings > MOST_STRINGS:
            raise NotGguf("implausible vocabulary")
        data, at, end = self._data, self.at, len(self._data) - 8
        length = struct.Struct("<Q").unpack_from
        for _ in range(n):
            if at > end:
                raise Cut("the header is longer than what was read")
            at += 8 + length(data, at)[0]
        self.at = at
        self._need(0)

    def tensor(self) -> Tensor:
        name = self.text(LONGEST_NAME)
        dimensions = self.number("I")
        if dimensions > MOST_DIMENSIONS:
            raise NotGguf("implausible tensor")
        elements = 1
        for _ in range(dimensions):
            elements *= self.number("Q")
        self.number("I")
        return Tensor(name, elements, self.number("Q"))
