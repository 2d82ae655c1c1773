"""The sentence says what happens, how far it is, and how long it takes."""

import re
from dataclasses import replace
from pathlib import Path

import pytest

from tests.app.scripted import ENGINE, LLAMA, MS, S, opening, reading, whole, writing
from tui.app.enter import Enter
from tui.app.layout import Form
from tui.app.panels.figures import running_figure
from tui.app.panels.header import header
from tui.app.panels.sentence import alone
from tui.app.scene import Engine, Reel, Replay, Scene, Setup
from tui.app.warned import warned
from tui.app.words import say
from tui.domain import events as ev
from tui.domain.events import Dialect, ErrorKind, Event
from tui.domain.knobs import Knobs
from tui.domain.look import look
from tui.domain.phases import Phase
from tui.domain.reduce import reduce
from tui.domain.state import State
from tui.domain.values import Provenance
from tui.domain.view import Clock, Stage, View
from tui.plot.rows import row_width

KNOBS = Knobs(prompt_tokens=1674)
KNOWN = Scene(knobs=KNOBS, engine=Engine("llama.cpp", ENGINE.model, "127.0.0.1:8080"))


def seen(events: list[Event], now_ns: int | None = None) -> View:
    state = State()
    for event in events:
        if now_ns is None or event.at_ns <= now_ns:
            reduce(state, event)
    return look(state, now_ns)


def sentence(scene: Scene) -> str:
    said = say(scene)
    return f"{said.sign} {said.word}: {' · '.join(part for part in said.parts if part)}"


def of(view: View, **changes: object) -> str:
    return sentence(replace(KNOWN, view=view, running=view.running, **changes))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("scene", "said"),
    [
        (KNOWN, "○ Ready: enter sends a prompt of 1,674 tokens"),
        (replace(KNOWN, running=True), "○ Preparing: the request is about to be sent"),
        (
            replace(KNOWN, engine=Engine(), enter=Enter.CHOOSE),
            "○ No engine yet: enter offers the built-in one or an address · e picks one",
        ),
        (Scene(searching=True), "○ Looking for an engine: on this computer's usual ports"),
        (Scene(aiming=True), "○ Reaching the engine: asking what it is · it may still load its model"),
        (
            Scene(problem="Nothing answers at x.", enter=Enter.AGAIN),
            "✖ No engine: Nothing answers at x. · enter tries again, e picks another",
        ),
        (
            Scene(setup=Setup("fetching", "downloading", 12_000_000, 92_900_000)),
            "○ Fetching the model: 12.0 of 92.9 MB · downloading",
        ),
        (Scene(setup=Setup("starting")), "○ Starting the engine: it loads its model"),
        (
            Scene(setup=Setup("failed", why="no room"), enter=Enter.CHOOSE),
            "✖ No engine: no room · enter offers the built-in one or an address",
        ),
        (Scene(replay=Replay("a.jsonl", 1.0, False)), "○ Replay: space plays"),
        (
            replace(KNOWN, running=True, activity="counting the prompt's tokens", run_note="of the last one"),
            "○ Preparing: counting the prompt's tokens",
        ),
    ],
)
def test_before_a_request(scene: Scene, said: str) -> None:
    assert sentence(scene) == said


def test_connecting() -> None:
    assert of(seen([*opening(KNOBS)][:3], 0)) == "○ Connecting: to 127.0.0.1:8080"


def test_waiting_where_the_engine_tells_nothing() -> None:
    view = seen([*opening(KNOBS, Dialect("openai"))], 2 * S)
    assert of(view) == "○ Waiting: sent, nothing has come back yet · the engine does not say why"


def test_reading() -> None:
    view = seen([*opening(KNOBS), *reading(KNOBS, 18 * S)], 8 * S)
    said = of(view, remaining="≈ 10 s to the first token")
    assert said == "● Reading the prompt: 768 of 1,674 tokens · ≈ 10 s to the first token"


def test_writing_and_a_stall_while_it_lasts() -> None:
    events = [*opening(KNOBS), *writing(S, 20, 10 * MS)]
    assert of(seen(events, 1195 * MS)).startswith("● Writing the answer: token 20 of at most 64 · one every")
    stalled = of(seen(events, 1700 * MS))
    assert stalled.startswith("● Stalled: no token for 5")
    assert "after token 20 · usually one every" in stalled


def test_thinking_is_not_called_writing() -> None:
    events = [
        *opening(KNOBS),
        ev.Arrived(S, None, None, False, 1, 1),
        ev.Generated(S, reasoning="hm", count=1),
    ]
    assert say(replace(KNOWN, view=seen(events, S + MS))).word == "Thinking"


