"""Knobs never offer what the context cannot hold."""

from hypothesis import given
from hypothesis import strategies as st

from tui.domain.knobs import (
    ANSWERS,
    Cache,
    Knobs,
    Profile,
    exact_prompt,
    fitted,
    next_cache,
    next_profile,
    steps,
    turn_answer,
    turn_prompt,
)


def test_the_ladder_ends_at_the_context() -> None:
    assert [n for n, ok in steps(Knobs(), 8192) if ok] == [128, 256, 512, 1024, 2048, 4096]
    assert [n for n, ok in steps(Knobs(), 8192) if not ok] == [8192]
    assert steps(Knobs(), None)[-1] == (32768, True)


def test_an_exact_number_is_one_more_step() -> None:
    knobs = exact_prompt(Knobs(), 3072, 8192)
    assert (3072, True) in steps(knobs, 8192)
    assert turn_prompt(knobs, 1, 8192).prompt_tokens == 4096
    assert turn_prompt(knobs, -1, 8192).prompt_tokens == 2048


@given(
    st.integers(64, 200_000), st.integers(1, 300_000), st.sampled_from(ANSWERS),
    st.lists(st.sampled_from(["right", "left", "up", "down", "fine", "coarse"]), max_size=12),
)  # fmt: skip
def test_no_turn_leaves_the_context(context: int, tokens: int, answer: int, turns: list[str]) -> None:
    knobs = fitted(Knobs(prompt_tokens=tokens, answer_limit=answer), context)
    for turn in turns:
        match turn:
            case "right" | "left":
                knobs = turn_prompt(knobs, 1 if turn == "right" else -1, context)
            case "up" | "down":
                knobs = turn_answer(knobs, 1 if turn == "up" else -1, context)
            case _:
                knobs = exact_prompt(knobs, knobs.prompt_tokens + (64 if turn == "fine" else -64), context)
        assert knobs.prompt_tokens >= 1
        assert knobs.prompt_tokens + knobs.answer_limit <= context


def test_modes_go_round() -> None:
    knobs = Knobs()
    assert [(knobs := next_cache(knobs)).cache for _ in range(3)] == [Cache.SAME, Cache.TAIL, Cache.COLD]
    assert [(knobs := next_profile(knobs)).profile for _ in range(2)] == [Profile.AGENT, Profile.PLAIN]
    own = Knobs(own_text="hello")
    assert [(own := next_profile(own)).profile for _ in range(3)] == [
        Profile.AGENT,
        Profile.OWN,
        Profile.PLAIN,
    ]
