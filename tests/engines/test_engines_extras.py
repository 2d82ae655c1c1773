"""Durations that servers add to the OpenAI dialect: each in its place, and never a printed rate."""

import json
from collections.abc import Mapping

import pytest

from tests.engines.seen import MS, how, lengths, run
from tui.domain.events import Began, Event, Finish, Generated, Timings, Usage
from tui.domain.values import Provenance
from tui.domain.view import View
from tui.domain.wire import End, Meta, Read
from tui.engines.base import Plan, Turn
from tui.engines.openai import OpenAiTongue
from tui.engines.registry import adapter, decoder_for

PLAN = Plan("m", (Turn("user", "u"),), max_tokens=8)
USAGE: dict[str, object] = {"prompt_tokens": 120, "completion_tokens": 11}
REUSED: dict[str, object] = {"prompt_tokens_details": {"cached_tokens": 20}}


def timings(body: Mapping[str, object]) -> Timings:
    events = OpenAiTongue().message(5, {"choices": []} | dict(body), "")
    (found,) = [event for event in events if isinstance(event, Timings)]
    return found


def told(engine: str, *last: Mapping[str, object]) -> View:
    """A stream of 3 s: its first text after 1 s, its last after 2 s."""
    path = adapter(engine).request(PLAN).path
    text = {"choices": [{"index": 0, "delta": {"content": "a"}}]}
    reads = [
        Read(at_ms * MS, b"data: " + json.dumps(body).encode() + b"\n\n")
        for at_ms, body in [(1000, text), (2000, text), *((3000, body) for body in last)]
    ]
    meta = Meta({"engine": engine, "status": 200, "request": {"path": path}})
    view, _ = run([meta, *reads, Read(3000 * MS, b"data: [DONE]\n\n"), End(3001 * MS, "eof")])
    return view


def test_omlx_tells_its_load_too() -> None:
    usage = USAGE | REUSED | {
        "model_load_duration": 4.5, "time_to_first_token": 5.2, "prompt_eval_duration": 0.5,
        "generation_duration": 1.25, "total_time": 6.5, "prompt_tokens_per_second": 9.0,
    }  # fmt: skip
    found = timings({"usage": usage})
    assert (found.load_ns, found.prompt_ns, found.predicted_ns) == (4_500 * MS, 500 * MS, 1_250 * MS)
    assert (found.total_ns, found.prompt_n, found.cached_n, found.predicted_n) == (6_500 * MS, 100, 20, 11)


def test_mistralrs_tells_no_reuse_and_rounds() -> None:
    usage = USAGE | {"total_prompt_time_sec": 0.25, "total_completion_time_sec": 1.0, "total_time_sec": 1.25}
    found = timings({"usage": usage | {"avg_prompt_tok_per_sec": 480.0}})
    assert (found.prompt_ns, found.predicted_ns, found.prompt_n) == (250 * MS, 1_000 * MS, 120)
    assert found.cached_unknown and found.queue_ns is None
    rounded = timings({"usage": usage | {"total_prompt_time_sec": 0.0}})
    assert rounded.prompt_ns is None, "what was rounded away was not measured"


@pytest.mark.parametrize("place", ["x_groq", "time_info", "usage"])
def test_seconds_of_hosted_services(place: str) -> None:
    seconds = {"queue_time": 0.02, "prompt_time": 0.3, "completion_time": 0.9, "total_time": 1.2}
    body = {
        "x_groq": {"x_groq": {"id": "r", "usage": USAGE | seconds}},
        "time_info": {"time_info": seconds | {"created": 1_700_000_000}, "usage": USAGE},
        "usage": {"usage": USAGE | seconds},
    }[place]
    found = timings(body)
    assert (found.queue_ns, found.prompt_ns, found.predicted_ns) == (20 * MS, 300 * MS, 900 * MS)
    assert (found.prompt_n, found.predicted_n, found.cached_unknown) == (120, 11, True)


def test_groq_tells_counts_without_a_usage_chunk() -> None:
    events = OpenAiTongue().message(5, {"choices": [], "x_groq": {"id": "r", "usage": USAGE}}, "")
    assert events == [Usage(5, 120, 11)]


def test_counts_may_come_behind_the_durations() -> None:
    times = {"time_info": {"queue_time": 0.1, "prompt_time": 0.5, "completion_time": 1.0}}
    view = told("cerebras", {"choices": []} | times, {"choices": [], "usage": USAGE})
    assert how(view)["decode"] == how(view)["prefill"] == "measured"
    assert view.prefill.number == pytest.approx(240) and view.decode_engine.number == pytest.approx(10)


def test_a_generation_that_failed_is_a_failure_and_an_abort_a_reason() -> None:
    ended = [{"choices": [{"index": 0, "delta": {}, "finish_reason": why}]} for why in ("error", "abort")]
    failed, aborted = (told("lmdeploy", one) for one in ended)
    assert failed.failure is not None and not failed.complete and failed.finish_reason == "error"
    assert aborted.failure is None and aborted.finish_reason == "abort"