def test_messages_are_not_called_tokens() -> None:
    events = [*opening(KNOBS), ev.Arrived(S, None, None, False, 1, 1), ev.Generated(S, answer="a")]
    assert "message 1 of at most 64" in of(seen(events, S + MS))


def test_finished() -> None:
    view = seen(whole(KNOBS, prefill_ns=300 * MS, tokens=40, gap_ns=12 * MS, stall=(21, 400 * MS)))
    assert of(view) == (
        "✔ Finished: 26 % of 1.17 s was reading the prompt · one stall of 413 ms at token 21"
        " · 74 % writing the answer"
    )


@pytest.mark.parametrize("name", ["length", "limit", "max_tokens", "max_output_tokens"])
def test_finished_at_the_limit_says_so(name: str) -> None:
    view = seen(whole(KNOBS, prefill_ns=300 * MS, tokens=64, gap_ns=MS))
    assert "the answer limit ended it" in of(replace(view, finish_reason=name))


def test_finished_without_the_engines_times_tells_the_wait_for_the_first_token() -> None:
    dialect = Dialect("openai")
    events = [*opening(KNOBS, dialect), *writing(S, 5, 250 * MS), ev.Finish(2 * S, "stop"), ev.Done(2 * S)]
    said = of(seen(events))
    assert said.startswith("✔ Finished: 49 % of 2.00 s was waiting for the first token")
    assert said.endswith("51 % writing the answer")
    waited = [*opening(KNOBS, dialect), *writing(S, 5, 9 * MS), ev.Finish(2 * S, "stop"), ev.Done(1100 * MS)]
    assert " was waiting for the first token" in of(seen(waited))


@pytest.mark.parametrize(
    ("longest", "said"),
    [
        ("connect", "connecting"),
        ("load", "loading the model"),
        ("queue", "waiting in the queue"),
        ("tokenize", "splitting the prompt into tokens"),
        ("prefill", "reading the prompt"),
        ("waiting", "waiting for the first token"),
        ("decode", "writing the answer"),
        ("unattributed", "in no phase that the engine tells"),
    ],
)
def test_the_longest_part_is_named_in_the_words_of_the_room(longest: str, said: str) -> None:
    view = seen(whole(KNOBS, prefill_ns=300 * MS, tokens=40, gap_ns=12 * MS))
    other = "decode" if longest == "prefill" else "prefill"
    parts = ((longest, 0, 590 * MS), (other, 590 * MS, 850 * MS), (other, 850 * MS, 1000 * MS))
    phases = tuple(Phase(name, start, end, Provenance.OBSERVED, "") for name, start, end in parts)
    told = of(replace(view, phases=phases, total_ns=S))
    first = f"{59 if longest == 'prefill' else 41} % of 1.00 s was reading the prompt"
    assert told.startswith(f"✔ Finished: {first}")
    assert told.endswith(said) and (f"· 59 % {said}" in told) == (longest != "prefill")
    guessed = tuple(replace(phase, provenance=Provenance.ESTIMATED) for phase in phases)
    assert "≈ 59 % " in of(replace(view, phases=guessed, total_ns=S))


def test_stopped() -> None:
    view = seen([*opening(KNOBS), *writing(S, 3, 10 * MS), ev.Ended(2100 * MS, "cancelled")])
    assert of(view) == "■ Stopped: after 2.10 s · token 3 · some engines go on computing for a while"


def test_incomplete_is_not_called_finished() -> None:
    view = seen([*opening(KNOBS), *writing(S, 3, 10 * MS), ev.Ended(2 * S, "eof")])
    assert of(view).startswith("■ Incomplete: the stream ended without a finish reason")


def test_failed_tells_the_message_without_control_characters() -> None:
    failure = ev.Failed(S, ErrorKind.HTTP_ERROR, "bad\x1b[31m\nreply", 500)
    view = seen([*opening(KNOBS), failure, ev.Ended(S, "eof")])
    said = of(view)
    assert said.startswith("✖ Failed: bad") and "\x1b" not in said and "\n" not in said


def test_paused_says_what_goes_on() -> None:
    view = seen([*opening(KNOBS, LLAMA), *reading(KNOBS, 18 * S)], 8 * S)
    assert of(view, paused=True) == "▌ Paused: reading the prompt, measuring goes on · space goes on"
    over = replace(KNOWN, view=view, running=False, paused=True)
    assert sentence(over) == "▌ Paused: reading the prompt, it is over by now · space goes on"
    assert of(seen(whole(KNOBS)), paused=True) == "▌ Paused: finished · space goes on"


def test_an_answer_limit_that_nobody_told_is_not_invented() -> None:
    events = [
        event for event in [*opening(KNOBS), *writing(S, 20, 10 * MS)] if not isinstance(event, ev.Learned)
    ]
    assert of(seen(events, 1195 * MS)).startswith("● Writing the answer: token 20 · one every")


