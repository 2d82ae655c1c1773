"""Amounts of tokens as typed."""

import pytest

from tui.settings.amounts import MOST, tokens


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("512", 512),
        ("2k", 2048),
        ("2 K", 2048),
        ("1.5k", 1536),
        (".5k", 512),
        ("1,674", 1674),
        ("32_768", 32768),
    ],
)
def test_amounts_are_understood(text: str, number: int) -> None:
    assert tokens(f" {text} ") == number


@pytest.mark.parametrize(
    "text", ["", "k", "0", "-1", "1.5", "1.0001k", "2kk", "1,23", "1e9", "[/", "9" * 400, "nan"]
)
def test_anything_else_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="number of tokens"):
        tokens(text)


def test_more_than_any_model_takes_is_refused() -> None:
    assert tokens("16384k") == MOST
    with pytest.raises(ValueError, match="at most 16,777,216 tokens"):
        tokens("16777217")
