"""What is made of the knobs for one engine before anything is sent: a request, or why there is none."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from itertools import count

import pytest

from tui.capture.errand import Errand, Memory
from tui.capture.frames import Reply
from tui.capture.orders import FetchOrder
from tui.capture.target import Target
from tui.domain.knobs import Cache, Knobs
from tui.engines.conditions import conditions_of
from tui.engines.found import Found, Model
from tui.engines.registry import names
from tui.engines.urls import normalised

URL = "http://127.0.0.1:9"
WITH_THE_FIELD = {"llama.cpp", "vllm", "nim-vllm", "sglang", "nim-sglang", "trtllm", "tensorrt-llm"}
ON_AND_ON = Knobs(prompt_tokens=128, ignore_eos=True, temperature=0.5, seed=7)


def errand(engine: str, knobs: Knobs) -> Errand:
    """An errand at an engine that answers no question."""
    found = Found(engine=engine, base=normalised(URL), model="m")
    numbers, asked = count(1), list[FetchOrder]()
    made = Errand(knobs, Target(URL), found, None, asked.append, lambda: next(numbers), Memory(), None)
    while asked:
        made.hear(Reply(asked.pop(0).id, 0, (), b"", 0, "refused", "no answer"))
    assert made.done
    return made


def sampling(made: Errand) -> Mapping[str, object]:
    """What the first line of the recording says of it."""
    told = conditions_of(made.order(1, datetime(2026, 1, 1), None).meta)["sampling"]
    assert isinstance(told, dict)
    return told


@pytest.mark.parametrize("engine", [*names(), "nobody-knows"])
def test_what_is_no_standard_field_goes_only_to_engines_that_know_it(engine: str) -> None:
    made = errand(engine, ON_AND_ON)
    order = made.order(1, datetime(2026, 1, 1), None)
    assert ('"ignore_eos": true' in str(order.body)) is (engine in WITH_THE_FIELD)
    assert ("ignore_eos" in sampling(made)) is (engine in WITH_THE_FIELD), "it says what was sent"
    assert ("may be shorter" in made.note) is (engine not in WITH_THE_FIELD)
    assert (sampling(made)["temperature"], sampling(made)["seed"]) == (0.5, 7)


def test_a_service_with_many_models_gets_no_request_before_one_is_named() -> None:
    models = (Model("dear"), Model("cheap"))
    found = Found(engine="openrouter", base=normalised("openrouter.ai"), model="", models=models)
    made = Errand(
        Knobs(), Target("openrouter.ai"), found, None, lambda order: pytest.fail("it asks"), lambda: 1,
        Memory(), None,
    )  # fmt: skip
    assert made.done and "name the one to use with --model" in made.problem


@pytest.mark.parametrize("cache", [Cache.SAME, Cache.TAIL])
def test_a_better_estimate_does_not_make_another_prompt_of_the_same_one(cache: Cache) -> None:
    """The first run at an engine that does not count taught that its tokens are shorter."""
    memory = Memory()
    found = Found(engine="openai", base=normalised(URL), model="m")

    def prompt() -> str:
        made = Errand(
            Knobs(prompt_tokens=300, cache=cache, tail_tokens=64), Target(URL), found, None,
            lambda order: pytest.fail("it asks"), lambda: 1, memory, None,
        )  # fmt: skip
        return str(made.order(1, datetime(2026, 1, 1), None).body)

    first = prompt()
    memory.learn(found.base.root, "m", characters=len(first), tokens=900)
    again = prompt()
    shared = next((at for at, (a, b) in enumerate(zip(first, again, strict=False)) if a != b), len(first))
    assert shared == len(first) if cache is Cache.SAME else shared > 0.6 * len(first)
    assert abs(len(again) - len(first)) < 0.1 * len(first)
