"""llama-bench's results as a reference: both of its JSON forms, and the test that fits a request."""

import json

import pytest

from tui.engines.llama_bench import nearest, read_bench

COMMON = {
    "build_commit": "8cf427ff", "backends": "CUDA", "model_filename": "/home/someone/m/Q-7B.gguf",
    "model_type": "qwen2 7B Q4_K - Medium", "n_threads": 8, "n_gpu_layers": -1, "n_depth": 0,
}  # fmt: skip


def entry(prompt: int, generated: int, rate: object, **more: object) -> dict[str, object]:
    samples = {"avg_ts": rate, "stddev_ts": 1.5, "samples_ns": [1, 2, 3]}
    return COMMON | {"n_prompt": prompt, "n_gen": generated} | samples | more


ENTRIES = [
    entry(512, 0, 7100.0),
    entry(0, 128, 118.9),
    entry(512, 0, 6425.9, n_depth=4096),
    entry(4096, 0, 5000.0, n_gpu_layers=20),
    entry(512, 128, 900.0),
]


@pytest.mark.parametrize(
    "data", [json.dumps(ENTRIES, indent=2), "\n".join(map(json.dumps, ENTRIES)) + "\n", json.dumps(ENTRIES)]
)
def test_both_forms_are_read(data: str) -> None:
    found = read_bench(data.encode())
    assert [one.name for one in found] == ["pp512", "tg128", "pp512 @ d4096", "pp4096"]
    first = found[0]
    assert (first.kind, first.rate, first.spread, first.runs) == ("prefill", 7100.0, 1.5, 3)
    assert (first.file, first.threads, first.gpu_layers, found[3].gpu_layers) == ("Q-7B.gguf", 8, None, 20)


@pytest.mark.parametrize("rate", [None, 0, -1, "7", float("nan")])
def test_a_test_without_a_rate_is_none(rate: object) -> None:
    assert read_bench(json.dumps([entry(512, 0, rate)]).encode()) == ()


@pytest.mark.parametrize("data", [b"", b"{", b"[1, null, {}]", b"| model | t/s |\n", b"\xff\xfe"])
def test_other_files_hold_no_tests(data: bytes) -> None:
    assert read_bench(data) == ()


def test_one_object_alone_is_one_test() -> None:
    assert len(read_bench(json.dumps(ENTRIES[0]).encode())) == 1


def test_the_nearest_length_counts_then_the_least_depth() -> None:
    found = read_bench(json.dumps(ENTRIES).encode())
    near = nearest(found, "prefill", 700)
    assert near is not None and near.name == "pp512"
    far = nearest(found, "prefill", 2000, "Q-7B.gguf")
    assert far is not None and far.name == "pp4096"
    assert nearest(found, "decode", 16) is found[1]
    assert nearest(found, "decode", 16, "other.gguf") is None
    assert nearest((), "prefill", 0) is None
