"""An engine is known by what it says, not by its port or a status."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from tui.capture.recording import read
from tui.domain.wire import Read
from tui.engines.asking import Answer, Ask, drive
from tui.engines.detect import Found, Model, Nothing, detect
from tui.engines.urls import Base, normalised

BASE = Base("http://127.0.0.1:8080")
CAPTURES = Path(__file__).parents[1] / "data" / "captures"
NOT_FOUND = Answer(404, {}, b'{"detail":"Not Found"}')
BUSY_PATHS = ("/health", "/metrics", "/perf_metrics", "/v1/license", "/health_generate", "/v1/manifest")


def captured(name: str) -> Answer:
    """The answer in a capture such as `vllm/endpoint-models`."""
    recording = read(CAPTURES / f"{name}.jsonl")
    fields = recording.meta.fields
    headers = {name.lower(): value for name, value in fields["response_headers"]}  # type: ignore[attr-defined]
    body = b"".join(record.data for record in recording.records if isinstance(record, Read))
    return Answer(int(str(fields["status"])), headers, body)


def saying(value: object, status: int = 200, server: str = "") -> Answer:
    return Answer(status, {"server": server} if server else {}, json.dumps(value).encode())


def models(*entries: dict[str, object], server: str = "") -> Answer:
    return saying({"object": "list", "data": entries}, server=server)


def owned(owner: str, **more: object) -> Answer:
    return models({"id": "org/m", "owned_by": owner} | more)


class Server:
    """Answers by path; remembers what it was asked."""

    def __init__(self, answers: Mapping[str, Answer], else_: Answer = NOT_FOUND) -> None:
        self.answers = answers
        self.asked: list[str] = []
        self._else = else_

    def look(
        self, model: str = "", chosen: bool = True, base: Base = BASE, posts: tuple[str, ...] = ()
    ) -> Found | Nothing:
        def answer(ask: Ask) -> Answer:
            assert ask.method == "GET" or ask.path in posts
            assert ask.path not in self.asked, "nothing is asked twice"
            self.asked.append(ask.path)
            return self.answers.get(ask.path, self._else)

        return drive(detect(base, model, chosen), answer)


def found(
    answers: Mapping[str, Answer], model: str = "", chosen: bool = True, else_: Answer = NOT_FOUND
) -> Found:
    told = Server(answers, else_).look(model, chosen)
    assert isinstance(told, Found), told
    return told


# -- each engine ------------------------------------------------------------------------------------------


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
        has_tokenizer=True,
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


OLLAMA = {
    "/v1/models": models({"id": "llama3.2:3b", "owned_by": "library"}),
    "/api/version": captured("ollama-authored/18b-version"),
    "/": captured("ollama-authored/18a-root"),
    "/api/tags": saying(
        {
            "models": [
                {"name": "embed:latest", "capabilities": ["embedding"]},
                {
                    "name": "qwen3:32b",
                    "size": 20_201_253_588,
                    "details": {"parameter_size": "32.8B", "quantization_level": "Q4_K_M"},
                    "capabilities": ["completion", "thinking"],
                },
                {"name": "big:cloud", "remote_host": "https://ollama.com:443"},
                {"name": "llama3.2:3b", "details": {"context_length": 131072}},
            ]
        }
    ),
    "/api/ps": captured("ollama-authored/18d-ps-gpu"),
    "/api/show": captured("ollama-authored/18g-show"),
}


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
    assert not engine.loading and not engine.has_tokenizer


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


VLLM_CACHE = "/metrics/?name[]=vllm:cache_config_info"
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
    assert not told.has_tokenizer and not told.auth_needed


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


# -- emulators ----------------------------------------------------------------------------------------------

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


# -- strangers ----------------------------------------------------------------------------------------------


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


def test_nobody_there() -> None:
    silent = Answer(0, error="connection refused")
    nothing = Server({}, silent).look()
    assert isinstance(nothing, Nothing) and not nothing.slow
    assert BASE.root in nothing.reason and "connection refused" in nothing.reason


def test_somebody_who_says_nothing() -> None:
    nothing = Server({}, Answer(0, error="no whole answer in time", error_kind="timeout")).look()
    assert isinstance(nothing, Nothing) and nothing.slow


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
