"""Who answers like another engine is not taken for it."""

from __future__ import annotations

import pytest

from tests.engines.answering import BUSY_PATHS, OLLAMA, Server, captured, found, models, owned, saying
from tui.engines.asking import Answer
from tui.engines.detect import Found, Nothing

LIKE_OLLAMA = {key: OLLAMA[key] for key in ("/api/version", "/", "/api/tags", "/api/ps")}


@pytest.mark.parametrize(
    ("own", "engine"),
    [
        ({"/v1/models": captured("sglang-authored/06-models")}, "sglang"),
        ({"/v1/models": models({"id": "m"}), "/": captured("sglang-authored/07-root")}, "sglang"),
        (
            {
                "/v1/models": models({"id": "koboldcpp/m", "owned_by": "library"}),
                "/api/extra/version": saying({"result": "KoboldCpp", "version": "1.76"}),
                "/api/version": saying({"version": "x"}),
            },
            "koboldcpp",
        ),
        (
            {
                "/v1/models": owned("lemonade"),
                "/v1/health": saying({"status": "ok", "version": "11", "all_models_loaded": []}),
            },
            "lemonade",
        ),
        (
            {"/v1/models": owned("lemonade"), "/v1/health": saying({"status": "ok", "model_loaded": "m"})},
            "lemonade",
        ),
        (
            {"/v1/models": captured("llamacpp/00-v1-models"), "/props": captured("llamacpp/00-props")},
            "llama.cpp",
        ),
    ],
)
def test_who_answers_like_ollama_is_not_ollama(own: dict[str, Answer], engine: str) -> None:
    for chosen in (True, False):
        assert found(LIKE_OLLAMA | own, chosen=chosen).engine == engine


def test_exo_below_its_emulation_is_not_ollama() -> None:
    told = Server({"/": OLLAMA["/"], "/api/version": saying({"version": "exo v1.0"})}).look()
    assert isinstance(told, Nothing)


def test_half_of_ollama_is_not_ollama() -> None:
    listed = {"/v1/models": models({"id": "m", "owned_by": "library"})}
    assert found(listed | {"/api/version": OLLAMA["/api/version"]}).engine == "openai"
    assert found(listed | {"/": OLLAMA["/"]}).engine == "openai"


def test_mistralrs_on_the_port_of_lmstudio() -> None:
    listed = models({"id": "m", "status": "loaded", "owned_by": "local"})
    assert found({"/v1/models": listed}).engine == "mistralrs"


@pytest.mark.parametrize("refused", [401, 403])
def test_an_engine_that_nobody_knows_and_that_wants_a_key(refused: int) -> None:
    server = Server({}, saying({"error": "Unauthorized"}, refused))
    told = server.look()
    assert isinstance(told, Found) and told.engine == "openai" and told.auth_needed
    assert not set(server.asked) & set(BUSY_PATHS), "asking for its health makes SGLang write a token"
