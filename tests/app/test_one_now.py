"""All times that are written come from one moment, however often each panel looks."""

import re

import pytest

from tests.app.conftest import FRAME_NS, Watch
from tests.app.scripted import MS, S, ScriptedSession, opening, reading


@pytest.mark.parametrize(("size", "staged"), [((120, 36), False), ((80, 24), False), ((100, 28), True)])
async def test_every_clock_of_a_frame_is_the_same(
    watch: Watch, session: ScriptedSession, size: tuple[int, int], staged: bool
) -> None:
    session.script = lambda knobs: [*opening(knobs), *reading(knobs, 9 * S)]
    async with watch(size, staged=staged) as at:
        await at.press("enter")
        seen = set()
        for _ in range(60):
            at.clock.now_ns += FRAME_NS
            await at.frame()
            figures = next(
                panel for panel in at.desk.panels if panel.id == ("giants" if staged else "figures")
            )
            assert figures.shown is not None
            now = figures.shown.view.now_ns
            pointed = re.search(r"▲ (\d\.\d+) s|(\d\.\d+) s ▲", at.text)
            assert pointed is not None
            assert float(pointed[1] or pointed[2]) == pytest.approx(now / S, abs=0.006)
            lane = re.search(r"prefill (\d\.\d\d) s", at.text)
            if lane and not staged:
                began = at.desk.pump.scene.view.phase("prefill")
                assert began is not None
                assert float(lane[1]) == pytest.approx((now - began.start_ns) / S, abs=0.006)
            seen.add(now)
        assert len(seen) <= 60 // 5 + 3, "no text changes more often than it can be read"
        assert at.desk.time.shown is not None
        assert at.clock.now_ns - at.desk.time.shown.view.now_ns < 100 * MS, "the lane moves all the same"
