"""What a phase asked of GPU, bus, processor and memory: bands, shares and rates."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from tests.domain.worked import WORKED
from tui.domain.cost import PhaseCost, phase_cost
from tui.domain.machine import Gpu, Reading, Server
from tui.domain.per_token import joules_per_token, mj_per_prompt_token, tokens_per_wh
from tui.domain.values import Provenance

MS = 1_000_000
SECOND = 1000 * MS


def on_a_gpu(until_s: float, step_s: float = 0.1, start_s: float = -2.0, **gpu: Any) -> list[Reading]:
    """Readings of one GPU; a value that can be called is a function of the time in seconds."""
    moments = [start_s + i * step_s for i in range(round((until_s - start_s) / step_s) + 1)]
    return [
        Reading(
            at_ns=round(t * SECOND),
            gpus=(Gpu(**{name: one(t) if callable(one) else one for name, one in gpu.items()}),),
        )
        for t in moments
    ]


def test_use_is_a_band_from_least_to_most() -> None:
    cost = phase_cost("decode", 0, 6 * SECOND, on_a_gpu(8, util_pct=lambda t: 80.0 + 10 * (t > 3)))
    assert (cost.gpu_min_pct, cost.gpu_max_pct) == (80.0, 90.0)
    assert cost.gpu_pct is not None and 80 < cost.gpu_pct < 90
    assert not cost.gpu_at_least and cost.gpu_why == ""


@pytest.mark.parametrize("use", [0.0, 34.0, 97.0])
def test_a_short_prefill_never_shows_an_averaged_gauge_as_its_use(use: float) -> None:
    readings = on_a_gpu(3, util_pct=use, power_w=350.0)
    cost = phase_cost("prefill", 0, 300 * MS, readings)
    assert (cost.gpu_pct, cost.gpu_min_pct, cost.gpu_max_pct, cost.power_w) == (None, None, None, None)
    assert cost.gpu_why == "too short to say: the driver averages over 1.0 s"


def test_below_two_windows_it_is_at_least_the_most_seen() -> None:
    cost = phase_cost("prefill", 0, 1500 * MS, on_a_gpu(3, util_pct=34.0))
    assert (cost.gpu_pct, cost.gpu_at_least, cost.gpu_window_ns) == (34.0, True, SECOND)
    assert (cost.gpu_min_pct, cost.gpu_max_pct) == (None, None)


def test_the_drivers_own_samples_tell_of_short_phases() -> None:
    def recent(t: float) -> tuple[tuple[int, float], ...]:
        """Once a second the samples of the last second, 200 ms apart."""
        if abs(t - round(t)) > 0.01:
            return ()
        return tuple((i * 200 * MS, 90.0 if 0 < t - i * 0.2 <= 0.8001 else 5.0) for i in range(5))

    readings = on_a_gpu(3, util_pct=40.0, util_recent=recent, util_window_ns=200 * MS)
    cost = phase_cost("prefill", 0, 800 * MS, readings)
    assert (cost.gpu_pct, cost.gpu_min_pct, cost.gpu_at_least) == (90.0, 90.0, False)
    short = phase_cost("prefill", 0, 300 * MS, readings)
    assert (short.gpu_pct, short.gpu_at_least, short.gpu_window_ns) == (90.0, True, 200 * MS)


def test_a_machine_without_gpu_has_no_reason_either() -> None:
    cost = phase_cost("decode", 0, SECOND, [Reading(at_ns=i * 100 * MS) for i in range(20)])
    assert (cost.gpu_pct, cost.gpu_why) == (None, "")


def test_a_gpu_that_tells_no_use_says_so() -> None:
    assert phase_cost("decode", 0, SECOND, on_a_gpu(3, power_w=5.0)).gpu_why == "not readable here"


def test_power_of_a_short_phase_needs_the_quick_gauge() -> None:
    slow = on_a_gpu(3, power_w=300.0)
    assert phase_cost("prefill", 0, 500 * MS, slow).power_w is None
    assert phase_cost("decode", 0, 2500 * MS, slow).power_w == 300.0
    quick = on_a_gpu(3, power_w=300.0, power_now_w=lambda t: 410.0 if 0 < t <= 0.51 else 20.0)
    assert phase_cost("prefill", 0, 500 * MS, quick).power_w == pytest.approx(410.0)


def test_time_below_the_clock_is_a_share_by_the_drivers_counters() -> None:
    readings = on_a_gpu(
        5,
        uuid="a",
        throttle_mask=0x4,
        power_cap_ns=lambda t: round((10 + 0.71 * t) * SECOND),
        sm_mhz=1905.0,
        sm_max_mhz=3105.0,
    )
    cost = phase_cost("prefill", 0, 4 * SECOND, readings)
    assert cost.throttle is not None and cost.throttle.word == "power cap"
    assert cost.throttle_share == pytest.approx(0.71)
    assert cost.throttle_counted
    assert (cost.sm_mhz, cost.sm_max_mhz) == (1905.0, 3105.0)


def test_without_counters_it_is_a_share_of_the_samples_and_the_worst_reason_wins() -> None:
    readings = on_a_gpu(5, uuid="a", throttle_mask=lambda t: 0x24 if t > 3 else 0x4)
    cost = phase_cost("decode", 0, 4 * SECOND, readings)
    assert cost.throttle is not None and cost.throttle.word == "hot"
    assert cost.throttle_share == pytest.approx(0.25, abs=0.02)
    assert not cost.throttle_counted


def test_nothing_is_slowed_without_a_reason() -> None:
    cost = phase_cost("decode", 0, 4 * SECOND, on_a_gpu(5, uuid="a", throttle_mask=0x1, hot_ns=5))
    assert (cost.throttle, cost.throttle_share) == (None, None)


def test_slow_counters_count_where_they_were_read() -> None:
    """Read once a second, so each value is up to a second older than the reading that carries it."""
    readings = on_a_gpu(
        5,
        uuid="a",
        pcie_rx_bytes=lambda t: round(2e9 * (10 + (t // 1))),
        pcie_age_ns=lambda t: round(t % 1 * SECOND),
    )
    cost = phase_cost("decode", 500 * MS, 4500 * MS, readings)
    assert cost.pcie_rx_bytes_s is None  # the nearest reading is half a second from the edge
    cost = phase_cost("decode", SECOND, 4 * SECOND, readings)
    assert cost.pcie_rx_bytes_s == pytest.approx(2e9)


def test_memory_that_grows_on_gpu_and_host() -> None:
    readings = [
        replace(
            one,
            ram_total_bytes=64 * 10**9,
            ram_available_bytes=round(30e9 - 1e8 * one.at_ns / SECOND),
            server=Server(pid=7, rss_bytes=10**9),
        )
        for one in on_a_gpu(4, uuid="a", mem_used_bytes=lambda t: round(8e9 + 5e8 * t))
    ]
    cost = phase_cost("prefill", 0, 2 * SECOND, readings)
    assert (cost.vram_delta_bytes, cost.mem_delta_bytes, cost.rss_delta_bytes) == (10**9, 2 * 10**8, 0)


def test_the_servers_own_reads_faults_and_processor_time() -> None:
    def reading(i: int) -> Reading:
        t = i / 10
        server = Server(
            pid=7,
            cpu_s=50 + 1.98 * t,
            read_bytes=round(1.872e9 * t),
            major_faults=round(6768 * t),
            thread_pct=99.0,
        )
        swap, disk = round(1e6 * t), round(1.9e9 * t)
        return Reading(at_ns=i * 100 * MS, server=server, swap_in_bytes=swap, disk_read_bytes=disk)

    cost = phase_cost("decode", SECOND, 3 * SECOND, [reading(i) for i in range(50)])
    assert cost.server_cpu_pct == pytest.approx(198)
    assert cost.thread_pct == pytest.approx(99)
    assert (cost.read_bytes, cost.major_faults) == (3_744_000_000, 13_536)
    assert (cost.read_bytes_s, cost.swap_in_bytes_s) == (pytest.approx(1.872e9), pytest.approx(1e6))
    assert cost.disk_read_bytes_s == pytest.approx(1.9e9)


def test_each_of_several_gpus_has_its_own_mean() -> None:
    told = WORKED["layer_split_two_gpus"]["gpu_util"]
    cards = tuple(Gpu(uuid=str(i), util_pct=float(pct), server_bytes=5) for i, pct in enumerate(told))
    readings = [Reading(at_ns=i * 100 * MS, gpus=cards) for i in range(50)]
    assert phase_cost("decode", 0, 4 * SECOND, readings).gpu_each == (48.0, 51.0)
    assert phase_cost("decode", 0, 500 * MS, readings).gpu_each == ()


def test_measured_bandwidth_is_a_mean_of_windows_inside() -> None:
    readings = on_a_gpu(6, dram_pct=lambda t: 71.0 if t > 1 else 3.0, activity_ns=SECOND)
    assert phase_cost("decode", SECOND, 5 * SECOND, readings).dram_pct == pytest.approx(71, abs=6)
    assert phase_cost("decode", SECOND, 2 * SECOND, readings).dram_pct is None


def costs(**more: Any) -> tuple[PhaseCost, PhaseCost, dict[str, Any]]:
    told = WORKED["energy_phases"]
    prefill = PhaseCost("prefill", round(told["prefill_s"] * SECOND), energy_j=told["prefill_j"], **more)
    decode = PhaseCost("decode", round(told["decode_s"] * SECOND), energy_j=told["decode_j"], **more)
    return prefill, decode, told


def test_energy_by_token() -> None:
    prefill, decode, told = costs()
    assert mj_per_prompt_token(prefill, told["prompt_tokens"]).number == pytest.approx(
        told["prefill_mj_per_token"], abs=0.05
    )
    each = joules_per_token(decode, told["output_tokens"])
    assert (each.number, each.provenance, each.reliable) == (3.75, Provenance.DERIVED, True)
    assert tokens_per_wh(decode, told["output_tokens"]).number == told["tokens_per_wh"]


def test_energy_that_is_about_right_is_marked_so() -> None:
    _, decode, told = costs(energy_about=True)
    each = joules_per_token(decode, told["output_tokens"])
    assert (each.provenance, each.reliable) == (Provenance.ESTIMATED, False)


@pytest.mark.parametrize(
    ("cost", "tokens", "why"),
    [
        (None, 5, "no GPU energy"),
        (PhaseCost("decode", SECOND), 5, "no GPU energy"),
        (PhaseCost("decode", 100 * MS), 5, "too short"),
        (PhaseCost("decode", SECOND, energy_j=5.0), None, "no token count"),
        (PhaseCost("decode", SECOND, energy_j=5.0), 0, "no token count"),
    ],
)
def test_energy_by_token_that_cannot_be_told(cost: PhaseCost | None, tokens: int | None, why: str) -> None:
    assert why in joules_per_token(cost, tokens).note
    assert why in tokens_per_wh(cost, tokens).note


def test_energy_of_a_short_phase_is_only_about_right() -> None:
    told = WORKED["energy_short_prefill"]
    watts = float(told["mean_w"])
    readings = on_a_gpu(3, uuid="a", power_w=watts, energy_mj=lambda t: round((10 + t) * watts * 1000))
    cost = phase_cost("prefill", 0, round(told["prefill_s"] * SECOND), readings)
    assert cost.energy_about and cost.energy_j == pytest.approx(105)  # "~ 0.1 kJ"


def test_a_long_phase_is_costed_from_all_of_its_readings() -> None:
    readings = on_a_gpu(
        1000,
        uuid="a",
        util_pct=lambda t: 99.0 if 500 < t < 503 else 60.0,
        power_w=300.0,
        throttle_mask=lambda t: 0x4 if t < 500 else 0,
    )
    cost = phase_cost("decode", 0, 1000 * SECOND, readings)
    assert (cost.gpu_min_pct, cost.gpu_max_pct, cost.power_w) == (60.0, 99.0, 300.0)
    assert cost.throttle_share == pytest.approx(0.5, abs=0.01)


def test_macos_tells_what_the_faults_of_the_server_fetched() -> None:
    readings = [
        Reading(at_ns=i * 100 * MS, server=Server(pid=7, pagein_bytes=i * 5_000_000)) for i in range(40)
    ]
    cost = phase_cost("decode", SECOND, 3 * SECOND, readings)
    assert (cost.read_bytes, cost.read_bytes_s) == (100_000_000, pytest.approx(5e7))


def test_two_gpus_without_a_uuid_are_two() -> None:
    cards = (
        Gpu(util_pct=20.0, power_w=100.0, server_bytes=5),
        Gpu(util_pct=80.0, power_w=300.0, server_bytes=5),
    )
    cost = phase_cost("decode", 0, 4 * SECOND, [Reading(i * 100 * MS, gpus=cards) for i in range(-20, 61)])
    assert cost.gpu_each == (20.0, 80.0)
    assert (cost.power_w, cost.energy_j) == (pytest.approx(400), pytest.approx(1600))


def test_watts_of_several_gpus_are_not_told_for_a_phase_in_which_one_was_lost() -> None:
    one = Gpu(uuid="a", util_pct=97.0, power_w=312.0, server_bytes=5)
    other = replace(one, uuid="b")
    lost = replace(other, reason="GPU lost")

    def cost(lost_at_ms: int) -> PhaseCost:
        readings = [
            Reading(i * 100 * MS, gpus=(one, lost if i * 100 >= lost_at_ms else other))
            for i in range(-20, 61)
        ]
        return phase_cost("decode", 0, 4 * SECOND, readings)

    assert cost(5000).power_w == pytest.approx(624)
    assert cost(2000).power_w is None and cost(2000).energy_j is None
    assert cost(-9000).power_w is None
