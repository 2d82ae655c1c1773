"""The header of a model file: what is read from it, and what hostile bytes can't do."""

from __future__ import annotations

import json
import struct
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.domain.headers import LLAMA_8B, gguf, text
from tui.domain.gguf import Cut, NotGguf, Weight, parse, weights
from tui.domain.gguf_shape import shape_of
from tui.domain.shape import Attention, ModelShape, shape_from, shape_from_conditions, shape_raw

TENSORS = (
    ("token_embd.weight", (4096, 1000), 3200),
    ("blk.0.attn_q.weight", (4096, 4096), 6400),
    ("output.weight", (4096, 1000), 4096),
)
METADATA: dict[str, Any] = {**LLAMA_8B, "tokenizer.ggml.tokens": ["a", "bc", ""], "general.name": "x" * 300}


def test_numbers_and_short_texts_are_kept_and_no_vocabulary() -> None:
    header = parse(gguf(METADATA, TENSORS))
    assert header.metadata["llama.block_count"] == 32
    assert header.metadata["general.architecture"] == "llama"
    assert not {"general.name", "tokenizer.ggml.tokens"} & header.metadata.keys()
    assert [tensor.elements for tensor in header.tensors] == [4096 * 1000, 4096 * 4096, 4096 * 1000]


def test_lists_of_numbers_and_flags_are_kept_while_they_are_short() -> None:
    told = parse(gguf({"a": [8, 8, 0], "b": [True, False], "c": [1] * 5000, "d": 1.5, "e": True}))
    assert told.metadata == {"a": (8, 8, 0), "b": (True, False), "d": 1.5, "e": True}


def test_the_size_of_a_tensor_is_the_way_to_the_next() -> None:
    data = gguf(METADATA, TENSORS)
    header = parse(data)
    assert header.data_at == len(data)
    assert [one.size for one in weights(header, len(data) + 13_696)] == [3200, 6400, 4096]
    assert weights(header, len(data) + 100) == ()  # they don't fit the file


def test_a_header_cut_anywhere_asks_for_more() -> None:
    data = gguf(METADATA, TENSORS)
    end = len(data.rstrip(b"\0"))
    for size in range(4, end, 7):
        with pytest.raises(Cut):
            parse(data[:size])


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"PK\x03\x04" + bytes(60), "not a GGUF file"),
        (gguf({}, version=1), "GGUF version 1"),
        (b"GGUF" + struct.pack(">IQQ", 3, 0, 0), "another byte order"),
        (b"GGUF" + struct.pack("<IQQ", 3, 2**60, 1), "implausible header"),
        (b"GGUF" + struct.pack("<IQQ", 3, 0, 1) + struct.pack("<Q", 2**62), "implausible name"),
        (b"GGUF" + struct.pack("<IQQ", 3, 0, 1) + text("k") + struct.pack("<I", 99), "unknown kind"),
        (b"GGUF" + struct.pack("<IQQ", 3, 0, 1) + text("k") + struct.pack("<IIQ", 9, 9, 5), "list of kind 9"),
        (
            b"GGUF" + struct.pack("<IQQ", 3, 0, 1) + text("k") + struct.pack("<IIQ", 9, 8, 2**63),
            "implausible vocabulary",
        ),
        (b"GGUF" + struct.pack("<IQQ", 3, 1, 0) + text("t") + struct.pack("<I", 200), "implausible tensor"),
    ],
)
def test_what_is_no_header_is_refused_at_once(data: bytes, why: str) -> None:
    with pytest.raises(NotGguf, match=why):
        parse(data + bytes(64))


@pytest.mark.parametrize("kind", [4, 8])
def test_a_length_beyond_the_bytes_is_no_allocation(kind: int) -> None:
    head = b"GGUF" + struct.pack("<IQQ", 3, 0, 1) + text("k")
    with pytest.raises(NotGguf):
        parse(head + struct.pack("<IIQQ", 9, kind, 2**20, 2**63))
    with pytest.raises(Cut):
        parse(head + struct.pack("<IQ", 8, 2**63) + bytes(64))


@settings(max_examples=150, deadline=None)
@given(st.binary(max_size=200), st.integers(0, 300))
def test_damaged_headers_are_refused_and_never_crash(noise: bytes, at: int) -> None:
    data = bytearray(gguf(METADATA, TENSORS))
    data[at : at + len(noise)] = noise
    try:
        header = parse(bytes(data))
    except NotGguf:
        return
    shape_of(header.metadata, weights(header, len(data) + 13_696), 10**6)


