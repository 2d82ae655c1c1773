"""What llama.cpp, Ollama, vLLM and NIM are known by, and what they tell about themselves."""

from __future__ import annotations

import pytest

from tests.engines.answering import BASE, NOT_FOUND, OLLAMA, Server, captured, found, models, saying
from tui.domain.shape import shape_from
from tui.engines.asking import Answer
from tui.engines.detect import Found, Model


def test_llamacpp() -> None:
    answers = {"/props": captured("llamacpp/00-props"), "/v1/models": captured("llamacpp/00-v1-models")}
    server = Server(answers)
    name = "SmolLM2-135M-Instruct"
    assert server.look() == Found(
        "llama.cpp",
        BASE,
        name,
        (Model(name, "", "Q4_1", 134_515_008, 96_576_768, 8192, 8192, True),),
        {
            "engine": "llama.cpp",
            "model": name,
            "file": "SmolLM2-135M-Instruct.Q4_1.gguf",
            "quantization": "Q4_1",
            "parameters": 134_515_008,
            "model_bytes": 96_576_768,
            "context_length": 8192,
            "context_trained": 8192,
            "slots": 1,
        },
        slots=1,
        context=8192,
    )
    assert server.asked == ["/v1/models", "/props"]


def test_no_folder_is_told() -> None:
    path = "/home/someone/models/a.gguf"
    props = {"build_info": "b9000-abc", "default_generation_settings": {"n_ctx": 4096}, "model_path": path}
    engine = found({"/props": saying(props), "/v1/models": models({"id": path})})
    assert "someone" not in str(engine)
    assert (engine.model, engine.version, engine.context) == ("a.gguf", "b9000-abc", 4096)


def test_a_router_of_llamacpp_says_which_of_its_models_are_loaded() -> None:
    states = ({"id": "a", "status": {"value": "unloaded"}}, {"id": "b", "status": {"value": "loaded"}})
    engine = found({"/v1/models": models(*states, server="llama.cpp")})
    assert [(model.name, model.loaded) for model in engine.models] == [("a", False), ("b", True)]
    assert engine.model == "b", "what is loaded comes before what must be loaded first"


def test_llamacpp_while_it_loads() -> None:
    loading = captured("llamacpp/15c-models-while-loading")
    for chosen in (True, False):
        engine = found({"/props": loading, "/v1/models": loading}, chosen=chosen)
        assert engine.engine == "llama.cpp" and engine.loading and not engine.auth_needed


def test_llamacpp_that_wants_a_key() -> None:
    refused = captured("llamacpp/06o3-models-needs-key")
    engine = found({"/props": refused, "/v1/models": refused})
    assert engine.engine == "llama.cpp" and engine.auth_needed and not engine.loading


def test_llamacpp_that_lists_its_models_without_a_key() -> None:
    answers = {
        "/props": captured("llamacpp/06o2-props-needs-key"),
        "/v1/models": captured("llamacpp/00-v1-models"),
    }
    engine = found(answers)
    assert engine.auth_needed and engine.model == "SmolLM2-135M-Instruct"


def test_ollama_with_what_is_loaded_first() -> None:
    engine = Server(OLLAMA).look(posts=("/api/show",))
    assert isinstance(engine, Found)
    assert (engine.engine, engine.version, engine.model) == ("ollama", "0.32.15", "llama3.2:3b")
    assert engine.models == (
        Model("llama3.2:3b", context=4096, context_most=131072, loaded=True),
        Model("qwen3:32b", "", "Q4_K_M", "32.8B", 20_201_253_588, loaded=False),
        Model("big:cloud", loaded=False, remote=True),
    )
    told = engine.conditions
    assert (told["context_length"], told["gpu_share"], told["parameters"]) == (4096, 1.0, 3_212_749_888)
    assert told["context_trained"] == 131072
    shape = shape_from(told["shape"])
    assert shape is not None and (shape.layers, shape.params, shape.dense) == (28, 3_212_749_888, True)
    assert not engine.loading


def test_a_model_that_ollama_has_run_elsewhere_is_nobodys_default() -> None:
    listed = saying({"models": [{"name": "big:cloud", "remote_host": "https://ollama.com"}]})
    only = OLLAMA | {"/api/tags": listed, "/api/ps": saying({"models": []})}
    engine, named = Server(only).look(), Server(only).look("big:cloud", posts=("/api/show",))
    assert isinstance(engine, Found) and engine.model == "" and "1 model elsewhere" in engine.unnamed
    assert isinstance(named, Found) and named.model == "big:cloud" and not named.unnamed


