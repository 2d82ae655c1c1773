"""NVIDIA cards: what each scenario shows, and what is never asked again."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pynvml
import pytest

from tui.domain.throttle import throttle
from tui.probes.nvidia import NO_DRIVER, WRONG_MODULE, Nvidia


def test_a_desktop_card_shows_everything(scene: Any) -> None:
    played = scene("rtx4090_normal").until(3)
    (gpu,) = played.gpus(4242)
    expect = played.script["expect"]
    assert gpu.name == "NVIDIA GeForce RTX 4090"
    assert (gpu.mem_used_bytes, gpu.mem_total_bytes) == (expect["mem_used"], expect["mem_total"])
    assert gpu.mem_reserved_bytes == expect["mem_reserved"]
    assert gpu.util_pct == expect["util"]
    assert gpu.power_w == pytest.approx(expect["power_w"], abs=0.1)
    assert gpu.power_limit_w == expect["power_limit_w"]
    assert gpu.temperature_c == expect["temp_c"]
    assert gpu.server_bytes == expect["server_vram"]
    assert throttle(gpu.throttle_mask) is None
    assert (gpu.unified, gpu.reason, gpu.note) == (False, "", "")
    assert played.nvidia.driver == "NVIDIA 570.133.07"


def test_energy_is_a_counter_that_grows_as_told(scene: Any) -> None:
    played = scene("rtx4090_normal").until(2)
    first, first_s = played.gpus()[0], played.now_s
    played.until(4)
    last = played.gpus()[0]
    span_s = played.now_s - first_s - (last.energy_age_ns - first.energy_age_ns) / 1e9
    joules = (last.energy_mj - first.energy_mj) / 1000
    assert joules / span_s * 2 == pytest.approx(played.script["expect"]["energy_j_over_2s"], rel=0.01)


def test_a_mark_reads_the_energy_counter_at_once(scene: Any) -> None:
    played = scene("rtx4090_normal").until(2.5)
    before = len(played.calls("nvmlDeviceGetTotalEnergyConsumption"))
    played.nvidia.mark()
    played.nvidia.step()
    assert len(played.calls("nvmlDeviceGetTotalEnergyConsumption")) == before + 1
    assert played.gpus()[0].energy_age_ns < 10_000_000


def test_a_laptop_lacks_the_limit_and_is_asked_for_it_once(scene: Any) -> None:
    played = scene("rtx4060_laptop").until(65)
    (gpu,) = played.gpus(4242)
    assert gpu.power_w == pytest.approx(71.2)
    assert gpu.power_limit_w is None
    assert len(played.calls("nvmlDeviceGetEnforcedPowerLimit")) == 1
    capped = throttle(gpu.throttle_mask)
    assert capped is not None and (capped.word, capped.level) == ("power cap", "info")


def test_a_slice_shows_its_own_memory_and_says_what_belongs_to_the_card(scene: Any, tmp_path: Path) -> None:
    (tmp_path / "self").mkdir()
    played = scene("mig_slice_container", proc=tmp_path).until(2)
    (gpu,) = played.gpus(4242)
    expect = played.script["expect"]
    assert gpu.name.endswith(expect["shown_device"])
    assert (gpu.mem_used_bytes, gpu.mem_total_bytes) == (expect["mem_used"], expect["mem_total"])
    assert gpu.util_pct is None
    assert gpu.power_w == pytest.approx(expect["power_w"], abs=0.1)
    assert gpu.note == "power, clock and temperature of the whole card, 1 process (pid of the host)"
    assert gpu.absent == {name: "not told for a slice (MIG)" for name in ("util_pct",)}
    assert gpu.peak_gb_s is None  # that of the card says nothing about a slice
    assert gpu.server_bytes is None  # the pid it tells is one of the host
    assert not gpu.unified
    assert len(played.calls("nvmlDeviceGetUtilizationRates")) == 1


def test_unified_memory_counts_the_processes(scene: Any) -> None:
    played = scene("gb10_dgx_spark", ram_bytes=128 * 2**30).until(2)
    (gpu,) = played.gpus(4242)
    assert gpu.unified
    assert gpu.mem_used_bytes == gpu.server_bytes == played.script["expect"]["gpu_resident"]
    assert gpu.mem_total_bytes == 128 * 2**30
    assert len(played.calls("nvmlDeviceGetMemoryInfo")) == 2  # both versions, never again


def test_a_card_as_large_as_the_memory_is_not_unified(scene: Any) -> None:
    assert not scene("rtx4090_normal", ram_bytes=25_757_220_864).until(1).gpus()[0].unified


def test_an_old_wsl_driver_leaves_gaps_not_zeros(scene: Any) -> None:
    played = scene("wsl2_rtx4070ti").until(5)
    (gpu,) = played.gpus(4242)
    assert (gpu.util_pct, gpu.energy_mj, gpu.server_bytes, gpu.throttle_mask) == (None, None, None, None)
    assert gpu.mem_used_bytes == played.script["expect"]["mem_used"]
    assert gpu.power_w == played.script["expect"]["power_w"]
    for function in ("nvmlDeviceGetUtilizationRates", "nvmlDeviceGetTotalEnergyConsumption"):
        assert len(played.calls(function)) == 1


def test_eight_cards_show_which_two_the_server_uses(scene: Any) -> None:
    played = scene("eight_h100").until(3)
    pids = played.script["server_pids"]
    using = [i for i, gpu in enumerate(played.gpus(*pids)) if gpu.server_bytes]
    assert using == played.script["expect"]["highlighted"]
    assert sum(played.gpus()[i].power_w for i in using) == pytest.approx(
        played.script["expect"]["power_w_server"]
    )
    assert (
        sum(gpu.server_bytes or 0 for gpu in played.gpus(*pids)) == played.script["expect"]["mem_used_server"]
    )


@pytest.mark.parametrize(
    ("name", "words", "again"),
    [
        ("no_driver", NO_DRIVER, 1),
        ("driver_not_loaded", "NVIDIA driver not loaded", 3),
        (
            "driver_mismatch",
            "NVIDIA driver and library versions differ: reboot or reload the module",
            3,
        ),
    ],
)
def test_no_cards_say_why_and_are_asked_again_every_30_s(
    scene: Any, name: str, words: str, again: int
) -> None:
    played = scene(name).until(75)
    assert played.gpus() == ()
    assert played.reason() == words
    assert len(played.calls("nvmlInit")) == again


def test_a_lost_card_keeps_its_last_values_and_is_left_alone(scene: Any) -> None:
    played = scene("gpu_lost_mid_run").until(7)
    (gpu,) = played.gpus(4242)
    assert gpu.reason == "GPU lost"
    assert (gpu.util_pct, gpu.power_w, gpu.energy_mj is not None) == (97, 312.45, True)
    assert gpu.age_ns > 900_000_000
    asked = len(played.nvml.calls)
    played.until(30)
    assert len(played.nvml.calls) == asked
    played.until(80)
    assert len(played.calls("nvmlInit")) == 3
    assert played.gpus()[0].reason == "GPU lost"
    assert played.gpus()[0].util_pct == 97


def test_throttling_is_followed(scene: Any) -> None:
    played = scene("throttling")
    words = {}
    for at_s in (1, 3, 6, 8.3, 9.5):
        now = throttle(played.until(at_s).gpus()[0].throttle_mask)
        words[at_s] = now.word if now else ""
    assert words == {1: "", 3: "power cap", 6: "hot", 8.3: "too hot (hardware)", 9.5: ""}


def test_a_slow_driver_is_asked_less_and_said_to_be_slow(scene: Any) -> None:
    played = scene("slow_nvml").until(3.9)
    assert played.gpus()[0].note == "sampling slow (NVML 48 ms per call)"
    played.until(60)
    assert len(played.calls("nvmlDeviceGetUtilizationRates")) <= 60 / 5 + 1
    assert "sampling slow" in played.gpus()[0].note


def test_while_a_call_hangs_its_values_age_and_a_reason_is_given(scene: Any) -> None:
    played = scene("slow_nvml").until(3.9)
    shown = []

    def hang(seconds: float) -> None:
        played.now_s += seconds
        shown.append(played.gpus()[0])

    played.nvml._sleep = hang
    played.script["timeline"][0]["hang_s"] = 15.0
    played.until(20)
    waiting = [gpu for gpu in shown if gpu.reason]
    assert waiting and all(gpu.reason.startswith("no answer since 1") for gpu in waiting)
    assert max(gpu.age_ns for gpu in shown) > 10e9
    assert all(gpu.util_pct == 97 for gpu in shown)
    assert played.until(40).gpus()[0].reason == ""


def test_another_module_of_that_name_is_named(tmp_path: Path) -> None:
    nvidia = Nvidia(SimpleNamespace(), sys=tmp_path)
    nvidia.step()
    assert nvidia.gpus(0, ()) == ((), WRONG_MODULE)


def test_a_sleeping_laptop_card_is_not_woken_before_a_request(scene: Any, tmp_path: Path) -> None:
    card = tmp_path / "bus/pci/devices/0000:01:00.0"
    (card / "power").mkdir(parents=True)
    (card / "vendor").write_text("0x10de\n")
    (card / "power" / "runtime_status").write_text("suspended\n")
    nvml = scene("rtx4060_laptop").nvml
    nvidia = Nvidia(nvml, sys=tmp_path)
    nvidia.step()
    assert nvidia.gpus(0, ()) == ((), "dGPU asleep")
    assert nvml.calls == []
    nvidia.rate(10)
    nvidia.step()
    assert len(nvidia.gpus(0, ())[0]) == 1


def test_a_version_error_outside_the_error_class_drops_that_call_only(
    scene: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    played = scene("rtx4090_normal")

    def mismatch(handle: object) -> None:
        raise pynvml.NVMLLibraryMismatchError("old driver")

    monkeypatch.setattr(played.nvml, "nvmlDeviceGetComputeRunningProcesses", mismatch, raising=False)
    (gpu,) = played.until(2).gpus(4242)
    assert gpu.server_bytes is None
    assert gpu.util_pct == 97
