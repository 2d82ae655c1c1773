"""Numbers in block digits of 3 × 5 pixels, drawn from `█ ▀ ▄` only."""

from __future__ import annotations

from itertools import zip_longest

_FONT = {
    "0": ("###", "#.#", "#.#", "#.#", "###"),
    "1": ("##.", ".#.", ".#.", ".#.", "###"),
    "2": ("###", "..#", "###", "#..", "###"),
    "3": ("###", "..#", "###", "..#", "###"),
    "4": ("#.#", "#.#", "###", "..#", "..#"),
    "5": ("###", "#..", "###", "..#", "###"),
    "6": ("###", "#..", "###", "#.#", "###"),
    "7": ("###", "..#", "..#", "..#", "..#"),
    "8": ("###", "#.#", "###", "#.#", "###"),
    "9": ("###", "#.#", "###", "..#", "###"),
    ".": (".", ".", ".", ".", "#"),
    ":": (".", "#", ".", "#", "."),
    "-": ("...", "...", "###", "...", "..."),
    " ": (".", ".", ".", ".", "."),
}
_HALVES = {("#", "#"): "█", ("#", "."): "▀", (".", "#"): "▄", (".", "."): " "}


def digits(number: str) -> tuple[str, ...]:
    """The number three rows high: a pixel is one column by half a row. Digits, `.`, `:` and `-` only."""
    return stage_digits(number, 1)


def stage_digits(number: str, scale: int = 2) -> tuple[str, ...]:
    """The number for a room: a pixel is `scale` columns by half as many rows, in all five pixels high."""
    apart = "." * max(1, scale // 2)
    lines = [
        apart.join("".join(pixel * scale for pixel in _FONT[char][i]) for char in number) for i in range(5)
    ]
    halves = [line for line in lines for _ in range(scale)]
    return tuple(_pair(*pair) for pair in zip_longest(halves[::2], halves[1::2], fillvalue=""))


def rows_of(scale: int) -> int:
    """Rows that digits of this scale take."""
    return (5 * scale + 1) // 2


def _pair(above: str, below: str) -> str:
    return "".join(_HALVES[pair] for pair in zip(above, below.ljust(len(above), "."), strict=True))
