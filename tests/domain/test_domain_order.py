"""Percentiles of a growing series are exact at every length."""

from hypothesis import given
from hypothesis import strategies as st

from tui.domain.order import Ranked


@given(
    st.lists(st.integers(0, 10**9), min_size=1, max_size=3000), st.sampled_from([0.0, 0.5, 0.95, 0.99, 1.0])
)
def test_percentile_is_the_nearest_rank(numbers: list[int], share: float) -> None:
    ranked = Ranked()
    for number in numbers:
        ranked.add(number)
    ordered = sorted(numbers)
    got = ranked.percentile(share)
    assert got in ordered
    # at least `share` of all numbers do not exceed it, and no smaller number of the series has that
    at_most = sum(n <= got for n in ordered)
    below = sum(n < got for n in ordered)
    assert at_most >= share * len(ordered)
    assert below < share * len(ordered) or below == 0
    assert ranked.greatest() == ordered[-1]


@given(st.lists(st.integers(0, 10**6), min_size=1, max_size=50))
def test_median_of_an_even_number_is_the_middle(numbers: list[int]) -> None:
    ranked = Ranked()
    for number in numbers:
        ranked.add(number)
    ordered = sorted(numbers)
    half = len(ordered) // 2
    want = ordered[half] if len(ordered) % 2 else (ordered[half - 1] + ordered[half]) / 2
    assert ranked.median() == want


def test_an_empty_series_has_no_numbers() -> None:
    assert Ranked().percentile(0.5) is None
    assert Ranked().median() is None
    assert Ranked().greatest() is None
