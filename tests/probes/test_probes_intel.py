"""Intel cards as folders of files: counters, throttling, and the GPU inside a processor."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from tests.probes.paper_cards import Bench, expected
from tui.domain.throttle import throttle as worst
from tui.probes import intel
from tui.probes.intel import power_limit, throttle


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
