"""What the other engines are known by, and what they tell about themselves."""

from __future__ import annotations

import pytest

from tests.engines.answering import BUSY_PATHS, Server, captured, found, models, owned, saying
from tui.engines.asking import Answer
from tui.engines.detect import Found, Model


def test_lmstudio() -> None:
    trap = captured("lm-studio-authored/10b-unknown-endpoint-get")
    studio = {
        "/v1/models": owned("organization_owner"),
        "/lmstudio-greeting": captured("lm-studio-authored/10c-greeting"),
        "/api/v1/models": captured("lm-studio-authored/40-v1-models"),
    }
    told = found(studio, else_=trap)
    assert told.engine == "lmstudio" and told.features == {"native_chat": True}
    assert told.models == (
        Model("google/gemma-3-4b", "", "Q4_K_M", "4B", 3_341_234_176, 8192, 131072, True),
        Model("qwen/qwen3-4b", "", "4bit", "4B", 2_280_000_000, None, 40960, False),
    )
    assert (told.conditions["batch"], told.slots, told.context) == (512, 4, 8192)
    old = found(
        studio | {"/api/v1/models": trap, "/api/v0/models": captured("lm-studio-authored/41-v0-models")}
    )
    assert old.features == {"native_chat": False}
    assert [(model.context, model.loaded) for model in old.models] == [(8192, True), (None, False)]


def test_lmstudio_of_an_old_version_without_a_greeting_or_a_model() -> None:
    trap = captured("lm-studio-authored/10b-unknown-endpoint-get")
    greeting = captured("lm-studio-authored/10c-greeting")
    told = found({"/v1/models": models(), "/lmstudio-greeting": greeting}, chosen=False, else_=trap)
    assert (told.engine, told.model, told.models) == ("lmstudio", "", ())


def test_lmstudio_with_nothing_but_embedding_models_has_none_to_talk_to() -> None:
    told = found(
        {
            "/v1/models": owned("organization_owner"),
            "/lmstudio-greeting": captured("lm-studio-authored/10c-greeting"),
            "/api/v1/models": saying({"models": [{"type": "embedding", "key": "nomic"}]}),
        }
    )
    assert (told.engine, told.model, told.models) == ("lmstudio", "", ())
    assert "no model that writes text" in told.unnamed


def test_sglang_is_described_without_its_keys_and_folders() -> None:
    info = {
        "version": "0.5.23",
        "api_key": "sk-secret",
        "model_path": "/home/someone/Llama",
        "max_running_requests": 32,
        "chunked_prefill_size": 8192,
        "max_total_num_tokens": 400_000,
        "enable_metrics": True,
        "enable_cache_report": False,
        "disable_radix_cache": False,
        "quantization": "fp8",
    }
    server = Server({"/v1/models": captured("sglang-authored/06-models"), "/server_info": saying(info)})
    told = server.look()
    assert isinstance(told, Found)
    assert (told.engine, told.version, told.slots, told.context) == ("sglang", "0.5.23", 32, 8192)
    assert told.features == {"metrics": True, "cache_report": False}
    assert (told.conditions["kv_tokens"], told.conditions["batch"], told.conditions["file"]) == (
        400_000,
        8192,
        "Llama",
    )
    assert "secret" not in str(told) and "someone" not in str(told)
    assert "/get_model_info" in server.asked, "the old name, where the new one is missing"


def test_trtllm_is_never_asked_for_what_reading_empties() -> None:
    server = Server(
        {"/v1/models": captured("tensorrt-llm-authored/08-models"), "/version": saying({"version": "1.2.0"})}
    )
    told = server.look()
    assert isinstance(told, Found) and (told.engine, told.version) == ("trtllm", "1.2.0")
    assert not set(server.asked) & set(BUSY_PATHS)


def test_mlx_lm_is_sent_no_name_that_would_load_another_model() -> None:
    mlx = {"/v1/models": captured("mlx-lm/02-v1-models"), "/health": captured("mlx-lm/02b-health")}
    told = found(mlx)
    assert (told.engine, told.model, told.shown) == ("mlx-lm", "default_model", "SmolLM2-135M-hf")
    assert "/models/" not in str(told)
    assert found(mlx, "SmolLM2-135M-hf").model == "default_model"
    assert found(mlx, "org/other").model == "org/other", "the person chose it"


