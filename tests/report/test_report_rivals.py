"""A run that was not alone says so, as text and as JSON."""

import pytest

from tui.domain.view import View
from tui.report.numbers import run_object
from tui.report.plain import summary


@pytest.mark.parametrize(("told", "number"), [({"rivals": 2}, 2), ({"rivals": 0}, 0), ({}, None)])
def test_the_conditions_tell_how_many(told: dict[str, object], number: int | None) -> None:
    conditions = run_object(View(conditions=told))["conditions"]
    assert isinstance(conditions, dict) and conditions["rivals"] == number


def test_the_text_tells_it_only_when_there_were_some() -> None:
    assert "2 ran beside it" in summary(View(conditions={"rivals": 2}))
    assert "rivals" not in summary(View(conditions={"rivals": 0}))
