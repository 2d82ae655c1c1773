"""Inputs to begin with, by the places of `places`: what really comes there, whole and small."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from tests.domain.headers import LLAMA_8B, gguf
from tests.fuzz.made import APART
from tui import locations
from tui.capture.frames import Item, Mark, Reply, pack
from tui.capture.recording import NotARecording, read
from tui.domain.wire import End, Meta, Note, Poll, Read, Sample
from tui.engines import detect

_CAPTURES = Path(__file__).parents[1] / "data" / "captures"
_FOUND = Path(__file__).parents[1] / "data" / "fuzz"
_MOST = 6000  # bytes; the fuzzer is quick with small inputs only
_MODELS = b'{"data":[{"id":"org/m.gguf","owned_by":"%b","meta":{"n_ctx":8192},"max_model_len":4096}]}'
_ANYTHING = (
    b'{"version":"1.2.3","model":"m","models":[{"name":"m:latest","size":9,"details":{"parameter_size":"8B"}}],'
    b'"data":[{"id":"m","state":"loaded"}],"n_ctx":9,"total_slots":2,"build_info":"b1-abc","model_path":"/m.gguf"}'
)
_OK = b"\0"  # the status of an answer
_TENSORS = (("token_embd.weight", (64, 32), 4096), ("blk.0.attn_q.weight", (64, 64), 8192))


def seeds() -> Mapping[str, Sequence[bytes]]:
    """The inputs of each place."""
    return {
        "gguf": list(_headers()),
        "detect": list(_addresses()),
        "frames": [_frames(), _frames()[:60]],
        "counters": [page + APART + page.replace(b"1", b"2") for page in _pages()],
        "toml": list(_files()),
        "kept": list(_kept()),
    }


def found(place: str) -> tuple[bytes, ...]:
    """What the fuzzer has found there to reach further, small; a line of base64 each."""
    file = _FOUND / f"{place}.txt"
    return tuple(map(base64.b64decode, file.read_bytes().split())) if file.exists() else ()


def _headers() -> Iterator[bytes]:
    yield gguf(LLAMA_8B, _TENSORS)
    experts = {"llama.expert_count": 8, "llama.expert_used_count": 2}
    yield gguf(LLAMA_8B | experts, (("blk.0.ffn_up_exps.weight", (8, 8, 8), 512), *_TENSORS), version=2)
    for name, more in _SHAPES.items():
        told = {key.replace("llama.", f"{name}."): value for key, value in LLAMA_8B.items()}
        told |= {"general.architecture": name, f"{name}.block_count": 4}
        yield gguf(told | {f"{name}.{key}": value for key, value in more.items()}, _TENSORS)


_SHAPES: Mapping[str, Mapping[str, object]] = {
    "gemma3": {"attention.sliding_window": 512, "attention.sliding_window_pattern": 6},
    "gpt-oss": {"attention.sliding_window": 128, "attention.sliding_window_pattern": [True, False] * 2},
    "deepseek2": {"attention.kv_lora_rank": 512, "rope.dimension_count": 64, "attention.head_count_kv": 1},
    "mamba2": {"ssm.conv_kernel": 4, "ssm.inner_size": 64, "ssm.state_size": 16, "ssm.group_count": 1},
    "nemotron_h": {
        "ssm.state_size": 16,
        "attention.head_count_kv": [0, 8, 0, 8],
        "feed_forward_length": [0, 9, 9, 0],
    },
    "rwkv7": {"wkv.head_size": 64, "token_shift_count": 2},
    "qwen3next": {"full_attention_interval": 4, "ssm.state_size": 16, "nextn_predict_layers": 1},
    "llama": {"vocabulary": ["a", "bc", ""], "general.alignment": 64, "scale": 1.5},
}


def _addresses() -> Iterator[bytes]:
    """What each captured engine answers, on all of its paths at once."""
    for folder in sorted(path for path in _CAPTURES.iterdir() if path.is_dir()):
        pieces = [b"\0\0"]
        for path in sorted(folder.glob("*.jsonl")):
            try:
                recording = read(path)
            except NotARecording:
                continue
            request = recording.meta.fields.get("request")
            asked = str(request.get("path", "")) if isinstance(request, dict) else ""
            body = b"".join(record.data for record in recording.records if isinstance(record, Read))
            if isinstance(request, dict) and request.get("method") == "GET" and len(body) < _MOST:
                headers = dict(recording.meta.fields.get("response_headers", []))  # type: ignore[call-overload]
                server = str({k.lower(): v for k, v in headers.items()}.get("server", ""))
                pieces.append(_OK + asked.partition("?")[0].encode() + b"\n" + server.encode() + b"\n" + body)
        if len(pieces) > 1:
            yield pieces[0] + APART.join(pieces[1:])
    for kind in detect._KINDS:
        marks = [
            _OK + mark.encode() + b"\n" + kind.engine.encode() + b"\n" + _ANYTHING for mark in kind.marks
        ]
        models = _OK + b"/v1/models\n\n" + _MODELS % kind.engine.encode()
        yield b"\0\0" + APART.join((models, *marks))


def _frames() -> bytes:
    records = (
        Meta({"engine": "llama.cpp"}),
        Note(0, "sent", {"a": 1}),
        Read(5, b"data: {}\n\n", 3, 6, True),
        Poll(7, "/slots", 200, b"[]", 4),
        Sample(8, {"ram_total_bytes": 9, "gpus": [{"name": "x"}]}),
        End(9, "eof", "why"),
    )
    told = (Reply(7, 200, (("A", "b"),), b"\xff", 9), Mark(1, "sent", 5), *(Item(1, r) for r in records))
    return b"".join(map(pack, told))


def _pages() -> Iterator[bytes]:
    for path in sorted(_CAPTURES.glob("**/*.metrics-before.txt"))[:3]:
        lines = [line for line in path.read_bytes().split(b"\n") if b"bucket" not in line]
        yield b"\n".join(lines)[:_MOST]
    yield b'a_total{model="x\\"y\\\\",b="{}"} 1e5 1700000000\na_total{} NaN\nb 1\n'


def _files() -> Iterator[bytes]:
    for folder, name in (
        (locations.themes_dir(), "dark.toml"),
        (locations.themes_dir(), "terminal.toml"),
        (locations.tour_dir(), "tour.toml"),
    ):
        if (folder / name).exists():
            yield (folder / name).read_bytes()
    yield (
        b'url = "http://127.0.0.1:8080"\nmodel = "m"\nprompt_tokens = "2k"\ncache = "tail:64"\nseed = 7\n'
        b'temperature = 0.5\nauto = true\nprofile = "agent"\ntimeout = 3\n[keys]\nquit = ["f10", "?"]\n'
    )


def _kept() -> Iterator[bytes]:
    yield (
        b'{"url": "http://127.0.0.1:8080", "model": "m", "prompt_tokens": 512, "cache": "tail:64", "seed": 7,'
        b'"profile": "plain", "temperature": 0.0, "theme": "dark", "rivals": 2}'
    )
    key = {"engine": "llama.cpp", "root": "http://127.0.0.1:8080", "model": "m", "cache": "cold"}
    run = {"asked": 512, "ttft_s": 0.5, "tokens": 510, "processed": 5, "prefill_s": 0.1, "expected_s": 0.4}
    curve = {"a_s": 0.1, "b_s": 1e-4, "c_s": 0.0, "spread": 0.01, "runs": 8, "least": 128, "most": 2048}
    lines = ({"key": key, "run": run}, {"key": key, "calibration": curve | {"at": "2026-01-01"}})
    yield b"".join(json.dumps(line).encode() + b"\n" for line in lines)
