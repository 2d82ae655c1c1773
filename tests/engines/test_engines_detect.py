"""An engine is known by what it says, not by its port or a status."""

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from tui.capture.recording import read
from tui.domain.wire import Read
from tui.engines.asking import Answer, Ask, drive
from tui.engines.detect import Found, Nothing, detect
from tui.engines.urls import Base

BASE = Base("http://127.0.0.1:8080")
CAPTURES = Path(__file__).parents[1] / "data" / "captures" / "llamacpp"
NOT_FOUND = Answer(404, {}, b'{"detail":"Not Found"}')


def captured(name: str) -> Answer:
    recording = read(CAPTURES / f"{name}.jsonl")
    fields = recording.meta.fields
    headers = {name.lower(): value for name, value in fields["response_headers"]}  # type: ignore[attr-defined]
    body = b"".join(record.data for record in recording.records if isinstance(record, Read))
    return Answer(int(str(fields["status"])), headers, body)


def found(answers: Mapping[str, Answer], model: str = "") -> Found | Nothing:
    def answer(ask: Ask) -> Answer:
        assert ask.method == "GET"
        return answers.get(ask.path, NOT_FOUND)

    return drive(detect(BASE, model), answer)


def models(*entries: dict[str, object], server: str = "") -> Answer:
    return Answer(200, {"server": server}, json.dumps({"object": "list", "data": entries}).encode())


def test_llamacpp() -> None:
    props, listed, health = captured("00-props"), captured("00-v1-models"), captured("00-health")
    engine = found({"/props": props, "/v1/models": listed, "/health": health})
    assert engine == Found(
        "llama.cpp",
        BASE,
        "SmolLM2-135M-Instruct",
        ("SmolLM2-135M-Instruct",),
        {
            "engine": "llama.cpp",
            "model": "SmolLM2-135M-Instruct",
            "file": "SmolLM2-135M-Instruct.Q4_1.gguf",
            "quantization": "Q4_1",
            "parameters": 134_515_008,
            "model_bytes": 96_576_768,
            "context_length": 8192,
            "slots": 1,
        },
        has_tokenizer=True,
        slots=1,
        context=8192,
    )


def test_no_folder_is_told() -> None:
    path = "/home/someone/models/a.gguf"
    props = {"build_info": "b9000-abc", "default_generation_settings": {"n_ctx": 4096}, "model_path": path}
    answers = {"/props": Answer(200, {}, json.dumps(props).encode()), "/v1/models": models({"id": path})}
    engine = found(answers)
    assert isinstance(engine, Found) and "someone" not in str(engine)
    assert (engine.model, engine.conditions["engine_version"], engine.context) == (
        "a.gguf",
        "b9000-abc",
        4096,
    )


def test_llamacpp_while_it_loads() -> None:
    loading = captured("15c-models-while-loading")
    engine = found({"/props": loading, "/v1/models": loading, "/health": captured("15-health-while-loading")})
    assert isinstance(engine, Found) and engine.engine == "llama.cpp" and engine.loading


def test_llamacpp_that_wants_a_key() -> None:
    refused = captured("06o3-models-needs-key")
    engine = found({"/props": refused, "/v1/models": refused, "/health": captured("06o-health-is-public")})
    assert (
        isinstance(engine, Found)
        and engine.engine == "llama.cpp"
        and engine.auth_needed
        and not engine.loading
    )


@pytest.mark.parametrize(
    ("owner", "server", "engine", "model"),
    [
        ("vllm", "uvicorn", "vllm", "org/m"),
        ("sglang", "uvicorn", "sglang", "org/m"),
        ("library", "", "ollama", "org/m"),
        ("somebody", "", "openai", "org/m"),
        (None, "", "openai", "org/m"),
        (None, "BaseHTTP/0.6 Python/3.11.7", "mlx-lm", "default_model"),
    ],
)
def test_the_owner_of_the_models_names_the_engine(
    owner: str | None, server: str, engine: str, model: str
) -> None:
    entry = {"id": "org/m", "max_model_len": 4096} | ({"owned_by": owner} if owner else {})
    told = found({"/v1/models": models(entry, server=server)})
    assert isinstance(told, Found)
    assert (told.engine, told.model, told.context, told.has_tokenizer) == (engine, model, 4096, False)


def test_the_wanted_model_is_kept() -> None:
    told = found({"/v1/models": models({"id": "a"}, {"id": "b", "max_model_len": 9})}, model="b")
    assert isinstance(told, Found)
    assert (told.model, told.models, told.context) == ("b", ("a", "b"), 9)


def test_a_status_of_200_is_no_evidence() -> None:
    trap = Answer(200, {}, b'{"error":"Unexpected endpoint or method. (GET /props)"}')
    page = Answer(200, {}, b"<html>")
    assert isinstance(found({"/props": trap, "/v1/models": page, "/health": trap}), Nothing)


def test_nobody_there() -> None:
    silent = Answer(0, error="connection refused")
    nothing = found({"/props": silent, "/v1/models": silent, "/health": silent})
    assert isinstance(nothing, Nothing)
    assert BASE.root in nothing.reason and "connection refused" in nothing.reason