def test_what_could_not_be_made_of_the_prompt_is_said_of_the_run_itself() -> None:
    note = "The agent's parts are shrunk to 4.3 % of 12,000 tokens."
    told = "the agent's parts are shrunk to 4.3 % of 12,000 tokens"
    assert of(seen([*opening(KNOBS), *reading(KNOBS, 18 * S)], 8 * S), run_note=note).endswith(told)
    assert of(seen([*opening(KNOBS)], 2 * S), run_note=note).endswith(told)
    assert told in of(seen(whole(KNOBS)), run_note=note)


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("buffered_delivery", "delivered in lumps: gaps are not the engine's"),
        ("prompt_truncated_suspected", "the engine probably cut the prompt"),
        ("usage_missing", "the engine told no token count"),
        ("engine_timings_do_not_add_up", "the engine's times do not add up to the wait"),
        ("a_new_one", "as it was told"),
    ],
)
def test_a_warning_is_the_next_part_of_the_sentence(code: str, said: str) -> None:
    view = replace(seen(whole(KNOBS, 300 * MS, 40, 12 * MS)), warnings={code: "as it was told"})
    parts = say(replace(KNOWN, view=view)).parts
    assert parts[0].endswith("was reading the prompt") and parts[1] == said


def test_what_falsifies_most_is_said_first() -> None:
    view = replace(
        View(stage=Stage.FINISHED, complete=True), warnings={"usage_missing": "a", "empty_output": "b"}
    )
    assert say(replace(KNOWN, view=view)).parts[1] == "the engine answered nothing"


def test_every_warning_of_this_program_has_words() -> None:
    codes: set[str] = set()
    for file in ("domain/verdict.py", "domain/look.py", "engines/decoder.py", "engines/openai.py"):
        text = (Path("tui") / file).read_text(encoding="utf-8")
        codes |= set(re.findall(r'warnings(?:\.setdefault\(\s*|\[)"(\w+)"', text))
        codes |= set(re.findall(r'Oddity\([\w.]+, "(\w+)"', text))
    assert len(codes) > 10
    for code in codes:
        assert warned(View(warnings={code: "untold"})) != "untold", code


def test_a_lump_is_not_called_a_stall() -> None:
    view = seen(whole(KNOBS, 300 * MS, 40, 12 * MS, stall=(21, 400 * MS)))
    lumped = replace(view, warnings={"buffered_delivery": "40 of 40 messages came in lumps"})
    assert "stall" in of(view) and "stall" not in of(lumped)


def test_a_full_context_is_not_called_the_answer_limit() -> None:
    view = seen(whole(KNOBS, 300 * MS, 64, MS))
    full = of(replace(view, warnings={"stopped_by_context": "stopped at 64 of 640 tokens: context full?"}))
    assert "the context was full before the answer limit" in full and "limit ended it" not in full


def test_a_reader_that_was_late_is_named_on_the_screen() -> None:
    late = View(stage=Stage.FINISHED, complete=True, clock=Clock("kernel", 50_000, 6 * MS, 7 * MS, 0.0, True))
    assert "this machine read late" in warned(late)
    assert "delivered in lumps" in warned(replace(late, warnings={"buffered_delivery": "x"}))
    assert "read late" in warned(replace(late, warnings={"usage_missing": "x"}))
    assert warned(replace(late, clock=Clock("kernel", 50_000, 60_000, 70_000, 0.0, False))) == ""
    shown = "".join(text for text, _ in header(replace(KNOWN, view=late, run_number=3), 160, Form.LARGE))
    assert shown.rstrip().endswith("run 3 · READ LATE ±6.0 ms")


# -- the smallest screens -----------------------------------------------------------------------------------


@pytest.mark.parametrize("cells", [1, 2, 3, 5, 8, 12, 16, 20, 25, 31, 32, 33, 39])
@pytest.mark.parametrize("rows", [1, 2, 3, 5, 12])
def test_the_smallest_screens_have_a_sentence_without_a_cut(cells: int, rows: int) -> None:
    replay = Replay("", 1, True, reel=Reel(1, 5, "a", "b"))
    scene = replace(KNOWN, view=seen(whole(KNOBS), 3 * S), running=True, replay=replay)
    told = alone(scene, cells, rows)
    assert 0 < len(told) <= rows
    assert all(row_width(row) <= cells for row in told)
    words = [word for row in told for text, _ in row for word in text.split()]
    assert words[0] == "●"
    if cells > 11:  # the longest word, and a sign that something is missing
        figure = " ".join(text for text, _ in running_figure(scene, cells))
        assert "Recorded" in words
        assert set(words) <= set(f"{sentence(scene).replace(':', '')} … {figure}".split())
