"""Every place where bytes come in beside the stream outlives what really comes there, mangled."""

from __future__ import annotations

import random
from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.fuzz.mangled import mangled
from tests.fuzz.places import PLACES
from tests.fuzz.seeds import found, seeds

_TRIES = 60


@cache
def inputs(place: str) -> tuple[bytes, ...]:
    return (*seeds()[place], *found(place))


@pytest.mark.parametrize("place", PLACES)
def test_what_comes_there_is_taken(place: str) -> None:
    assert seeds()[place]
    for data in inputs(place):
        PLACES[place](data)


@pytest.mark.parametrize("place", PLACES)
def test_what_comes_there_mangled_is_outlived(place: str) -> None:
    for seed in range(_TRIES):
        chance = random.Random(f"{place} {seed}")
        PLACES[place](mangled(chance.choice(inputs(place)), chance))


@pytest.mark.parametrize("place", PLACES)
def test_what_breaks_off_anywhere_is_outlived(place: str) -> None:
    for data in seeds()[place][:2]:
        for end in range(0, len(data), max(1, len(data) // _TRIES)):
            PLACES[place](data[:end])


@pytest.mark.parametrize("place", PLACES)
@settings(derandomize=True, deadline=None, max_examples=40, database=None)
@given(data=st.binary(max_size=80))
def test_bytes_of_any_kind_are_outlived(place: str, data: bytes) -> None:
    PLACES[place](data)
