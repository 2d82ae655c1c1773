"""The finer values of NVIDIA cards in the scenarios: counters, clocks, bandwidth, heat, bus."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tui.domain.machine import Reading, raw_from, reading_from
from tui.domain.throttle import throttle

ALL = sorted(path.stem for path in (Path(__file__).parents[1] / "data/panels/nvml").glob("*.json"))
WITH_CARDS = [name for name in ALL if "driver" not in name]


@pytest.mark.parametrize("name", WITH_CARDS)
def test_what_is_not_supported_is_asked_once_and_pcie_throughput_never(scene: Any, name: str) -> None:
    played = scene(name)
    refused: list[str] = []
    call = played.nvml._call

    def watched(function: str, args: tuple[Any, ...], named: dict[str, Any]) -> Any:
        where = (args[0].index, args[0].mig) if args and hasattr(args[0], "index") else ""
        key = f"{function} {where} {args[1:]} {named}"
        try:
            answer = call(function, args, named)
        except Exception as error:
            if getattr(error, "value", 0) in (3, 4):
                refused.append(key)
            raise
        if function == "nvmlDeviceGetFieldValues":
            refused.extend(f"{where} field {one.fieldId}" for one in answer if one.nvmlReturn == 3)
        return answer

    played.nvml._call = watched
    played.until(5)
    for _ in range(3):
        played.nvidia.mark()
        played.nvidia.step()
    assert len(refused) == len(set(refused)), sorted(refused)
    assert refused
    assert played.calls("nvmlDeviceGetPcieThroughput") == []


@pytest.mark.parametrize("name", ALL)
def test_every_scenario_survives_the_recording(scene: Any, name: str) -> None:
    played = scene(name).until(7)
    gpus, reason = played.nvidia.gpus(played._ns(), (4242,))
    reading = Reading(at_ns=5, gpus=gpus, gpu_reason=reason)
    assert bool(gpus) != bool(reason)
    assert reading_from(5, json.loads(json.dumps(raw_from(reading)))) == reading


def test_the_bandwidth_of_the_memory_comes_from_bus_width_and_clock(scene: Any, panels: Path) -> None:
    worked = json.loads((panels / "derived_expected.json").read_text())["bus_width_peak"]
    (gpu,) = scene("rtx4090_normal").until(1).gpus()
    assert gpu.mem_max_mhz == worked["max_mem_mhz"]
    assert gpu.peak_gb_s == pytest.approx(worked["gb_s"], abs=0.05)


@pytest.mark.parametrize("name", ["rtx4090_normal", "rtx4060_laptop", "wsl2_rtx4070ti"])
def test_each_card_has_the_bandwidth_its_driver_tells(scene: Any, name: str) -> None:
    played = scene(name).until(1)
    assert played.gpus()[0].peak_gb_s == pytest.approx(played.script["expect"]["peak_bw_gb_s"], abs=0.05)


def test_unified_memory_has_no_bus_and_no_memory_share(scene: Any) -> None:
    (gpu,) = scene("gb10_dgx_spark", ram_bytes=128 * 2**30).until(3).gpus(4242)
    assert gpu.util_pct == 96
    assert (gpu.mem_busy_pct, gpu.peak_gb_s, gpu.power_limit_w, gpu.mem_mhz) == (None, None, None, None)
    assert (gpu.pcie_gen, gpu.pcie_width, gpu.pcie_rx_bytes, gpu.pcie_age_ns) == (None, None, None, None)
    assert gpu.absent["power_limit_w"] == "not supported here"


def test_a_desktop_card_tells_clocks_bus_heat_and_both_powers(scene: Any) -> None:
    played = scene("rtx4090_normal").until(2)
    (gpu,) = played.gpus(4242)
    assert (gpu.sm_mhz, gpu.sm_max_mhz, gpu.mem_mhz, gpu.mem_busy_pct) == (2640, 3105, 10251, 88)
    assert (gpu.pcie_gen, gpu.pcie_width, gpu.pcie_max_gen, gpu.pcie_max_width) == (4, 16, 4, 16)
    assert (gpu.margin_c, gpu.fan_pct, gpu.mem_temperature_c) == (90 - 66, 52, None)
    assert (gpu.power_w, gpu.power_now_w) == (312.45, 312.45)
    assert (gpu.serving, gpu.other_processes, gpu.stale, gpu.absent) == (True, 0, False, {})


def test_bytes_on_the_bus_are_counters_with_their_own_age(scene: Any) -> None:
    played = scene("rtx4090_normal").until(2.05)
    first, first_ns = played.gpus()[0], played._ns()
    last, last_ns = played.until(4.55).gpus()[0], played._ns()
    span_s = (last_ns - last.pcie_age_ns - first_ns + first.pcie_age_ns) / 1e9
    assert span_s > 1
    assert (last.pcie_tx_bytes - first.pcie_tx_bytes) / span_s == pytest.approx(120e6, rel=0.01)
    assert (last.pcie_rx_bytes - first.pcie_rx_bytes) / span_s == pytest.approx(40e6, rel=0.01)


def test_counters_of_time_below_the_clock_grow_as_told(scene: Any) -> None:
    played = scene("throttling").until(1)
    before = played.gpus()[0]
    after = played.until(10).gpus()[0]
    assert (before.power_cap_ns, before.hot_ns) == (0, 0)
    assert (after.power_cap_ns, after.hot_ns) == (6_800_000_000, 3_800_000_000)
    # Numbers this driver does not know are not zeros.
    assert (after.too_hot_ns, after.power_brake_ns, after.voltage_ns) == (None, None, None)


def test_a_mark_reads_all_counters_at_once(scene: Any) -> None:
    played = scene("throttling").until(5.5)
    played.nvidia.mark()
    played.nvidia.step()
    (gpu,) = played.gpus()
    assert max(gpu.energy_age_ns, gpu.throttle_age_ns, gpu.pcie_age_ns) < 10_000_000
    assert gpu.power_cap_ns == pytest.approx((played.now_s - 2) / 7 * 6.8e9, rel=0.01)


def test_the_worst_reason_of_throttling_is_that_of_the_scenario(scene: Any) -> None:
    played = scene("throttling")
    words = {"thermal (software)": "hot", "thermal (hardware)": "too hot (hardware)"}
    marks = played.script["expect"]["marks"]  # mildest first
    edges = [at_s for mark in marks for at_s in mark[:2]]
    checked = set()
    while played.now_s < 10:
        played.until(played.now_s + 0.1)
        (gpu,) = played.gpus()
        at_s = (played._ns() - gpu.age_ns) / 1e9
        if min(abs(at_s - edge) for edge in edges) > 0.2:
            held = [(words.get(word, word), level) for start, end, word, level in marks if start < at_s < end]
            worst = throttle(gpu.throttle_mask)
            assert (worst and (worst.word, worst.level)) == (held[-1] if held else None), at_s
            checked.add(worst and worst.word)
    assert checked == {None, "power cap", "hot", "too hot (hardware)"}


def test_the_margin_shrinks_as_the_card_heats_up(scene: Any) -> None:
    played = scene("throttling")
    assert played.until(2).gpus()[0].margin_c == 90 - 78
    assert played.until(7).gpus()[0].margin_c == 90 - 87


def test_a_limit_set_below_the_usual_one_is_noted(scene: Any) -> None:
    played = scene("rtx4090_normal")
    played.script["devices"][0]["calls"]["nvmlDeviceGetPowerManagementDefaultLimit"] = {"value": 600000}
    assert played.until(1).gpus(4242)[0].note == "power limit set to 450 of 600 W"


def test_an_old_wsl_driver_is_named_as_the_reason(scene: Any, tmp_path: Path) -> None:
    (tmp_path / "sys/kernel").mkdir(parents=True)
    (tmp_path / "sys/kernel/osrelease").write_text("5.15.153.1-microsoft-standard-WSL2\n")
    (gpu,) = scene("wsl2_rtx4070ti", proc=tmp_path).until(1).gpus()
    assert gpu.note == "the WSL driver tells no utilisation: update the Windows driver"
    assert gpu.absent["util_pct"] == gpu.absent["energy_mj"] == "not supported here"


def test_values_are_stale_after_two_of_their_intervals(scene: Any) -> None:
    played = scene("rtx4090_normal").until(3)
    assert not played.gpus()[0].stale
    played.now_s += 0.3
    assert played.gpus()[0].stale


def test_a_slow_driver_is_not_stale_between_its_rare_readings(scene: Any) -> None:
    played = scene("slow_nvml").until(3)
    played.now_s += 0.9
    assert not played.gpus()[0].stale


def test_a_lost_card_is_stale(scene: Any) -> None:
    assert scene("gpu_lost_mid_run").until(7).gpus()[0].stale
