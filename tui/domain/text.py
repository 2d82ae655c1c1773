"""Generated text as it came: append-only, in blocks, cheap to append and to look at from the end."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from tui.domain.pieces import Pieces

_BLOCK = 2048


class Text:
    """Growing text. A `Snapshot` of it stays what it was while the text grows on."""

    __slots__ = ("_blocks", "length", "pieces")

    def __init__(self) -> None:
        self._blocks: list[str] = []
        self.length = 0
        self.pieces = Pieces()

    def append(self, piece: str, number: int | None = None) -> None:
        """One more piece, of message `number` (default: the one after the last piece's)."""
        if not piece:
            return
        self.length += len(piece)
        if number is None:
            known = len(self.pieces.ends)
            number = self.pieces.number(known - 1) + 1 if known else 1
        self.pieces.add(self.length, number)
        if self._blocks and len(self._blocks[-1]) < _BLOCK:
            self._blocks[-1] += piece
        else:
            self._blocks.append(piece)

    def snapshot(self) -> Snapshot:
        return Snapshot(self._blocks, self.length, self.pieces)


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The first `length` characters of a growing text; equal: the same text at the same length."""

    _blocks: Sequence[str]
    length: int
    pieces: Pieces = field(default_factory=Pieces)  # those that end behind `length` are not part of it

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Snapshot) and self._blocks is other._blocks and self.length == other.length

    __hash__ = None  # type: ignore[assignment]

    def __str__(self) -> str:
        return "".join(self._blocks)[: self.length]

    def since(self, start: int) -> str:
        """The characters from position `start` on; costs no more than the blocks it touches."""
        pieces: list[str] = []
        end = sum(len(block) for block in self._blocks)
        for block in reversed(self._blocks):
            begin = end - len(block)
            pieces.append(block[max(0, start - begin) : max(0, self.length - begin)])
            if begin <= start:
                break
            end = begin
        return "".join(reversed(pieces))


NO_TEXT = Snapshot((), 0)
