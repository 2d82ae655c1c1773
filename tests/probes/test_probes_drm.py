"""AMD and Intel cards as folders of files: values, sleep, one pool of memory, and what is never read."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tui.domain.machine import Gpu
from tui.domain.throttle import throttle as worst
from tui.probes import amd, intel, question
from tui.probes.amd import Amd, gpu_id, highest_mhz
from tui.probes.drm import ASLEEP, Drm, cards, pci_name
from tui.probes.fdinfo import client
from tui.probes.intel import Intel, power_limit, throttle

SECOND = 1_000_000_000


class Bench:
    """Cards in a folder that a test may write to, in a time that it moves."""

    def __init__(self, fixture: Path, root: Path, maker: str = "AMD") -> None:
        self.root, self.proc, self.now_ns = root / "drm", root / "proc", 0
        shutil.copytree(fixture, self.root)
        self.proc.mkdir()
        drivers, make = (amd.DRIVERS, Amd) if maker == "AMD" else (intel.DRIVERS, Intel)
        self.drm = Drm(maker, drivers, make, self.root, self.proc, lambda: self.now_ns)
        self.drm.rate(10)

    def write(self, name: str, text: str) -> None:
        (self.root / name).write_text(text)

    def opened(self, pid: int, fdinfo: bytes) -> None:
        """The process has a card open, on two descriptors of one client."""
        for folder in ("fd", "fdinfo"):
            (self.proc / str(pid) / folder).mkdir(parents=True, exist_ok=True)
        for number in ("7", "8"):
            link = self.proc / str(pid) / "fd" / number
            if not link.is_symlink():
                link.symlink_to("/dev/dri/renderD128")
            (self.proc / str(pid) / "fdinfo" / number).write_bytes(fdinfo)

    def after(self, seconds: float, *pids: int) -> tuple[Gpu, ...]:
        """What is known once that much time has passed and the driver was asked again."""
        self.now_ns += round(seconds * SECOND)
        self.drm.gpus(self.now_ns, pids)
        self.drm.step()
        return self.drm.gpus(self.now_ns, pids)[0]


def expected(panels: Path, name: str) -> dict[str, Any]:
    folder = panels / "drm"
    path = folder / name / "expected.json"
    told: dict[str, Any] = json.loads(
        (path if path.exists() else folder / f"{name}_expected.json").read_text()
    )
    return told


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


def reads(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The paths of all files that are opened for one read."""
    seen: list[str] = []
    original = os.open

    def noted(path: Any, *rest: Any, **more: Any) -> int:
        seen.append(str(path))
        return original(path, *rest, **more)

    monkeypatch.setattr(os, "open", noted)
    return seen


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
    assert first.server_bytes == wanted["resident_vram_bytes"]
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


def test_an_intel_card_by_its_counters(panels: Path, tmp_path: Path) -> None:
    wanted = expected(panels, "xe_arc_b580")
    bench = Bench(panels / "drm" / "xe_arc_b580_t0", tmp_path, "Intel")
    (first,) = bench.after(0)
    assert (first.power_w, first.util_pct) == (None, None)
    assert first.energy_mj == 91220331
    shutil.copytree(panels / "drm" / "xe_arc_b580_t1", bench.root, dirs_exist_ok=True)
    (gpu,) = bench.after(wanted["dt_s"])
    assert gpu.power_w == pytest.approx(wanted["power_w_card"])
    assert (gpu.energy_mj or 0) - 91220331 == pytest.approx(1000 * wanted["power_w_card"] * wanted["dt_s"])
    assert gpu.util_pct == pytest.approx(wanted["gt_active_pct"])
    assert gpu.note == intel.NOT_BUSY
    assert gpu.temperature_c == wanted["temp_c_t1"]
    assert (gpu.mem_used_bytes, gpu.server_bytes) == (wanted["vram_used"], None)
    assert (gpu.sm_mhz, gpu.sm_max_mhz) == (2750, 2850)
    assert (gpu.power_limit_w, gpu.throttle_mask, gpu.unified) == (190, 0, False)


def test_an_edge_brings_the_energy_at_once(panels: Path, tmp_path: Path) -> None:
    bench = Bench(panels / "drm" / "xe_arc_b580_t0", tmp_path, "Intel")
    bench.after(0)
    bench.drm.mark()
    bench.write("card0/device/hwmon/hwmon4/energy1_input", "91220999000\n")
    (gpu,) = bench.after(0.01)
    assert (gpu.energy_mj, gpu.energy_age_ns) == (91220999, 0)


