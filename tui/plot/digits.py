"""Numbers in block digits of 3 × 5 pixels, drawn from `█ ▀ ▄` only."""

from __future__ import annotations

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


def digits(number: str) -> tuple[str, str, str]:
    """The number three rows high: a pixel is one column by half a row. Digits, `.`, `:` and `-` only."""
    top, upper, middle, lower, bottom = (" ".join(_FONT[char][i] for char in number) for i in range(5))
    return _pair(top, upper), _pair(middle, lower), _pair(bottom, "")


def _pair(above: str, below: str) -> str:
    below = below.ljust(len(above), ".")
    return "".join(
        _HALVES[pair] for pair in zip(above.replace(" ", "."), below.replace(" ", "."), strict=True)
    )


def stage_digits(number: str) -> tuple[str, ...]:
    """The number five rows high, for a room: a pixel is two columns by one row."""
    wide = {"#": "██", ".": "  "}
    return tuple(
        " ".join("".join(wide[pixel] for pixel in _FONT[char][i]) for char in number) for i in range(5)
    )
