"""Under a hatched wait the phase table says why it is one, and which flag would split it."""

import pytest

from tests.engines.seen import records_of, run
from tests.engines.test_engines_vllm import around
from tui.app.panels.phases import table
from tui.app.scene import Scene
from tui.domain.view import View
from tui.plot.glyphs import Fill
from tui.plot.rows import row_width


def crowded() -> View:
    polls = around("metrics-two-at-once")
    return run(records_of("vllm/metrics-two-at-once", polls, engine_version="0.32.0"))[0]


@pytest.mark.parametrize("width", [60, 70, 110])
def test_the_reason_and_the_flag_stand_below_the_table(width: int) -> None:
    rows = table(Scene(view=crowded()), width, 20, Fill.COLOUR)
    told = " ".join(" ".join("".join(text for text, _ in row).split()) for row in rows)
    assert "queue and prefill can't be told apart here not attributable: other requests" in told
    assert "to split it: start vLLM with --enable-per-request-metrics" in told
    assert all(row_width(row) <= width for row in rows)


@pytest.mark.parametrize("height", range(12))
def test_where_rows_are_short_the_phases_come_first(height: int) -> None:
    rows = table(Scene(view=crowded()), 60, height, Fill.COLOUR)
    assert len(rows) <= height
    told = ["".join(text for text, _ in row) for row in rows]
    if height >= 4:
        assert any("waiting" in line for line in told) and any("decode" in line for line in told)
