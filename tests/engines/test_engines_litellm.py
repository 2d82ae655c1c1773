"""LiteLLM's proxy and `transformers serve`: what they really answered, and no claim beyond it."""

from __future__ import annotations

import pytest

from tests.engines.answering import Server, captured, found, saying
from tests.engines.seen import lengths, records_of, run
from tui.engines.asking import Answer
from tui.engines.detect import Found

PROXY = {
    "/v1/models": captured("own/litellm-models"),
    "/health/liveliness": captured("own/litellm-liveliness"),
    "/model/info": captured("own/litellm-model-info"),
}


def offering(*targets: dict[str, object]) -> dict[str, Answer]:
    """A proxy whose one model stands for these targets."""
    told = [{"model_name": "smol-via-lite", "litellm_params": target} for target in targets]
    return PROXY | {"/model/info": saying({"data": told})}


def test_litellm_is_known_by_its_word_and_its_models_run_here_as_their_addresses_say() -> None:
    told = found(PROXY)
    assert (told.engine, told.model) == ("litellm", "smol-via-lite")
    assert [(model.name, model.remote) for model in told.models] == [
        ("smol-via-lite", False),
        ("broken", False),
    ]
    assert found({"/v1/models": PROXY["/v1/models"]}).engine == "openai", "its models alone say nothing"


def test_litellm_is_not_asked_for_its_prices_where_nobody_chose_it_and_no_model_is_listed() -> None:
    server = Server({"/health/liveliness": PROXY["/health/liveliness"]})
    assert not isinstance(server.look(chosen=False), Found)
    assert "/health/liveliness" not in server.asked


@pytest.mark.parametrize(
    ("targets", "here"),
    [
        ([{"model": "ollama/llama3"}], True),
        ([{"model": "ollama/llama3", "api_base": "http://localhost:11434"}], True),
        ([{"model": "hosted_vllm/m", "api_base": "http://192.168.1.9:8000/v1"}], True),
        ([{"model": "hosted_vllm/m", "api_base": "http://[::1]:8000/v1"}], True),
        ([{"model": "openai/gpt-4o"}], False),
        ([{"model": "ollama/llama3", "api_base": "https://ollama.example.com"}], False),
        ([{"model": "openai/m", "api_base": "http://8.8.8.8:1"}], False),
        ([{"model": "openai/m", "api_base": "http://[::1"}], False),
        ([{"model": "openai/m", "api_base": "http://127.0.0.1:1"}, {"model": "openai/gpt-4o"}], False),
        ([], False),
    ],
)
def test_a_model_that_may_cost_money_is_not_taken_before_it_is_named(
    targets: list[dict[str, object]], here: bool
) -> None:
    told = found(offering(*targets))
    assert told.model == ("smol-via-lite" if here else "")
    assert found(offering(*targets), model="smol-via-lite").model == "smol-via-lite"
    assert here or "name the one to use" in told.unnamed


def test_litellm_drops_what_the_engine_behind_it_tells_so_all_is_one_wait() -> None:
    view, _ = run(records_of("own/litellm-short"))
    assert (view.tokens, view.prompt_tokens, view.cached_tokens, view.chunks) == (6, 30, 0, 6)
    assert lengths(view)["waiting"] == pytest.approx(1036.3, abs=0.1)
    assert lengths(view)["decode"] == pytest.approx(124.8, abs=0.1)
    assert "prefill" not in lengths(view) and "queue" not in lengths(view)


def test_transformers_sends_its_head_and_an_empty_message_long_before_the_first_token() -> None:
    """It tells no `[DONE]`: its finish reason is the end."""
    view, _ = run(records_of("own/transformers-one-token"))
    assert (view.tokens, view.prompt_tokens, view.cached_tokens) == (1, 37, None)
    assert lengths(view)["waiting"] == pytest.approx(4013.7, abs=0.1)
    assert "decode" not in lengths(view)
    assert view.complete and view.finish_reason == "length"