def test_fireworks_writes_its_seconds_as_words_and_alone_tells_its_tokenizer() -> None:
    metrics = {
        "tokenizer-queue-duration": "0.001", "tokenizer-duration": "0.004", "prefill-queue-duration": "0.02",
        "prefill-duration": "0.3", "generation-queue-duration": "0.002", "generation-duration": "0.9",
        "server-processing-time": "1.3", "server-time-to-first-token": "0.33",
    }  # fmt: skip
    found = timings({"usage": USAGE | REUSED, "perf_metrics": metrics})
    assert (found.tokenize_ns, found.queue_ns) == (4 * MS, 23 * MS)
    assert (found.prompt_ns, found.predicted_ns, found.prompt_n) == (300 * MS, 900 * MS, 100)
    assert timings({"perf_metrics": metrics | {"tokenizer-duration": "nan"}}).tokenize_ns is None
    assert timings({"perf_metrics": metrics | {"tokenizer-duration": "soon"}}).tokenize_ns is None


def test_the_rest_of_a_hosted_wait_belongs_to_no_phase() -> None:
    seconds = {"queue_time": 0.05, "prompt_time": 0.3, "completion_time": 1.0}
    view = told("cerebras", {"choices": [], "usage": USAGE | REUSED, "time_info": seconds})
    assert lengths(view)["queue"] == pytest.approx(50)
    assert lengths(view)["prefill"] == pytest.approx(300)
    assert lengths(view)["unattributed"] == pytest.approx(650), (
        "the way there and back, and the service's door"
    )
    assert how(view)["prefill"] == "measured"
    assert view.prefill.number == pytest.approx(100 / 0.3)


def test_deepseek_names_its_reuse_otherwise() -> None:
    usage = USAGE | {"prompt_cache_hit_tokens": 64, "prompt_cache_miss_tokens": 56}
    assert OpenAiTongue().message(5, {"choices": [], "usage": usage}, "") == [Usage(5, 120, 11, 64)]
    view = told("deepseek", {"choices": [], "usage": usage})
    assert (view.cached_tokens, view.prefill.number) == (64, None)


@pytest.mark.parametrize("value", [None, "x", -1, True, [], float("nan")])
def test_a_duration_that_is_none_is_absent(value: object) -> None:
    events = OpenAiTongue().message(5, {"choices": [], "usage": {"prompt_time": value}}, "")
    assert events == [Usage(5)]


STRICT = ("groq", "cerebras", "openrouter", "deepseek", "together", "omlx", "mistralrs", "litellm")


@pytest.mark.parametrize("engine", [*STRICT, "fireworks", "ovms", "exo", "koboldcpp", "lemonade", "tgi"])
def test_only_fireworks_is_sent_a_field_of_its_own(engine: str) -> None:
    request = adapter(engine).request(PLAN)
    extra = {"perf_metrics_in_response"} if engine == "fireworks" else set()
    known = {"model", "messages", "stream", "stream_options", "max_tokens"}
    assert set(json.loads(request.data)) == known | extra
    assert request.path == ("/v3/chat/completions" if engine == "ovms" else "/v1/chat/completions")
    assert adapter(engine).name == engine and adapter(engine).dialect.name == engine


@pytest.mark.parametrize(
    ("name", "engine"), [("llama-cpp", "llama.cpp"), ("llama-server", "llama.cpp"), ("MLX_LM", "mlx-lm")]
)
def test_an_engine_is_known_however_it_is_spelled(name: str, engine: str) -> None:
    decoder = decoder_for({"engine": name, "request": {"path": "/v1/chat/completions"}})
    (began, *_) = decoder.decode(Meta({"engine": name}))
    assert isinstance(began, Began) and began.dialect.name == engine


def test_comments_of_a_hosted_service_are_signs_of_life_only() -> None:
    decoder = decoder_for({"engine": "openrouter", "request": {"path": "/v1/chat/completions"}})
    decoder.decode(Meta({"status": 200}))
    decoder.decode(Read(1, b": OPENROUTER PROCESSING\n\n"))
    failed = (
        b'data: {"error":{"code":502,"message":"provider gone"},"choices":[{"finish_reason":"error"}]}\n\n'
    )
    events: list[Event] = decoder.decode(Read(2, failed))
    assert not any(isinstance(event, Generated) for event in events)
    assert [event.reason for event in events if isinstance(event, Finish)] == ["error"]
    assert "provider gone" in events[-1].message  # type: ignore[union-attr]


def test_a_measured_phase_says_so() -> None:
    usage = (
        USAGE | REUSED | {"prompt_eval_duration": 0.5, "generation_duration": 1.0, "model_load_duration": 0.2}
    )
    view = told("omlx", {"choices": [], "usage": usage})
    load = view.phase("load")
    assert load is not None and load.provenance is Provenance.MEASURED
    assert lengths(view)["load"] == pytest.approx(200)