def test_mlx_lm_with_an_empty_list() -> None:
    mlx = {
        "/v1/models": captured("mlx-lm/02i-v1-models-no-hub-cache"),
        "/health": captured("mlx-lm/02b-health"),
    }
    for chosen in (True, False):
        told = found(mlx, chosen=chosen)
        assert (told.engine, told.model) == ("mlx-lm", "default_model")


def test_mlx_lm_offers_what_its_cache_holds() -> None:
    server = "BaseHTTP/0.6 Python/3.11.7"
    listed = models({"id": "mlx-community/a"}, {"id": "/x/own"}, server=server)
    told = found({"/v1/models": listed, "/health": captured("mlx-lm/02b-health")})
    assert [(model.name, model.label) for model in told.models] == [
        ("default_model", "own"),
        ("mlx-community/a", "mlx-community/a"),
    ]


def test_another_python_server_is_not_mlx_lm() -> None:
    listed = models({"id": "m"}, server="BaseHTTP/0.6 Python/3.11.7")
    assert found({"/v1/models": listed}).engine == "openai"


@pytest.mark.parametrize(
    ("answers", "engine", "version", "context"),
    [
        ({"/v1/models": models({"id": "m"}, server="llamafile/0.9.3")}, "llamafiler", "0.9.3", None),
        ({"/v1/models": owned("lmdeploy")}, "lmdeploy", "", None),
        ({"/v1/models": owned("omlx")}, "omlx", "", None),
        ({"/v1/models": owned("somebody", max_model_len=4096)}, "openai", "", 4096),
        (
            {
                "/v1/models": owned("koboldcpp"),
                "/api/extra/version": saying({"result": "KoboldCpp", "version": "1.121"}),
                "/api/extra/true_max_context_length": saying({"value": 8192}),
            },
            "koboldcpp",
            "1.121",
            8192,
        ),
        (
            {
                "/v1/models": owned("org/m"),
                "/info": saying({"model_id": "org/m", "max_total_tokens": 4096, "version": "3.3.7"}),
            },
            "tgi",
            "3.3.7",
            4096,
        ),
        (
            {
                "/v1/models": models({"id": "m"}),
                "/node_id": saying("12D3"),
                "/state": saying({"topology": {}}),
            },
            "exo",
            "",
            None,
        ),
    ],
)
def test_the_others(answers: dict[str, Answer], engine: str, version: str, context: int | None) -> None:
    told = found(answers)
    assert (told.engine, told.version, told.context) == (engine, version, context)
    assert not told.auth_needed


def test_omlx_lemonade_and_mistralrs_say_what_is_loaded() -> None:
    two = ({"id": "a", "owned_by": "omlx"}, {"id": "b", "owned_by": "omlx"})
    status = saying({"models": [{"id": "a", "loaded": False}, {"id": "b", "loaded": True}]})
    assert found({"/v1/models": models(*two), "/v1/models/status": status}).model == "b"
    lemonade = {
        "/v1/models": models({"id": "a", "owned_by": "lemonade"}, {"id": "b", "owned_by": "lemonade"}),
        "/v1/health": saying(
            {"status": "ok", "version": "11.7.0", "model_loaded": "b", "all_models_loaded": []}
        ),
    }
    told = found(lemonade)
    assert (told.engine, told.version, told.model) == ("lemonade", "11.7.0", "b")
    told = found({"/v1/models": models({"id": "a", "status": "unloaded"}, {"id": "b", "status": "loaded"})})
    assert (told.engine, told.model) == ("mistralrs", "b")


def test_ovms_has_its_routes_elsewhere() -> None:
    state = {"org/m": {"model_version_status": []}}
    told = found({"/v3/models": models({"id": "org/m"}), "/v1/config": saying(state)})
    assert (told.engine, told.api, told.model) == ("ovms", "/v3", "org/m")
    assert found({"/v3/models": models({"id": "org/m"})}).engine == "openai"
