"""JSON that may be anything: quicker than the library's front door, and with its very answers."""

import json

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tui.domain.values import count, finite
from tui.engines.shapes import parsed

PIECES = st.sampled_from(
    ['{"a":', "1", "}", "[", "]", ",", '"x"', " ", "\t", "\r\n", "\ufeff", "\u2028", "\0", "NaN", "-"]
)


@given(st.lists(PIECES, max_size=8).map("".join))
@example(' {"a":1}\r\n')
@example('{"a":1} {')
@example("")
def test_text_is_read_as_the_library_reads_it(words: str) -> None:
    try:
        wanted = repr(json.loads(words))
    except ValueError:
        with pytest.raises(ValueError):
            parsed(words)
    else:
        assert repr(parsed(words)) == wanted


@pytest.mark.parametrize(
    ("number", "is_finite", "is_count"),
    [
        (3, 3.0, 3),
        (0, 0.0, 0),
        (2.0, 2.0, 2),
        (2.5, 2.5, None),
        (-1, -1.0, None),
        ((1 << 63) - 1, float(1 << 63), (1 << 63) - 1),
        (1 << 63, float(1 << 63), None),
        (10**30, None, None),
        (10**400, None, None),
        (1e30, None, None),
        (float("nan"), None, None),
        (float("-inf"), None, None),
        (True, None, None),
        ("3", None, None),
        (None, None, None),
    ],
)
def test_what_is_a_number(number: object, is_finite: float | None, is_count: int | None) -> None:
    assert finite(number) == is_finite
    assert count(number) == is_count
