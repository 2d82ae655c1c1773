"""Prompts have the asked length, their parts, and what a cache mode promises."""

import re
from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from typing import Any

import pytest

from tests.engines.answering import drive
from tui.engines import corpus
from tui.engines.asking import Answer, Ask
from tui.engines.base import Turn
from tui.engines.prompts import AGENT, Wish, turns_of
from tui.engines.sizing import Sized, size
from tui.engines.token_count import Estimate, counted
from tui.engines.tokenize_probe import INPUT_TOKENS, probe

TOKEN = re.compile(r"\s?\w{1,7}|\s?[^\w\s]|\n+")
PER_TURN = 5


def tokens_of(turns: list[dict[str, str]]) -> list[str]:
    """A tokenizer with a template: what a chat becomes, the opening of the answer included."""
    tokens: list[str] = []
    for turn in turns:
        tokens += ["<s>", turn["role"], "\n", *TOKEN.findall(turn["content"]), "</s>"]
    return [*tokens, "<s>", "assistant", "\n"]


def told(**fields: object) -> Answer:
    import json

    return Answer(200, {}, json.dumps(fields).encode())


def new_build(ask: Ask) -> Answer:
    body: Any = ask.body
    return told(input_tokens=len(tokens_of(body["messages"]))) if ask.path == INPUT_TOKENS else Answer(404)


def old_build(ask: Ask) -> Answer:
    body: Any = ask.body
    if ask.path == "/apply-template":
        return told(prompt="\x00".join(tokens_of(body["messages"])))
    if ask.path == "/tokenize":
        return told(tokens=body["content"].split("\x00"))
    return Answer(404, {}, b'{"error":{"message":"File Not Found"}}')


def real(sized: Sized) -> int:
    return len(tokens_of([{"role": turn.role, "content": turn.content} for turn in sized.turns]))


def sized(wish: Wish, answer: Callable[[Ask], Answer] = new_build) -> Sized:
    return drive(size(wish, "m", counter=counted), answer)


@pytest.mark.parametrize("answer", [new_build, old_build])
@pytest.mark.parametrize("profile", ["plain", "agent"])
@pytest.mark.parametrize("tokens", [64, 128, 512, 2_000, 20_500])
def test_the_length_is_what_was_asked(profile: Any, tokens: int, answer: Callable[[Ask], Answer]) -> None:
    prompt = sized(Wish(profile, tokens), answer)
    assert prompt.exact and prompt.tokens == real(prompt)
    assert abs(prompt.tokens - tokens) <= max(2, tokens // 100)


def test_it_takes_few_questions() -> None:
    asked: list[Ask] = []
    sized(Wish("plain", 2_000), lambda ask: asked.append(ask) or new_build(ask))  # type: ignore[func-returns-value]
    assert len(asked) <= 12


def test_less_than_the_template_is_told() -> None:
    prompt = sized(Wish("plain", 3))
    assert prompt.tokens == real(prompt) > 3
    assert str(prompt.tokens) in prompt.note


def test_the_agents_parts_shrink_in_proportion() -> None:
    prompt = sized(Wish("agent", 4_100))
    assert "20 %" in prompt.note
    for part, kind in zip(prompt.parts, AGENT, strict=True):
        assert part.name == kind.name
        assert abs(part.tokens - kind.share / 5) < 0.1 * kind.share / 5 + 25
    assert {turn.role for turn in prompt.turns} == {"system", "user", "assistant"}
    assert prompt.turns[-1].role == "user"
    assert sized(Wish("agent", 20_500)).note == ""


def test_roles_alternate_behind_the_system_turn() -> None:
    roles = [turn.role for turn in sized(Wish("agent", 20_500)).turns[1:]]
    assert roles[0] == "user" and all(a != b for a, b in pairwise(roles))


def test_own_text_is_sent_as_it_is() -> None:
    prompt = sized(Wish("own", None, own_text="[b]x\n\n"))
    assert prompt.turns == (Turn("user", "[b]x\n\n"),)
    assert prompt.tokens == real(prompt)


@pytest.mark.parametrize("tail", [64, 256])
@pytest.mark.parametrize("profile", ["plain", "agent"])
def test_another_nonce_makes_a_new_tail_of_the_same_length(profile: Any, tail: int) -> None:
    wish = Wish(profile, 1_000, cache="tail", tail=tail, nonce="one")
    first = sized(wish)
    second = replace(first, turns=turns_of(replace(wish, nonce="two"), first.sizes, brief=first.brief))
    a, b = ([{"role": t.role, "content": t.content} for t in prompt.turns] for prompt in (first, second))
    same = next(i for i, (x, y) in enumerate(zip(tokens_of(a), tokens_of(b), strict=False)) if x != y)
    assert abs(real(second) - real(first)) <= 10
    assert abs(real(first) - same - tail) <= 8


def test_the_same_prompt_knows_no_nonce() -> None:
    wish = Wish("plain", 400, cache="same", nonce="one")
    assert sized(wish).turns == sized(replace(wish, nonce="two")).turns


def test_a_cold_prompt_with_a_nonce_begins_anew() -> None:
    wish = Wish("plain", 400, nonce="one")
    first, second = sized(wish), sized(replace(wish, nonce="two"))
    assert first.turns[0].role == "system" and first.turns[0] != second.turns[0]
    assert sized(replace(wish, nonce="")).turns[0].role == "user"
    assert turns_of(wish, first.sizes) == first.turns


def test_without_a_counter_the_length_is_an_estimate() -> None:
    estimate = Estimate(chars_per_token=4.0, template_tokens=20)
    prompt = drive(size(Wish("plain", 1_000), "m", counter=None, estimate=estimate), new_build)
    assert not prompt.exact
    assert abs(len(prompt.turns[0].content) / 4.0 + 20 - 1_000) <= 2


def test_a_counter_that_fails_leaves_an_estimate() -> None:
    assert not sized(Wish("plain", 300), lambda ask: Answer(500)).exact


@pytest.mark.parametrize(
    "item", [corpus.story, corpus.exchange, corpus.memory, corpus.code, corpus.tool, corpus.instruction]
)
def test_the_corpus_does_not_repeat_itself(item: corpus.Item) -> None:
    assert len({item(number) for number in range(500)}) == 500
    assert item(7) == item(7)
    longer, shorter = corpus.pieces(item, 90), corpus.pieces(item, 40)
    assert longer.startswith(shorter) and len(longer.split()) == 90


def answers(*took_ns: int) -> Callable[[Ask], Answer]:
    left = list(took_ns)

    def answer(ask: Ask) -> Answer:
        body = b'{"input_tokens":34}' if ask.path == INPUT_TOKENS else b'{"status":"ok"}'
        return Answer(200, {}, body, left.pop(0))

    return answer


def test_the_probe_takes_the_least_of_each() -> None:
    assert drive(probe({"messages": []}), answers(50, 900, 40, 700, 60, 800)) == {
        "took_ns": 700,
        "base_ns": 40,
        "tokens": 34,
    }


def test_the_probe_gives_up_where_nobody_counts() -> None:
    assert drive(probe({}), lambda ask: Answer(404)) is None
    assert drive(probe({}), old_build) is None
