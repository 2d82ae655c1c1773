"""That every turn of a knob sends is seen at every size, for as long as it does."""

import pytest

from tests.app.conftest import Watch
from tui.domain.knobs import Knobs, Profile

SIZES = [(160, 50), (120, 36), (100, 28), (80, 24), (60, 20), (41, 12), (40, 10)]


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("knobs", [Knobs(), Knobs(profile=Profile.OWN, own_text="why")])
async def test_auto_is_on_the_screen_while_it_is_on(
    watch: Watch, size: tuple[int, int], knobs: Knobs
) -> None:
    async with watch(size, knobs) as at:
        assert "auto on" not in at.text and "so does every turn" not in at.text
        await at.press("a")
        assert "a auto on" in at.text
        await at.press("enter")
        assert "a auto on" in at.text
        await at.press("a")
        assert "auto on" not in at.text


async def test_the_sentence_says_so_before_the_first_turn(watch: Watch) -> None:
    async with watch((80, 24), Knobs(auto=True)) as at:
        assert "enter sends a prompt of 512 tokens · so does every turn of a knob" in at.text


async def test_the_stage_says_so_too(watch: Watch) -> None:
    async with watch((100, 28), Knobs(auto=True), staged=True) as at:
        assert "auto on" in at.rows[-1]
