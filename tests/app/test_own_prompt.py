"""An own prompt has the length it has: nothing on the screen takes it for one that was asked for."""

from dataclasses import replace

import pytest

from tests.app.conftest import Watch
from tests.app.scripted import MS, ScriptedSession, whole
from tui.capture.target import label_of
from tui.domain import events as ev
from tui.domain.knobs import Knobs, Profile
from tui.domain.view import View

OWN = Knobs(profile=Profile.OWN, own_text="Why is the sky blue?")
MEASURED = 46


def short(knobs: Knobs) -> list[ev.Event]:
    return whole(replace(knobs, prompt_tokens=MEASURED), prefill_ns=390 * MS, tokens=12, gap_ns=9 * MS)


@pytest.mark.parametrize("size", [(120, 36), (80, 24)])
async def test_an_own_prompt_is_announced_and_filed_under_no_length(
    watch: Watch, session: ScriptedSession, size: tuple[int, int]
) -> None:
    session.script = short
    async with watch(size, OWN) as at:
        assert "enter sends your own prompt" in at.text
        assert "own prompt" in at.rows[-3] and "512" not in at.rows[-3] and "← → prompt" not in at.rows[-1]
        await at.press("right", "right", "shift+right")
        assert at.desk.pump.knobs == OWN, "it can't be turned longer"
        await at.press("enter")
        assert "…" not in at.rows[-2]
        await at.wait(1)
        assert "Finished" in at.text and f"{MEASURED} tok" in at.text
        await at.press("n")
        assert "own length" in at.rows[-1] and at.desk.is_current
        await at.press("6")
        assert "own prompt" in at.text and "2k" not in at.text
        await at.press("6", "p")
        assert at.desk.pump.knobs.profile is Profile.PLAIN
        assert "[  512  ]" in at.text or " 512 " in at.rows[-3]
        assert "0.39" not in at.rows[-2]
    assert not session.shelf.ttft_s


async def test_while_an_own_prompt_is_read_no_length_is(watch: Watch, session: ScriptedSession) -> None:
    session.script = short
    async with watch((120, 36), OWN) as at:
        await at.press("enter", "p")
        assert at.desk.pump.scene.running and "512" in at.rows[-3] and "…" not in at.rows[-2]


@pytest.mark.parametrize(
    ("measured", "kept"), [(None, True), (512, True), (384, True), (640, True), (383, False), (641, False)]
)
def test_a_result_is_filed_under_a_length_that_it_nearly_has(
    session: ScriptedSession, measured: int | None, kept: bool
) -> None:
    session.script = lambda knobs: whole(knobs, prefill_ns=MS, tokens=3, gap_ns=MS)
    session.send(Knobs())
    session.clock.now_ns = 10**9  # type: ignore[attr-defined]
    session.drain()
    view: View = replace(session.view(), prompt_tokens=measured)
    session.shelf.ttft_s.clear()
    session.shelf.learn(view, Knobs())
    assert bool(session.shelf.ttft_s) == kept


def test_an_own_prompt_that_failed_is_no_failure_of_a_length(session: ScriptedSession) -> None:
    session.script = lambda knobs: [
        ev.Began(0, ev.Dialect("openai")),
        ev.SentAll(1),
        ev.Failed(2, next(iter(ev.ErrorKind)), "no"),
    ]
    for knobs in (OWN, Knobs()):
        session.send(knobs)
        session.clock.now_ns += MS  # type: ignore[attr-defined]
        session.drain()
        session.shelf.learn(session.view(), knobs)
        assert bool(session.shelf.failed) is not knobs.own


def test_a_run_of_an_own_prompt_is_called_so() -> None:
    assert label_of(3, OWN) == "run 3 · own prompt · cold"
    assert label_of(3, Knobs()) == "run 3 · 512 · cold"
