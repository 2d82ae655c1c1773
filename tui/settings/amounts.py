"""Amounts of tokens as people type them: `512`, `1,674`, `2k`."""

from __future__ import annotations

import re

K = 1024  # as on the prompt dial, whose steps double
_AMOUNT = re.compile(r"(\d+(?:[,_]\d{3})*|\d*\.\d+)\s*([kK]?)")
_LONGEST = 12  # characters
MOST = 16 * K * K  # more than any model can take; who mistypes must not wait for hours of text


def tokens(text: str) -> int:
    """`2k` is 2048, `1.5k` 1536, `1,674` 1674. ValueError when it is no whole number of at least 1."""
    text = text.strip()
    found = _AMOUNT.fullmatch(text) if len(text) <= _LONGEST else None
    if found is None:
        raise ValueError("a number of tokens such as 512 or 2k")
    amount = float(found[1].replace(",", "").replace("_", "")) * (K if found[2] else 1)
    if amount < 1 or amount != int(amount):
        raise ValueError("a whole number of tokens, at least 1")
    if amount > MOST:
        raise ValueError(f"at most {MOST:,} tokens")
    return int(amount)
