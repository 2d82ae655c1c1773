"""A llama.cpp server that sleeps: its load is shown as a load, and nothing wakes it unseen."""

import json

import pytest

from tests.engines.answering import drive
from tests.engines.seen import how, lengths, records_of, run
from tui.domain.wire import Poll
from tui.engines.asking import Answer, Ask
from tui.engines.base import Turn
from tui.engines.llama_sleep import PROPS, counted_awake, probed_awake
from tui.engines.registry import adapter
from tui.engines.tokenize_probe import INPUT_TOKENS

WOKEN = "llamacpp/21c-wake-up"


def props(at_ns: int, asleep: object) -> Poll:
    return Poll(at_ns, PROPS, 200, json.dumps({"is_sleeping": asleep}).encode())


def test_the_wait_of_a_woken_server_is_its_load() -> None:
    view, _ = run(records_of(WOKEN, [props(-500_000, True)]))
    assert lengths(view)["load"] == pytest.approx(806.5, abs=2)
    assert how(view)["load"] == "estimated", "tokenization lies in it too"
    assert lengths(view)["prefill"] == pytest.approx(341, abs=1)
    assert not {"queue", "tokenize", "waiting"} & set(lengths(view))


@pytest.mark.parametrize("polls", [[props(-500_000, False)], [props(-500_000, None)], [props(5, True)], []])
def test_without_that_knowledge_there_is_no_load(polls: list[Poll]) -> None:
    view, _ = run(records_of(WOKEN, polls))
    assert "load" not in lengths(view)


def test_a_real_run_against_a_sleeping_server() -> None:
    view, _ = run(records_of("own/llamacpp-asleep"))
    assert lengths(view)["load"] == pytest.approx(734.6, abs=0.5)
    assert view.complete and view.phase("queue") is None


def test_it_is_looked_at_just_before_and_only_one_word_is_kept() -> None:
    (look,) = adapter("llama.cpp").looks
    assert (look.path, look.when, look.keep) == ("/props", "before", ("is_sleeping",))


@pytest.mark.parametrize("asleep", [True, False])
def test_nothing_that_wakes_it_is_asked_while_it_sleeps(asleep: bool) -> None:
    asked: list[str] = []

    def answer(ask: Ask) -> Answer:
        asked.append(ask.path)
        told = {"is_sleeping": asleep} if ask.path == PROPS else {"input_tokens": 7}
        return Answer(200, {}, json.dumps(told).encode(), took_ns=5)

    prompt = [Turn("user", "u")]
    assert drive(counted_awake("m", [prompt]), answer) == (None if asleep else [7])
    assert (drive(probed_awake({}), answer) is None) is asleep
    assert (INPUT_TOKENS in asked) is not asleep
