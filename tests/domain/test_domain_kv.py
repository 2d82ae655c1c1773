"""The KV cache by the model's metadata: the worked examples, and what must not be guessed."""

from __future__ import annotations

from typing import Any

import pytest

from tests.domain.headers import LLAMA_8B
from tests.domain.worked import WORKED
from tui.domain.gguf_shape import shape_of
from tui.domain.kv import headroom, kv_bytes, kv_token_bytes, value_bytes
from tui.domain.shape import ModelShape
from tui.domain.values import Provenance, Value


def metadata(architecture: str, layers: int, **more: Any) -> dict[str, Any]:
    told = {"block_count": layers, **{key.replace("__", "."): one for key, one in more.items()}}
    return {"general.architecture": architecture, **{f"{architecture}.{k}": v for k, v in told.items()}}


def shape(architecture: str, layers: int, **more: Any) -> ModelShape:
    return shape_of(metadata(architecture, layers, **more))


def heads(heads: int, kv_heads: Any, size: int) -> dict[str, Any]:
    return {
        "attention__head_count": heads,
        "attention__head_count_kv": kv_heads,
        "attention__key_length": size,
        "attention__value_length": size,
    }


def test_grouped_heads_are_counted_once() -> None:
    told = WORKED["kv_llama31_8b_f16"]
    model = shape_of(LLAMA_8B)
    assert kv_token_bytes(model).number == told["per_token"]
    cache = kv_bytes(model, told["tokens"])
    assert (cache.number, cache.provenance) == (told["total"], Provenance.ESTIMATED)


def test_keys_and_values_may_be_of_two_quantised_types() -> None:
    told = WORKED["kv_llama31_8b_k_q8_v_q4"]
    assert (value_bytes("q8_0"), value_bytes("q4_0")) == (told["k_bytes"], told["v_bytes"])
    assert kv_token_bytes(shape_of(LLAMA_8B), "q8_0", "q4_0").number == told["per_token"]


def test_experts_keep_no_more_than_a_dense_model() -> None:
    told = WORKED["kv_qwen3_30b_a3b_f16"]
    model = shape(
        "qwen3moe", told["layers"], **heads(32, told["kv_heads"], told["head_dim"]), expert_count=128
    )
    assert kv_token_bytes(model).number == told["per_token"]


@pytest.mark.parametrize(
    ("name", "architecture", "tokens"),
    [("kv_gpt_oss_20b_f16_8k", "gpt-oss", 8192), ("kv_gemma3_27b_f16_16k", "gemma3", 16384)],
)
def test_layers_with_a_window_keep_the_window_only(name: str, architecture: str, tokens: int) -> None:
    told = WORKED[name]
    sizes = heads(64, told["kv_heads"], told["head_dim"])
    layers = told["layers_full"] + told["layers_window"]
    model = shape(architecture, layers, **sizes, attention__sliding_window=told["window"])
    assert kv_bytes(model, tokens).number == told["total"]
    naive = shape("llama", layers, **sizes)
    assert kv_bytes(naive, tokens).number == told["naive_wrong"]


def test_compressed_attention_keeps_one_rank_and_the_rotary_part() -> None:
    told = WORKED["kv_mla_deepseek_v3"]
    model = shape(
        "deepseek2",
        told["layers"],
        **heads(128, 1, 576),
        attention__kv_lora_rank=told["kv_lora_rank"],
        attention__key_length_mla=192,
        rope__dimension_count=told["rope_dim"],
    )
    assert kv_token_bytes(model).number == told["per_token"]


def test_an_old_file_of_compressed_attention_keeps_all_heads() -> None:
    model = shape(
        "deepseek2",
        2,
        attention__head_count=16,
        attention__head_count_kv=16,
        attention__key_length=192,
        attention__value_length=128,
        attention__kv_lora_rank=512,
        rope__dimension_count=64,
    )
    assert kv_token_bytes(model).number == 2 * 16 * (192 + 128) * 2


def test_a_full_window_adds_nothing_for_one_more_token() -> None:
    model = shape("gpt-oss", 24, **heads(64, 8, 64), attention__sliding_window=128)
    assert kv_token_bytes(model, at=100).number == 24 * 8 * 64 * 4
    assert kv_token_bytes(model, at=5000).number == 12 * 8 * 64 * 4


def test_recurrent_layers_keep_a_constant() -> None:
    sizes = {"ssm__conv_kernel": 4, "ssm__inner_size": 4096, "ssm__state_size": 128, "ssm__group_count": 16}
    model = shape("qwen3next", 48, **heads(16, 2, 256), full_attention_interval=4, **sizes)
    state = 36 * 4 * (3 * (4096 + 2 * 16 * 128) + 128 * 4096)
    assert kv_bytes(model, 0).number == state
    assert kv_token_bytes(model, at=1000).number == 12 * 2 * 256 * 2 * 2
    only = shape("mamba2", 24, **sizes)
    assert kv_bytes(only, 10_000).number == kv_bytes(only, 1).number != 0


def test_a_layer_without_heads_may_keep_nothing() -> None:
    sizes = {"ssm__conv_kernel": 4, "ssm__inner_size": 64, "ssm__state_size": 16}
    wide = [100, 0, 0]
    model = shape("nemotron_h", 3, **heads(8, [0, 0, 2], 64), feed_forward_length=wide, **sizes)
    assert kv_bytes(model, 0).number == 4 * (3 * 64 + 16 * 64)


def test_heads_may_differ_from_layer_to_layer() -> None:
    model = shape("deci", 4, **heads(32, [8, 8, 4, 0], 128))
    assert kv_token_bytes(model).number == (8 + 8 + 4) * 128 * 4


def test_each_layer_may_name_its_window_itself() -> None:
    model = shape(
        "new", 3, **heads(8, 1, 64),
        attention__sliding_window=10, attention__sliding_window_pattern=[True, True, False],
    )  # fmt: skip
    assert kv_bytes(model, 100).number == (10 + 10 + 100) * 64 * 4


@pytest.mark.parametrize(
    ("model", "why"),
    [
        (shape("unheard-of", 8, **heads(8, 8, 64), attention__sliding_window=512), "window"),
        (shape("llama", 8), "heads"),
        (shape("hybrid", 8, **heads(8, 8, 64), ssm__state_size=16), "recurrent"),
        (shape_of({"general.architecture": "llama"}), "layers"),
        (shape_of({}), "architecture"),
        (shape("llama", 10**9, **heads(8, 8, 64)), "layers"),
        (None, "layers"),
    ],
)
def test_what_the_metadata_leaves_open_is_not_guessed(model: ModelShape | None, why: str) -> None:
    cache = kv_bytes(model, 1000)
    assert cache.number is None
    assert why in cache.note


def test_an_unknown_cache_type_gives_no_number() -> None:
    cache = kv_bytes(shape_of(LLAMA_8B), 1000, "turbo3", "f16")
    assert (cache.number, cache.note) == (None, "unknown cache type turbo3")
    assert kv_bytes(shape_of(LLAMA_8B), 1000, "fp8_e4m3", "auto").known


def test_headroom_is_what_fits_or_what_the_context_leaves() -> None:
    token = Value(1000.0, "B", Provenance.ESTIMATED)
    assert headroom(5_500, token, 100).number == 5
    assert headroom(5_500, token, 3).number == 3
    assert headroom(None, token, 3).number is None
    assert headroom(5_500, Value(0.0, "B", Provenance.ESTIMATED), 3).number is None
