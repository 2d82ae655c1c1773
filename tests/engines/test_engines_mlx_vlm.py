"""mlx-vlm: timings in llama.cpp's words, but its decode time is made from a rate, and its log differs."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.engines.answering import captured, found, saying
from tests.engines.seen import how, lengths, records_of, run
from tui.domain.events import Timings
from tui.domain.wire import Meta, Record
from tui.engines.llama_timings import tells, timings_of

TOLD = {
    "prompt_n": 225, "cache_n": 0, "predicted_n": 12, "prompt_ms": 61426.14, "predicted_ms": 9193.99,
    "predicted_per_second": 1.3052002087506542, "peak_memory": 0.28, "draft_kind": None,
}  # fmt: skip


def recorded(name: str, engine: str) -> list[Record]:
    meta, *rest = records_of(f"own/{name}")
    assert isinstance(meta, Meta)
    return [replace(meta, fields=dict(meta.fields) | {"engine": engine}), *rest]


def test_it_is_known_by_its_server_header_which_tells_the_version() -> None:
    told = found({"/v1/models": captured("own/mlx-vlm-models"), "/health": captured("own/mlx-vlm-health")})
    assert (told.engine, told.version, told.context) == ("mlx-vlm", "0.7.10", None)
    assert [(model.name, model.label, model.loaded) for model in told.models] == [
        ("/models/SmolLM2-135M", "SmolLM2-135M", True)
    ]


def test_without_a_loaded_model_one_must_be_named() -> None:
    """So it answers after a name that it could not load."""
    empty = saying({"object": "list", "data": []}, server="mlx_vlm/0.7.10")
    told = found({"/v1/models": empty})
    assert "no model loaded" in told.unnamed and "--model" in told.unnamed
    assert not found({"/v1/models": empty}, model="org/m").unnamed


@pytest.mark.parametrize("engine", ["mlx-vlm", "openai"])  # also where something before it hides its name
def test_decode_is_as_long_as_the_servers_log_says(engine: str) -> None:
    """Its log: 8 tokens, elapsed=3.847s; its `predicted_ms` is 4397."""
    view, events = run(recorded("mlx-vlm-short", engine))
    assert lengths(view)["decode"] == pytest.approx(3847.2, abs=0.1)
    assert lengths(view)["prefill"] == pytest.approx(6024.3, abs=0.1)
    assert (how(view)["prefill"], how(view)["decode"]) == ("measured", "derived")
    assert view.phases[-2].start_ns == pytest.approx(6_902_200_000, abs=100_000)
    assert (view.tokens, view.prompt_tokens, view.cached_tokens) == (8, 35, 0)
    assert len([it for it in events if isinstance(it, Timings)]) == 1, "a rate alone is nothing to tell"


def test_one_token_has_no_decode_of_no_length() -> None:
    view, _ = run(recorded("mlx-vlm-one-token", "mlx-vlm"))
    assert view.tokens == 1 and "decode" not in lengths(view)
    assert lengths(view)["prefill"] == pytest.approx(2007.6, abs=0.1)


def test_the_time_between_tokens_comes_from_the_rate() -> None:
    told = timings_of(1, TOLD, final=True)
    assert told.predicted_ns == pytest.approx(8_427_825_805, abs=1_000)  # /metrics: decode_elapsed_s
    assert set(told.derived) == {"decode"}


@pytest.mark.parametrize(
    "changed",
    [
        {"predicted_n": 1, "predicted_ms": 0.0, "predicted_per_second": 0.0},
        {"draft_kind": "mtp"},
        {"predicted_per_second": None},
        {"predicted_per_second": -1.0},
        {"predicted_per_second": 1e-300},
        {"predicted_n": None},
    ],
)
def test_where_it_can_not_be_had_nothing_is_claimed(changed: dict[str, object]) -> None:
    told = timings_of(1, TOLD | changed, final=True)
    assert told.predicted_ns is None and not told.derived


def test_a_prompt_without_a_rate_took_no_time_that_is_known() -> None:
    assert timings_of(1, TOLD | {"prompt_ms": 0.0}, final=True).prompt_ns is None


def test_llama_cpps_own_clock_is_left_alone() -> None:
    own = {key: value for key, value in TOLD.items() if key not in ("peak_memory", "draft_kind")}
    told = timings_of(1, own, final=True)
    assert told.predicted_ns == 9_193_990_000 and not told.derived
    assert tells(own) and not tells({"predicted_per_second": 1.3})
