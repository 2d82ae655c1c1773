"""An engine is known by what it says, not by its port or a status."""

from __future__ import annotations

import pytest

from tests.engines.answering import BASE, Server, found, models, owned, saying
from tui.engines.asking import Answer
from tui.engines.detect import Found, Nothing
from tui.engines.urls import normalised


def test_a_status_of_200_is_no_evidence() -> None:
    trap = Answer(200, {}, b'{"error":"Unexpected endpoint or method. (GET /props)"}')
    page = Answer(200, {}, b"<html>")
    for else_ in (trap, page):
        assert isinstance(Server({}, else_).look(), Nothing)


@pytest.mark.parametrize("stranger", [Answer(200, {}, b"<html>"), Answer(404, {}, b"{}"), Answer(503)])
def test_a_stranger_on_a_usual_port_is_asked_once(stranger: Answer) -> None:
    server = Server({}, stranger)
    assert isinstance(server.look(chosen=False), Nothing)
    assert server.asked == ["/v1/models"]


def test_an_engine_without_a_model_is_no_stranger() -> None:
    nothing = Server({"/v1/models": saying({"object": "list", "data": []})}, Answer(404, {}, b"{}")).look()
    assert isinstance(nothing, Nothing) and nothing.reason.endswith("lists no models. Load one there first.")


def test_nobody_there() -> None:
    silent = Answer(0, error="connection refused")
    nothing = Server({}, silent).look()
    assert isinstance(nothing, Nothing) and not nothing.slow
    assert BASE.root in nothing.reason and "connection refused" in nothing.reason


def test_somebody_who_says_nothing() -> None:
    nothing = Server({}, Answer(0, error="no whole answer in time", error_kind="timeout")).look()
    assert isinstance(nothing, Nothing) and nothing.slow
    assert "something is there" in nothing.reason
    away = Server({}, Answer(0, error="no connection to h:1 in time", error_kind="timeout")).look()
    assert isinstance(away, Nothing) and "Is the server running?" in away.reason


@pytest.mark.parametrize("hostile", [b"[" * 100_000, b"\xff\xfe", b'{"data":[{"id":7},null,[]]}', b'"x"'])
def test_what_is_no_sense_is_no_engine(hostile: bytes) -> None:
    assert isinstance(Server({}, Answer(200, {}, hostile)).look(), Nothing)


# -- models -------------------------------------------------------------------------------------------------


def test_the_wanted_model_is_kept() -> None:
    told = found({"/v1/models": models({"id": "a"}, {"id": "b", "max_model_len": 9})}, model="b")
    assert (told.model, [model.name for model in told.models], told.context) == ("b", ["a", "b"], 9)
    assert found({"/v1/models": models({"id": "a"})}, model="new").model == "new"


def test_a_model_that_must_be_sent_as_a_path_is_shown_without_it() -> None:
    told = found({"/v1/models": owned("vllm", id="/home/someone/m")})
    assert (told.model, told.shown, told.conditions["model"]) == ("/home/someone/m", "m", "m")


# -- hosted services ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("url", "engine", "root"),
    [
        ("api.groq.com", "groq", "https://api.groq.com/openai"),
        ("https://api.groq.com/openai/v1", "groq", "https://api.groq.com/openai"),
        ("http://api.cerebras.ai/v1", "cerebras", "https://api.cerebras.ai"),
        ("https://api.fireworks.ai/inference/v1", "fireworks", "https://api.fireworks.ai/inference"),
        ("https://openrouter.ai/api/v1/chat/completions", "openrouter", "https://openrouter.ai/api"),
        ("api.deepseek.com", "deepseek", "https://api.deepseek.com"),
        ("https://api.together.xyz/v1", "together", "https://api.together.xyz"),
    ],
)
def test_a_hosted_service_is_known_by_its_host_and_asked_for_its_models_only(
    url: str, engine: str, root: str
) -> None:
    base = normalised(url)
    assert base.root == root
    server = Server({"/v1/models": saying([{"id": "m", "context_length": 32768}])})
    told = server.look(base=base)
    assert isinstance(told, Found) and told.gateway
    assert (told.engine, told.model, told.context, server.asked) == (engine, "m", 32768, ["/v1/models"])


def test_a_hosted_service_without_a_key() -> None:
    told = Server({}, saying({"error": "no key"}, 401)).look(base=normalised("api.groq.com"))
    assert isinstance(told, Found) and told.auth_needed and told.engine == "groq"


MANY = [{"id": "dear"}, {"id": "cheap"}]


@pytest.mark.parametrize("url", ["openrouter.ai", "https://gateway.example/v1"])
def test_far_away_nobody_takes_the_first_of_many_models(url: str) -> None:
    told = Server({"/v1/models": saying(MANY)}).look(base=normalised(url))
    assert isinstance(told, Found) and told.model == "" and len(told.models) == 2
    assert "2 models;" in told.unnamed and "--model" in told.unnamed
    named = Server({"/v1/models": saying(MANY)}).look("cheap", base=normalised(url))
    assert isinstance(named, Found) and (named.model, named.unnamed) == ("cheap", "")


def test_an_engine_nearby_or_with_one_model_needs_no_name() -> None:
    here = Server({"/v1/models": models(*MANY)}).look()
    single = Server({"/v1/models": saying(MANY[:1])}).look(base=normalised("openrouter.ai"))
    for told in (here, single):
        assert isinstance(told, Found) and (told.model, told.unnamed) == ("dear", "")


def test_a_redirect_names_its_target_without_its_secrets() -> None:
    moved = Answer(308, {"location": "https://me:pass@gate.example/v1/models?token=abc123\nx"})
    nothing = Server({}, moved).look()
    assert isinstance(nothing, Nothing)
    assert "redirects to https://gate.example/v1/models" in nothing.reason
    assert not any(one in nothing.reason for one in ("abc123", "pass", "\n"))


def test_an_engine_that_lists_all_it_can_load_and_lists_nothing_cannot_be_asked() -> None:
    ollama = {
        "/v1/models": owned("library"),
        "/": Answer(200, {}, b"Ollama is running"),
        "/api/version": saying({"version": "0.33.5"}),
        "/api/tags": saying({"models": []}),
    }
    assert "no model that writes text" in found(ollama).unnamed
    assert found(ollama, "wanted", chosen=False).unnamed == ""
