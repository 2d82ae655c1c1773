"""Decode against bandwidth, prefill against arithmetic, and a model split over two memories."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.domain.worked import WORKED
from tui.domain.bandwidth import decode_bandwidth, plausible, share_of_peak, weights_read
from tui.domain.flops import attention_flop, flops_share, linear_flop, prefill_flops, ridge
from tui.domain.offload import Part, ceiling, offload_pct, offload_text, seconds_per_token
from tui.domain.shape import ModelShape
from tui.domain.values import Provenance, Value

DENSE = ModelShape(
    layers=32,
    heads=32,
    head_dim=128,
    params=8_030_000_000,
    active_params=8_030_000_000,
    file_bytes=4_920_734_272,
    weight_bytes=4_625_232_448,
    embedding_bytes=295_501_824,
    experts=0,
)


def test_a_dense_model_reads_its_weights_and_its_cache_for_each_token() -> None:
    told = WORKED["decode_bandwidth_dense"]
    weights = weights_read(DENSE)
    assert (
        weights.number == told["weight_bytes_read"] == told["file_bytes"] - told["embedding_bytes_not_read"]
    )
    used = decode_bandwidth(weights, told["kv_bytes_read"], told["tok_s"])
    assert used.number == pytest.approx(told["gb_s"], abs=0.05)
    assert used.provenance is Provenance.ESTIMATED
    share = share_of_peak(used, told["peak_gb_s"])
    assert share.number == pytest.approx(told["pct"], abs=0.05)


def test_an_estimate_above_the_peak_prints_the_reason_and_no_number() -> None:
    told = WORKED["decode_bandwidth_moe"]
    naive = Value(float(told["file_bytes"]), "B", Provenance.ESTIMATED)
    used = decode_bandwidth(naive, None, told["tok_s"])
    assert used.number == pytest.approx(told["naive_gb_s"], abs=0.1)
    share, shown = share_of_peak(used, told["peak_gb_s"]), plausible(used, told["peak_gb_s"])
    assert (share.number, shown.number) == (None, None)
    assert "353 % of the peak" in share.note and "experts" in share.note
    assert told["naive_pct"] == 353.0


def test_experts_that_are_known_count_by_what_is_used() -> None:
    told = WORKED["decode_bandwidth_moe"]
    shape = ModelShape(weight_bytes=told["active_bytes"], experts=32, experts_used=4)
    used = decode_bandwidth(weights_read(shape), None, told["tok_s"])
    assert used.number == pytest.approx(told["gb_s"], abs=0.05)
    assert share_of_peak(used, told["peak_gb_s"]).number == pytest.approx(told["pct"], abs=0.05)


@pytest.mark.parametrize(
    ("shape", "why"),
    [
        (None, "not known"),
        (ModelShape(file_bytes=12_101_070_356, experts=32, experts_used=4), "mixture of experts"),
        (ModelShape(file_bytes=12_101_070_356), "not told"),
    ],
)
def test_weights_that_are_not_known_give_no_bandwidth(shape: ModelShape | None, why: str) -> None:
    used = decode_bandwidth(weights_read(shape), 0.0, 50.0)
    assert used.number is None
    assert why in used.note


def test_drafted_tokens_give_no_bandwidth() -> None:
    assert "speculative" in decode_bandwidth(weights_read(DENSE), 0.0, 50.0, drafts=True).note


def test_an_unknown_peak_gives_no_share_but_the_estimate_stays() -> None:
    used = Value(500.0, "GB/s", Provenance.ESTIMATED)
    assert share_of_peak(used, None).number is None
    assert plausible(used, None) is used


def test_prefill_counts_weights_and_attention() -> None:
    told = WORKED["prefill_flops_dense"]
    n = told["tokens_processed"]
    assert linear_flop(told["params"], n) / 1e12 == pytest.approx(told["linear_tflop"], abs=0.05)
    assert attention_flop(32, 32, 128, n) / 1e12 == pytest.approx(told["attention_tflop"], abs=0.05)
    used = prefill_flops(DENSE, n, 0, told["prefill_s"])
    assert used.number == pytest.approx(told["tflops"], abs=0.1)
    assert share_of_peak(used, told["peak"]).number == pytest.approx(told["pct"], abs=0.1)
    assert flops_share(used, told["peak"]).number == 80.0  # in steps of 5


def test_attention_over_a_reused_prefix_is_not_counted_twice() -> None:
    whole = attention_flop(32, 32, 128, 4096)
    assert attention_flop(32, 32, 128, 2048) + attention_flop(32, 32, 128, 4096, 2048) == whole


def test_prefill_without_the_engines_time_or_with_unknown_experts_has_no_rate() -> None:
    assert prefill_flops(DENSE, 4096, 0, None).number is None
    assert prefill_flops(replace(DENSE, experts=None), 4096, 0, 1.0).number is None
    assert flops_share(prefill_flops(DENSE, 4096, 0, 0.1), 165.2).number is None  # 425 % of the peak


def test_the_ridge_of_two_machines() -> None:
    assert ridge(165.2, 1008, 0.56 * 8e9, 8_000_000_000).number == pytest.approx(46, abs=0.5)
    assert ridge(16.1, 546, 0.56 * 8e9, 8_000_000_000).number == pytest.approx(8.3, abs=0.1)
    assert ridge(None, 1008, 1e9, 1).number is None


def test_a_split_model_is_as_slow_as_its_slow_part() -> None:
    told = WORKED["offload_ceiling"]
    gpu, ram = Part(told["gpu_bytes"], told["gpu_gb_s"]), Part(told["cpu_bytes"], told["cpu_gb_s"])
    assert seconds_per_token([gpu, ram]) == pytest.approx(told["s_per_token"], abs=1e-4)
    assert ceiling([gpu, ram]).number == pytest.approx(told["tok_s_ceiling"], abs=0.05)
    assert ceiling([Part(told["model_bytes"], told["gpu_gb_s"])]).number == told["all_gpu_ceiling"]
    assert offload_text(gpu, ram) == told["text"]
    share = 100 * seconds_per_token([ram]) / seconds_per_token([gpu, ram])
    assert share == pytest.approx(WORKED["offload_share_time"]["cpu_time_pct"], abs=0.05)


def test_a_split_over_an_unknown_memory_has_no_ceiling() -> None:
    gpu, ram = Part(21.5e9, 1008), Part(20.5e9, None)
    assert ceiling([gpu, ram]).number is None
    assert offload_text(gpu, ram) == "49 % of the weights in RAM"


def test_two_gpus_one_after_the_other_are_a_chain() -> None:
    assert WORKED["layer_split_two_gpus"]["per_gpu_peak_applies_to"].startswith("whole chain")
    assert seconds_per_token([Part(10e9, 1000), Part(10e9, 500)]) == pytest.approx(0.03)


def test_the_engines_word_on_the_split_beats_the_guess() -> None:
    guessed = offload_pct(42_000_000_000, 21_500_000_000)
    assert guessed.number == pytest.approx(48.8, abs=0.05)
    assert offload_pct(42_000_000_000, 21_500_000_000, 0.25).number == 75.0
    assert offload_pct(42_000_000_000, 45_000_000_000).number == 0.0
    assert offload_pct(42_000_000_000, None).number is None
