"""A word that passes in the bottom row: what happened stays, however long the path in it is."""

from __future__ import annotations

import pytest

from tests.app.conftest import Watch
from tui.app.panels.footer import fitted
from tui.plot.cells import width

PATH = "/home/somebody/.local/state/toklane/runs/20260102-030405-run0001.jsonl"
SAID = f"not recorded: {PATH}: No space left on device"


@pytest.mark.parametrize("columns", [120, 80, 60, 41])
async def test_a_long_path_leaves_the_reason_in_its_place(watch: Watch, columns: int) -> None:
    async with watch((columns, 24)) as at:
        at.desk.say(SAID)
        await at.frame()
        assert at.rows[-1].startswith(" not recorded: ")
        assert at.rows[-1].endswith("No space left on device")
        assert (PATH in at.rows[-1]) == (columns >= len(SAID) + 1)


def test_a_path_alone_keeps_its_end() -> None:
    (told,) = fitted([PATH], 40)
    assert told == "…" + PATH[-38:] and width(told) == 39
    assert fitted(["日本" * 20], 12) == ["…本日本日本"]
    assert fitted(["ab", "cd"], 2) == ["…", "cd"], "what is left over goes from behind"
