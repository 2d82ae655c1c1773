"""The monitor and the engine behind it: what fits its context, what enter does without one, what is kept."""

from dataclasses import replace

import pytest

from tests.app.conftest import Watch
from tests.app.scripted import ENGINE, S, ScriptedBuiltIn, ScriptedProcess, ScriptedSession, whole
from tui.app.enter import Enter, enter_does
from tui.app.pages import use
from tui.app.screens.choices import UseBuiltIn, UseUrl
from tui.capture.target import Target
from tui.domain.knobs import Knobs

DEAD = Target("http://127.0.0.1:9")


async def test_what_the_context_cannot_hold_is_not_sent_and_that_is_said_once(
    watch: Watch, session: ScriptedSession
) -> None:
    session.found = None
    async with watch(knobs=Knobs(prompt_tokens=20480)) as at:
        assert at.desk.pump.knobs.prompt_tokens == 20480, "nothing is known yet"
        session.found = ENGINE
        await at.frame()
        at.desk._tick()
        await at.frame()
        assert at.rows[-1] == " the context holds 8,192 tokens: prompt 8,128 and answer 64 tokens are sent"
        await at.press("enter")
        assert [(knobs.prompt_tokens, knobs.answer_limit) for knobs in session.sent] == [(8128, 64)]
        at.desk._unsay(at.desk.footer.said)
        at.desk._tick()
        await at.frame()
        assert at.rows[-1].startswith(" esc stop")


async def test_a_smaller_context_of_another_engine_counts_too(watch: Watch, session: ScriptedSession) -> None:
    async with watch(knobs=Knobs(prompt_tokens=4096)) as at:
        session.found = replace(ENGINE, context=2048)
        await at.frame()
        assert at.desk.pump.knobs.prompt_tokens == 1984


async def test_an_answer_limit_that_was_typed_is_held_inside_the_context(watch: Watch) -> None:
    async with watch() as at:
        at.desk.pump.turn(Knobs(answer_limit=100_000))
        assert at.desk.pump.knobs == Knobs(answer_limit=4096)


async def test_a_context_that_is_cut_does_not_send_in_auto_mode(
    watch: Watch, session: ScriptedSession
) -> None:
    async with watch(knobs=Knobs(prompt_tokens=20480, auto=True)) as at:
        await at.frame()
        assert not session.sent


async def test_enter_asks_the_engine_that_was_named_again(watch: Watch, session: ScriptedSession) -> None:
    session.found, session.discovered = None, None
    session.target, session.problem = DEAD, "nothing answers at 127.0.0.1:9 (connection refused)"
    async with watch() as at:
        assert at.rows[2] == f" ✖ No engine  {session.problem} · enter tries again, e picks another"
        assert at.rows[-1].startswith(" enter try again")
        await at.press("enter")
        assert session.targets == [DEAD]
        assert session.embedded == 0
        session.aiming = True
        at.desk.pump.touch()
        await at.frame()
        assert "enter" not in at.rows[-1]
        await at.press("enter")
        assert len(session.targets) == 1


async def test_enter_shows_the_engines_that_do_answer(watch: Watch, session: ScriptedSession) -> None:
    session.found, session.discovered = None, (ENGINE,)
    session.problem = "no vllm answers on the usual local ports"
    async with watch() as at:
        await at.press("enter")
        assert "engine and model" in at.text
        assert session.embedded == 0


@pytest.mark.parametrize(
    ("changes", "does"),
    [
        ({}, Enter.SEND),
        ({"found": None, "discovered": None}, Enter.NOTHING),
        ({"found": None, "aiming": True, "target": DEAD}, Enter.NOTHING),
        ({"found": None, "builtin": ScriptedBuiltIn("fetching")}, Enter.NOTHING),
        ({"found": None, "builtin": ScriptedBuiltIn("failed"), "target": DEAD}, Enter.CHOOSE),
        ({"found": None, "target": DEAD}, Enter.AGAIN),
        ({"found": None, "target": DEAD, "lost": True}, Enter.NOTHING),
        ({"found": None, "discovered": ()}, Enter.CHOOSE),
    ],
)
def test_what_enter_does(session: ScriptedSession, changes: dict[str, object], does: Enter) -> None:
    for name, value in changes.items():
        setattr(session, name, value)
    assert enter_does(session) is does


def test_the_same_address_keeps_what_was_set_for_it(session: ScriptedSession) -> None:
    session.target = Target("http://127.0.0.1:8080/v1", "secret", "one", "ca.pem", True, "KEY")
    assert use(session, UseUrl("http://127.0.0.1:8080", "two")) == ""
    assert use(session, UseUrl("http://127.0.0.1:8081", "two")) == ""
    assert session.targets == [
        Target("http://127.0.0.1:8080", "secret", "two", "ca.pem", True, "KEY"),
        Target("http://127.0.0.1:8081", model="two"),
    ]


def test_a_key_that_cannot_be_sent_is_refused_in_one_line(session: ScriptedSession) -> None:
    environ = {"GOOD": " word ", "BAD": "two\nlines"}
    assert use(session, UseUrl("http://127.0.0.1:8080", "", "GOOD"), environ) == ""
    assert session.targets == [Target("http://127.0.0.1:8080", "word", key_variable="GOOD")]
    for name in ("BAD", "NONE"):
        why = use(session, UseUrl("http://127.0.0.1:8080", "", name), environ)
        assert why and "\n" not in why and "two" not in why
    assert len(session.targets) == 1
    assert use(session, UseBuiltIn()) == use(session, None) == ""
    assert session.embedded == 1


async def test_sending_ends_the_pause(watch: Watch, session: ScriptedSession) -> None:
    async with watch(knobs=Knobs(auto=True)) as at:
        await at.press("space")
        assert "Paused" in at.text
        await at.press("right")
        assert session.sent and "Paused" not in at.text


async def test_the_process_of_the_built_in_engine_is_called_so(
    watch: Watch, session: ScriptedSession
) -> None:
    session.script = lambda knobs: whole(knobs, prefill_ns=S)
    async with watch() as at:
        await at.press("enter")
        await at.wait(0.5)
        assert "server llama-server 327 MiB" in at.text
        session.builtin = ScriptedBuiltIn("ready", engine=ScriptedProcess(7))
        await at.wait(0.5)
        assert "server built-in engine 327 MiB" in at.text
