"""What a phase cost: worked numbers, and where the answer has to be "can't be told"."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tui.domain.cost import PhaseCost, phase_cost
from tui.domain.machine import Gpu, Reading, Server

MS = 1_000_000
SECOND = 1000 * MS
DERIVED = json.loads((Path(__file__).parents[1] / "data" / "panels" / "derived_expected.json").read_text())


def series(until_s: float, step_s: float = 0.1, start_s: float = -1.0, **gpu: Any) -> list[Reading]:
    """A machine with one of two cores busy, a server that grows and reads, stalls of 10 %."""
    moments = [start_s + i * step_s for i in range(round((until_s - start_s) / step_s) + 1)]
    return [
        Reading(
            at_ns=round(t * SECOND),
            cpu_busy_s=100 + t,
            cpu_total_s=200 + 2 * t,
            cpu_cores=2,
            stall_some_us=round(1e6 + t * 1e5),
            server=Server(pid=7, rss_bytes=round(1e9 + t * 1e6), read_bytes=round(1e9 + t * 1e8)),
            gpus=(Gpu(**{name: value(t) if callable(value) else value for name, value in gpu.items()}),)
            if gpu
            else (),
        )
        for t in moments
    ]


def test_counters_between_the_edges_of_a_phase() -> None:
    cost = phase_cost("prefill", 330 * MS, 1330 * MS, series(3))
    assert cost.cpu_pct == pytest.approx(100)
    assert cost.rss_delta_bytes == pytest.approx(1e6)
    assert cost.read_bytes == pytest.approx(1e8)
    assert cost.stall_ms == pytest.approx(100)
    assert (cost.gpu_pct, cost.energy_j) == (None, None)


def test_a_phase_far_shorter_than_the_sampling_is_not_told() -> None:
    assert phase_cost("queue", 330 * MS, 332 * MS, series(3)) == PhaseCost("queue", 2 * MS)


def test_readings_at_both_edges_make_a_short_phase_known_but_not_its_cpu() -> None:
    edges = [one for one in series(1, step_s=0.03, start_s=0.0) if one.at_ns <= 60 * MS]
    cost = phase_cost("tokenize", 0, 60 * MS, edges)
    assert cost.stall_ms == pytest.approx(6)
    assert cost.cpu_pct is None


def test_no_readings_and_an_empty_phase_cost_nothing_known() -> None:
    assert phase_cost("decode", 0, SECOND, []) == PhaseCost("decode", SECOND)
    assert phase_cost("decode", SECOND, SECOND, series(3)) == PhaseCost("decode")


def test_another_server_in_between_makes_its_part_unknown() -> None:
    readings = series(1) + [
        Reading(at_ns=one.at_ns, cpu_busy_s=one.cpu_busy_s, server=Server(pid=8, rss_bytes=1, read_bytes=1))
        for one in series(3, start_s=1.1)
    ]
    cost = phase_cost("decode", 0, 2 * SECOND, readings)
    assert (cost.rss_delta_bytes, cost.read_bytes) == (None, None)


def test_gpu_use_is_a_mean_only_of_windows_inside_the_phase() -> None:
    busy = series(6, util_pct=lambda t: 90.0 if 1 <= t <= 4 else 0.0)
    cost = phase_cost("decode", 0, 4 * SECOND, busy)
    inside = [90.0] * 31 + [0.0] * 4  # windows of a second that end from 0.8 s to 4.2 s
    assert cost.gpu_pct == pytest.approx(sum(inside) / len(inside))
    assert not cost.gpu_at_least


def test_gpu_use_of_a_phase_below_two_windows_is_at_least_and_below_one_not_told() -> None:
    busy = series(6, util_pct=lambda t: 97.0 if t > 1 else 34.0)
    cost = phase_cost("prefill", 0, 1500 * MS, busy)
    assert (cost.gpu_pct, cost.gpu_at_least) == (97.0, True)
    assert phase_cost("prefill", 0, 300 * MS, busy).gpu_pct is None


def test_the_cards_of_the_server_count_and_of_several_unknown_ones_none() -> None:
    def both(first: int | None, second: int | None) -> list[Reading]:
        cards = (
            Gpu(uuid="a", util_pct=10.0, server_bytes=first),
            Gpu(uuid="b", util_pct=90.0, server_bytes=second),
        )
        return [Reading(at_ns=i * 100 * MS, gpus=cards) for i in range(40)]

    assert phase_cost("decode", 0, 3 * SECOND, both(0, 5)).gpu_pct == 90.0
    assert phase_cost("decode", 0, 3 * SECOND, both(5, 5)).gpu_pct == 50.0
    assert phase_cost("decode", 0, 3 * SECOND, both(None, None)).gpu_pct is None


def energy_readings() -> tuple[list[Reading], dict[str, Any]]:
    """Three readings of the energy counter at the edges of two phases."""
    told = DERIVED["energy_phases"]
    moments = (0.0, told["prefill_s"], told["prefill_s"] + told["decode_s"])
    counters = zip(moments, told["counter_mj"].values(), strict=True)
    return [
        Reading(at_ns=round(t * SECOND), gpus=(Gpu(uuid="a", energy_mj=mj, power_w=300.0),))
        for t, mj in counters
    ], told


def test_energy_is_the_difference_of_the_counter_at_the_edges() -> None:
    readings, told = energy_readings()
    edges = [one.at_ns for one in readings]
    prefill = phase_cost("prefill", edges[0], edges[1], readings)
    decode = phase_cost("decode", edges[1], edges[2], readings)
    assert prefill.energy_j == pytest.approx(told["prefill_j"])
    assert decode.energy_j == pytest.approx(told["decode_j"])
    assert not prefill.energy_about and not decode.energy_about
    assert (decode.energy_j or 0) / told["output_tokens"] == pytest.approx(told["decode_j_per_token"])


def test_a_counter_read_beside_the_edge_is_moved_by_the_power() -> None:
    readings = series(
        4,
        uuid="a",
        power_w=200.0,
        energy_mj=lambda t: round((10 + t - t % 0.5) * 200_000),  # read every half second
        energy_age_ns=lambda t: round(t % 0.5 * SECOND),
    )
    cost = phase_cost("decode", 700 * MS, 2900 * MS, readings)
    assert cost.energy_j == pytest.approx(200 * 2.2)
    assert not cost.energy_about


@pytest.mark.parametrize(
    ("length_ms", "told", "about"), [(100, False, False), (300, True, True), (1500, True, False)]
)
def test_energy_of_short_phases_is_about_or_not_told(length_ms: int, told: bool, about: bool) -> None:
    readings = series(4, uuid="a", power_w=350.0, energy_mj=lambda t: round((10 + t) * 350_000))
    cost = phase_cost("prefill", 0, length_ms * MS, readings)
    assert (cost.energy_j is not None, cost.energy_about) == (told, about)
    if told:
        assert cost.energy_j == pytest.approx(0.35 * length_ms)


def test_without_a_counter_power_is_integrated_and_about() -> None:
    readings = series(5, uuid="a", power_w=lambda t: 100.0 if t < 2 else 300.0)
    cost = phase_cost("decode", SECOND, 4 * SECOND, readings)
    assert cost.energy_j == pytest.approx(100 + 2 * 300, rel=0.02)
    assert cost.energy_about


def test_a_counter_that_starts_again_tells_nothing() -> None:
    readings = series(5, uuid="a", energy_mj=lambda t: round((1 + t) * 1000 if t < 2 else t * 1000 - 1500))
    assert phase_cost("decode", 0, 4 * SECOND, readings).energy_j is None


def test_frozen_values_of_a_lost_card_do_not_count() -> None:
    readings = series(5, uuid="a", util_pct=97.0, power_w=300.0, energy_mj=5, reason="GPU lost")
    cost = phase_cost("decode", 0, 4 * SECOND, readings)
    assert (cost.gpu_pct, cost.energy_j) == (None, None)