def test_a_xe_server_is_measured_by_cycles(panels: Path, tmp_path: Path) -> None:
    wanted = json.loads((panels / "fdinfo" / "xe_expected.json").read_text())
    bench = Bench(panels / "drm" / "xe_arc_b580_t0", tmp_path, "Intel")
    bench.opened(31, (panels / "fdinfo" / "xe_t0").read_bytes())
    bench.after(0, 31)
    bench.opened(31, (panels / "fdinfo" / "xe_t1").read_bytes())
    (gpu,) = bench.after(1, 31)
    assert gpu.server_bytes == wanted["resident_vram_bytes"]
    assert gpu.server_busy_pct == pytest.approx(wanted["ccs_busy_pct"], abs=0.01)


def test_the_gpu_inside_a_processor_shows_only_while_the_server_uses_it(tmp_path: Path) -> None:
    device = tmp_path / "source/card0/device"
    (device / "power").mkdir(parents=True)
    (device / "uevent").write_text("DRIVER=i915\nPCI_SLOT_NAME=0000:00:02.0\n")
    (device.parent / "gt/gt0").mkdir(parents=True)
    (device.parent / "gt/gt0/rps_act_freq_mhz").write_text("1100\n")
    bench = Bench(tmp_path / "source", tmp_path, "Intel")
    assert bench.after(0) == ()
    assert bench.drm.gpus(0, ())[1] == "no Intel GPU in use"
    told = b"drm-client-id: 1\ndrm-pdev: 0000:00:02.0\ndrm-resident-system0: 8 KiB\n"
    bench.opened(9, told)
    (gpu,) = bench.after(1, 9)
    assert (gpu.sm_mhz, gpu.server_bytes, gpu.unified) == (1100, 8192, True)


@pytest.mark.parametrize(
    ("files", "mask"),
    [
        ({"status": "1", "reason_pl1": "1"}, 0x04),
        ({"status": "1", "reason_thermal": "1", "reason_pl2": "1"}, 0x24),
        ({"throttle_reason_status": "1", "throttle_reason_prochot": "1"}, 0x40),
    ],
)
def test_what_slows_an_intel_card_down_has_the_same_words(
    tmp_path: Path, files: dict[str, str], mask: int
) -> None:
    for name, text in files.items():
        (tmp_path / name).write_text(text + "\n")
    assert throttle(tmp_path) == (mask, False)
    assert worst(mask) is not None


def test_a_slow_card_without_a_reason_is_no_card_at_full_speed(tmp_path: Path) -> None:
    (tmp_path / "status").write_text("1\n")
    assert throttle(tmp_path) == (0, True)


def test_a_limit_of_zero_watts_is_none(panels: Path, tmp_path: Path) -> None:
    assert power_limit(panels / "drm/xe_arc_b580_t0/card0/device/hwmon/hwmon4") == 190_000_000
    with pytest.raises(OSError):
        power_limit(tmp_path)


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


def test_the_trade_name_of_a_card() -> None:
    rows = ("# a list", "1002  AMD", "\t744c  Navi 31 [Radeon RX 7900 XT]", "8086  Intel")
    table = "\n".join((*rows, "\te20b  Battlemage G21 [Arc B580]", "\t1234  Plain", ""))
    assert pci_name(table, "8086", "e20b") == "Arc B580"
    assert pci_name(table, "8086", "1234") == "Plain"
    assert pci_name(table, "1002", "e20b") == ""
    assert pci_name("", "1002", "744c") == ""


def test_the_highest_clock_of_a_table_need_not_stand_last() -> None:
    assert highest_mhz(b"0: 500Mhz\n1: 2611Mhz *\n2: 2526Mhz\n") == 2611
    assert highest_mhz(b"") is None


@pytest.mark.parametrize(("took_ms", "asked"), [(0, 13), (10, 2), (60, 1)])
def test_a_slow_file_is_asked_less_often(took_ms: int, asked: int) -> None:
    now_ns, calls = 0, 0

    def ask() -> int:
        nonlocal now_ns, calls
        now_ns, calls = now_ns + took_ms * question.MS, calls + 1
        return 1

    one: question.Question[int] = question.Question(ask)
    clock: Callable[[], int] = lambda: now_ns  # noqa: E731
    for tick in range(13):
        now_ns = max(now_ns, tick * SECOND // 10 + took_ms * question.MS)
        one.refresh(clock)
    assert calls == asked


def test_a_counter_has_no_slope_before_its_second_value_and_none_after_a_reset() -> None:
    slope = question.Slope()
    assert slope.add((10, 0)) is None
    assert slope.add((20, SECOND // 10)) is None
    assert slope.add((60, SECOND)) == 50
    assert slope.add(None) == 50
    assert slope.add((5, 2 * SECOND)) is None
    assert slope.add((6, 60 * SECOND)) is None  # asleep in between
