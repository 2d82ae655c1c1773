"""The plain lines of a run write numbers as the screen does."""

from __future__ import annotations

import pytest

from tui.domain.values import Provenance, Value
from tui.domain.view import View
from tui.report.plain import summary


@pytest.mark.parametrize(
    ("tokens_per_s", "told"),
    [(6854.2, "6,854 tok/s ●"), (1000.0, "1,000 tok/s ●"), (81.62, "81.6 tok/s ●"), (5.441, "5.44 tok/s ●")],
)
def test_a_rate_is_never_written_with_an_exponent(tokens_per_s: float, told: str) -> None:
    view = View(prefill=Value(tokens_per_s, "tok/s", Provenance.MEASURED, "a formula"))
    assert f"prefill, engine      {told}  a formula" in summary(view)


@pytest.mark.parametrize(
    ("chunks", "told"), [(1, "in 1 chunk"), (0, "in 0 chunks"), (1234, "in 1,234 chunks")]
)
def test_one_chunk_is_no_chunks(chunks: int, told: str) -> None:
    assert summary(View(chunks=chunks, tokens=chunks)).rstrip().endswith(told)
