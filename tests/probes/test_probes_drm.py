"""AMD cards as folders of files: values, sleep, one pool of memory, and what is never read."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from tests.probes.paper_cards import SECOND, Bench, expected, reads
from tui.probes import amd, intel
from tui.probes.amd import Amd, gpu_id, highest_mhz
from tui.probes.drm import ASLEEP, cards
from tui.probes.fdinfo import client


def test_a_card_with_its_own_memory(panels: Path, tmp_path: Path) -> None:
    wanted = expected(panels, "amdgpu_rx7900xtx_decode")
    (gpu,) = Bench(panels / "drm" / "amdgpu_rx7900xtx_decode", tmp_path).after(0)
    assert (gpu.util_pct, gpu.mem_busy_pct) == (wanted["gpu_busy"], wanted["mem_busy"])
    assert (gpu.mem_used_bytes, gpu.mem_total_bytes) == (wanted["vram_used"], wanted["vram_total"])
    assert gpu.spilled_bytes == wanted["gtt_used"]
    assert (gpu.power_w, gpu.power_limit_w) == (wanted["power_w"], wanted["power_cap_w"])
    assert gpu.temperature_c == wanted["temp_hotspot_c"]
    assert (gpu.sm_mhz, gpu.mem_mhz) == (wanted["sclk_mhz"], wanted["mclk_mhz"])
    assert (gpu.uuid, gpu.unified, gpu.note) == (wanted["pdev"], False, "")
    assert gpu.energy_mj is None  # no counter that could be trusted
    assert gpu.throttle_mask is None
    assert {"energy_mj", "throttle_mask"} == set(gpu.absent)
    assert (gpu.mem_temperature_c, gpu.mem_max_mhz, gpu.power_default_w) == (78, 1249, 339)
    assert (gpu.pcie_gen, gpu.pcie_width, gpu.serving, gpu.stale) == (4, 16, False, False)


def test_a_hot_card_below_its_clock_is_probably_slowed_down(panels: Path, tmp_path: Path) -> None:
    bench = Bench(panels / "drm" / "amdgpu_rx7900xtx_decode", tmp_path)
    bench.write("card1/device/hwmon/hwmon3/temp2_input", "106000\n")
    assert bench.after(0)[0].note == ""
    bench.write("card1/device/hwmon/hwmon3/freq1_input", "1800000000\n")
    assert bench.after(0.1)[0].note == "probably slowed down by heat"


def test_an_apu_has_one_pool_of_memory_and_the_power_of_the_whole_chip(panels: Path, tmp_path: Path) -> None:
    wanted = expected(panels, "amdgpu_strix_halo_gtt")
    (gpu,) = Bench(panels / "drm" / "amdgpu_strix_halo_gtt", tmp_path).after(0)
    assert (gpu.mem_used_bytes, gpu.mem_total_bytes) == (wanted["gpu_pool_used"], wanted["gpu_pool_total"])
    assert (gpu.util_pct, gpu.mem_busy_pct) == (wanted["gpu_busy"], wanted["mem_busy"])
    assert (gpu.power_w, gpu.temperature_c) == (wanted["power_w"], wanted["temp_edge_c"])
    assert gpu.unified and gpu.spilled_bytes is None and gpu.power_limit_w is None
    assert gpu.note == amd.SOC_POWER
    assert {"mem_busy_pct", "power_limit_w"} <= set(gpu.absent)
    assert (gpu.pcie_gen, gpu.mem_temperature_c) == (None, None)


def test_a_sleeping_card_comes_first_and_nothing_but_its_sleep_is_read(
    panels: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = reads(monkeypatch)
    bench = Bench(panels / "drm" / "amdgpu_two_cards_boot_igpu", tmp_path)
    sleeper, awake = bench.after(0)
    wanted = expected(panels, "amdgpu_two_cards_boot_igpu")
    assert (sleeper.uuid, sleeper.reason) == (wanted["primary"], ASLEEP)
    assert (sleeper.util_pct, sleeper.mem_used_bytes) == (None, None)
    assert (awake.util_pct, awake.unified) == (1, True)
    of_sleeper = {Path(path).name for path in seen if "card1" in path}
    assert not of_sleeper & {"gpu_busy_percent", "mem_info_vram_used", "mem_info_vram_total"}
    bench.write("card1/device/power/runtime_status", "active\n")
    assert bench.after(1)[0].mem_total_bytes == 17163091968


def test_the_file_that_takes_a_second_is_never_read(
    panels: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench = Bench(panels / "drm" / "amdgpu_rx7900xtx_decode", tmp_path)
    bench.write("card1/device/pcie_bw", "1 2 3\n")
    seen = reads(monkeypatch)
    for _ in range(5):
        bench.after(30)
    assert not [path for path in seen if path.endswith("pcie_bw")]
    assert [path for path in seen if path.endswith("gpu_busy_percent")]


def test_a_file_that_is_not_there_is_asked_for_once(
    panels: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench = Bench(panels / "drm" / "amdgpu_strix_halo_gtt", tmp_path)
    seen = reads(monkeypatch)
    for _ in range(9):
        bench.after(0.1)
    assert len([path for path in seen if path.endswith("mem_busy_percent")]) == 1
    assert len([path for path in seen if path.endswith("gpu_busy_percent")]) == 9


def test_an_empty_answer_leaves_the_last_value_and_is_asked_again_later(panels: Path, tmp_path: Path) -> None:
    bench = Bench(panels / "drm" / "amdgpu_rx7900xtx_decode", tmp_path)
    bench.after(0)
    bench.write("card1/device/gpu_busy_percent", "")
    (gpu,) = bench.after(0.1)
    assert (gpu.util_pct, gpu.age_ns) == (98, SECOND // 10)
    bench.write("card1/device/gpu_busy_percent", "7\n")
    assert bench.after(0.1)[0].util_pct == 98
    assert bench.after(1.0)[0].util_pct == 7


def test_an_idle_card_may_fall_asleep_while_no_request_runs(panels: Path, tmp_path: Path) -> None:
    bench = Bench(panels / "drm" / "amdgpu_rx7900xtx_decode", tmp_path)
    bench.write("card1/device/power/control", "auto\n")
    bench.write("card1/device/gpu_busy_percent", "0\n")
    bench.drm.rate(1)
    assert bench.after(0)[0].age_ns == 0
    assert bench.after(8)[0].age_ns == 8 * SECOND
    assert bench.after(8)[0].age_ns == 0
    bench.drm.rate(10)
    assert bench.after(1)[0].age_ns == 0


def test_a_vulkan_server_is_measured_on_its_card(panels: Path, tmp_path: Path) -> None:
    wanted = json.loads((panels / "fdinfo" / "amdgpu_vulkan_expected.json").read_text())
    bench = Bench(panels / "drm" / "amdgpu_rx7900xtx_decode", tmp_path)
    bench.opened(4242, (panels / "fdinfo" / "amdgpu_vulkan_t0").read_bytes())
    (first,) = bench.after(0, 4242)
    assert (first.server_bytes, first.serving) == (wanted["resident_vram_bytes"], True)
    assert first.server_busy_pct is None  # one reading has no share of time
    bench.opened(4242, (panels / "fdinfo" / "amdgpu_vulkan_t1").read_bytes())
    (gpu,) = bench.after(wanted["dt_s"], 4242)
    assert gpu.server_busy_pct == pytest.approx(wanted["compute_busy_pct"])


def test_a_hip_server_is_found_in_the_compute_driver(panels: Path, tmp_path: Path) -> None:
    kfd = tmp_path / "kfd"
    for node, text in (("0", "domain 0\nlocation_id 0\n"), ("1", "domain 0\nlocation_id 768\n")):
        (kfd / "topology/nodes" / node).mkdir(parents=True)
        (kfd / "topology/nodes" / node / "properties").write_text(f"cpu_cores_count 0\n{text}")
        (kfd / "topology/nodes" / node / "gpu_id").write_text(f"{51000 + int(node)}\n")
    (kfd / "proc/4242").mkdir(parents=True)
    (kfd / "proc/4242/vram_51001").write_text("20937965568\n")
    assert gpu_id(kfd, "0000:03:00.0") == "51001"
    assert gpu_id(kfd, "nonsense") == ""
    device = panels / "drm" / "amdgpu_rx7900xtx_decode" / "card1" / "device"
    card = Amd(device, lambda: 0, kfd)
    assert card.held((), (4241, 4242)) == 20937965568
    small = client("drm-client-id: 1\ndrm-pdev: 0000:03:00.0\ndrm-resident-vram: 4 KiB\n")
    assert small is not None
    assert card.held((small,), (4242,)) == 20937965568  # the same bytes are never added
    assert card.held((small,), (1,)) == 4096
    assert card.held((), (1,)) is None


def test_connectors_are_no_cards(panels: Path, tmp_path: Path) -> None:
    root = tmp_path / "drm"
    shutil.copytree(panels / "drm" / "amdgpu_rx7900xtx_decode", root)
    (root / "card1-DP-1/device").mkdir(parents=True)
    (root / "card1-DP-1/device/uevent").write_text("DRIVER=amdgpu\n")
    assert [path.parent.name for path in cards(root, amd.DRIVERS)] == ["card1"]
    assert cards(root, intel.DRIVERS) == []


def test_a_driver_that_hangs_keeps_its_last_values_and_says_so(panels: Path, tmp_path: Path) -> None:
    bench = Bench(panels / "drm" / "amdgpu_rx7900xtx_decode", tmp_path)
    bench.after(0)
    bench.drm._pace._busy_ns = bench.now_ns
    (gpu,) = bench.drm.gpus(bench.now_ns + 12 * SECOND, ())[0]
    assert (gpu.reason, gpu.util_pct) == ("no answer since 12 s", 98)


def test_the_highest_clock_of_a_table_need_not_stand_last() -> None:
    assert highest_mhz(b"0: 500Mhz\n1: 2611Mhz *\n2: 2526Mhz\n") == 2611
    assert highest_mhz(b"") is None


def test_a_file_that_is_empty_for_a_moment_costs_its_own_value_only(panels: Path, tmp_path: Path) -> None:
    bench = Bench(panels / "drm" / "amdgpu_rx7900xtx_decode", tmp_path)
    bench.write("card1/device/current_link_speed", "")
    bench.write("card1/device/gpu_busy_percent", "")
    (gpu,) = bench.after(0)
    assert (gpu.pcie_gen, gpu.util_pct) == (None, None)
    assert gpu.power_w is not None and gpu.mem_used_bytes is not None