def test_the_shape_of_a_dense_model_leaves_the_embedding_table_out() -> None:
    found = (
        Weight("token_embd.weight", 100, 200),
        Weight("output.weight", 100, 300),
        Weight("blk.0.a", 50, 70),
    )
    shape = shape_of(LLAMA_8B, found, 600)
    assert (shape.params, shape.active_params) == (250, 250)
    assert (shape.weight_bytes, shape.embedding_bytes, shape.tied) == (370, 200, False)
    assert shape.attention == (Attention(32, 8, 128, 128),)
    assert (shape.heads, shape.head_dim, shape.context, shape.dense) == (32, 128, 131072, True)


def test_an_embedding_table_that_is_the_output_too_is_read() -> None:
    shape = shape_of(LLAMA_8B, (Weight("token_embd.weight", 100, 200), Weight("blk.0.a", 50, 70)), 300)
    assert (shape.weight_bytes, shape.tied) == (270, True)


def test_of_experts_the_used_share_is_read() -> None:
    told = {"expert_count": 32, "expert_used_count": 4, "block_count": 1, "attention.head_count": 8}
    metadata = {"general.architecture": "gpt-oss", **{f"gpt-oss.{key}": one for key, one in told.items()}}
    found = (Weight("blk.0.ffn_up_exps.weight", 3200, 6400), Weight("blk.0.attn_q.weight", 100, 200))
    shape = shape_of(metadata, found, 7000)
    assert (shape.params, shape.active_params, shape.weight_bytes) == (3300, 500, 1000)
    alone = shape_of(metadata, (), 7000)
    assert (alone.weight_bytes, alone.active_params, alone.experts) == (None, None, 32)


def test_eyes_and_drafting_layers_are_not_read_for_a_token() -> None:
    metadata = LLAMA_8B | {"llama.nextn_predict_layers": 1}
    found = (
        Weight("v.patch_embd.weight", 10, 1000),
        Weight("blk.30.attn_q.weight", 10, 20),
        Weight("blk.31.attn_q.weight", 10, 5000),
    )
    shape = shape_of(metadata, found, 7000)
    assert (shape.layers, shape.weight_bytes) == (31, 20)


def test_an_engines_copy_of_the_metadata_will_do() -> None:
    shape = shape_of(LLAMA_8B | {"tokenizer.ggml.tokens": None}, (), 4_920_734_272)
    assert (shape.params, shape.weight_bytes) == (8_030_000_000, 4_920_734_272)
    hidden = shape_of(LLAMA_8B | {"llama.attention.head_count_kv": None})
    assert hidden.attention is None


@pytest.mark.parametrize("nonsense", [-1, 2**70, 1.5, "many", [1], {}, None, True])
def test_metadata_of_a_wrong_kind_is_not_told(nonsense: Any) -> None:
    for key in list(LLAMA_8B):
        shape = shape_of(LLAMA_8B | {key: nonsense}, (), 1000)
        assert json.loads(json.dumps(shape_raw(shape)))


def test_a_shape_survives_the_recording() -> None:
    shape = shape_of(LLAMA_8B, (Weight("token_embd.weight", 100, 200), Weight("blk.0.a", 50, 70)), 300)
    assert shape_from(json.loads(json.dumps(shape_raw(shape)))) == shape
    windowed = ModelShape("x", attention=(Attention(2, 1, 64, 64, 128), Attention(1, 1, 64, 64)), experts=0)
    assert shape_from(json.loads(json.dumps(shape_raw(windowed)))) == windowed


def test_a_recorded_shape_of_wrong_kinds_is_not_told() -> None:
    raw = {"layers": -4, "params": "many", "tied": 1, "attention": [[1, 2, 3]], "state_bytes": 2**80}
    assert shape_from(raw) is None
    assert shape_from(raw | {"heads": 8}) == ModelShape(heads=8)
    assert shape_from([1]) is None
    assert shape_from({"attention": [["a", 1, 1, 1, None]]}) is None


def test_an_engine_that_tells_sizes_alone_gives_no_layers() -> None:
    shape = shape_from_conditions({"parameters": 134_515_008, "model_bytes": 96_576_768})
    assert shape is not None
    assert (shape.params, shape.file_bytes, shape.attention) == (134_515_008, 96_576_768, None)
    assert shape.experts is None and shape.why
    assert shape_from_conditions({"model": "x"}) is None
    whole = shape_from_conditions({"parameters": 5, "shape": {"layers": 3}})
    assert whole is not None and whole.layers == 3


def test_the_built_in_model_is_read_whole(gguf: Path) -> None:
    data = gguf.read_bytes()
    header = parse(data)
    shape = shape_of(header.metadata, weights(header, len(data)), len(data))
    assert (shape.layers, shape.heads, shape.params, shape.tied) == (30, 9, 134_515_008, True)
    assert shape.attention == (Attention(30, 3, 64, 64),)
    assert shape.weight_bytes is not None and 0.95 < shape.weight_bytes / len(data) < 1