@pytest.mark.parametrize(
    ("running", "share"),
    [
        ("18d-ps-gpu", 1.0),
        ("18e-ps-split", 15032385536 / 24159191040),
        ("18f-ps-cpu", 0.0),
        ("18c-ps-empty", None),
    ],
)
def test_the_share_of_a_model_on_the_gpu(running: str, share: float | None) -> None:
    answers = OLLAMA | {"/api/ps": captured(f"ollama-authored/{running}")}
    name = "qwen3:32b" if "split" in running else "llama3.2:3b"
    engine = Server(answers).look(name, posts=("/api/show",))
    assert isinstance(engine, Found) and engine.conditions.get("gpu_share") == share


def test_ollama_that_is_only_looked_at_gets_nothing_but_gets() -> None:
    server = Server(OLLAMA)
    engine = server.look(chosen=False)
    assert isinstance(engine, Found) and engine.engine == "ollama"
    assert "/api/show" not in server.asked
    assert "parameters" not in engine.conditions, "the list said nothing, and nothing was asked"


def test_a_name_without_its_tag_is_the_latest() -> None:
    answers = OLLAMA | {"/api/tags": saying({"models": [{"name": "a:1b"}, {"name": "b:latest"}]})}
    engine = Server(answers).look("b", posts=("/api/show",))
    assert isinstance(engine, Found) and engine.model == "b:latest"


VLLM_CACHE = "/metrics/?name[]=vllm:cache_config_info&name[]=vllm:num_requests_running"
VLLM = {
    "/v1/models": captured("vllm/endpoint-models"),
    "/version": captured("vllm/endpoint-version"),
    "/v1/version": captured("vllm/endpoint-v1-version"),
    VLLM_CACHE: captured("vllm/endpoint-metrics-filtered"),
}


def test_vllm() -> None:
    engine = found(VLLM)
    assert engine.engine == "vllm" and engine.features == {"metrics": True}
    assert engine.conditions == {
        "engine": "vllm",
        "engine_version": "0.32.0",
        "model": "SmolLM2-135M-Instruct",
        "file": "<path>",
        "context_length": 4096,
        "kv_tokens": 46592,
        "kv_bytes": 1073741824,
        "prefix_caching": True,
    }


def test_vllm_without_its_metrics() -> None:
    assert found(VLLM | {VLLM_CACHE: Answer(200, {}, b"")}).features == {"metrics": False}
    assert found(VLLM | {VLLM_CACHE: NOT_FOUND}).features == {}


@pytest.mark.parametrize(
    ("page", "features"),
    [
        (b'vllm:num_requests_running{engine="0"} 0.0\n', {"metrics": True}),
        (b"", {"metrics": False}),
        (b"<html><body>vllm:num_requests_running 0</body></html>", {}),
    ],
)
def test_vllm_counts_where_any_counter_of_its_own_is_told(page: bytes, features: dict[str, bool]) -> None:
    told = found(VLLM | {VLLM_CACHE: Answer(200, {}, page)})
    assert told.features == features


def test_vllm_that_wants_a_key() -> None:
    """Its version stands open."""
    refused = Answer(401, {"server": "uvicorn"}, b'{"error":"Unauthorized"}')
    engine = found(VLLM | {"/v1/models": refused})
    assert (engine.engine, engine.version, engine.auth_needed) == ("vllm", "0.32.0", True)


@pytest.mark.parametrize(
    ("names", "engine"), [("vllm:x 1\n", "nim-vllm"), ("sglang:x 1\n", "nim-sglang"), ("x 1\n", "nim")]
)
def test_nim_2_is_named_with_the_engine_inside(names: str, engine: str) -> None:
    """The engine's own record of the models comes through."""
    nim = {
        "/v1/models": VLLM["/v1/models"],
        "/v1/version": captured("nim-authored/04-version"),
        "/v1/health/ready": captured("nim-authored/05-health-ready"),
        "/v1/metadata": captured("nim-authored/07-metadata"),
        "/v1/metrics": Answer(200, {}, names.encode()),
    }
    told = found(nim)
    assert (told.engine, told.version, told.context) == (engine, "2.1.6", 4096)
    assert "LICENSE" not in str(told)


def test_nim_1_tells_how_many_requests_it_takes() -> None:
    nim = {
        "/v1/models": models({"id": "meta/llama-3.1-8b-instruct"}),
        "/v1/version": captured("nim-authored/04-version"),
        "/v1/metrics": captured("nim-authored/08-metrics-1x"),
    }
    told = found(nim)
    assert (told.engine, told.version, told.slots, told.model) == (
        "nim",
        "1.14.0",
        256,
        "meta/llama-3.1-8b-instruct",
    )


def test_nim_while_it_loads() -> None:
    not_ready = captured("nim-authored/06-health-not-ready")
    told = found({"/v1/models": saying({}, 503), "/v1/health/ready": not_ready})
    assert told.engine == "nim" and told.loading
