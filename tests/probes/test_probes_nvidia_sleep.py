"""Laptops whose NVIDIA card sleeps, and Jetsons, where the kernel tells what the library does not."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pynvml
import pytest

from tui.probes.nvidia import ASLEEP, Nvidia
from tui.probes.nvidia_sleep import Sleep
from tui.probes.tegra import Tegra

S = 1_000_000_000


def device(sys: Path, place: str, kind: str = "0x030000", **power: str) -> Path:
    """An NVIDIA device on the PCI bus; `power` are its files on power saving."""
    folder = sys / "bus/pci/devices" / place
    (folder / "power").mkdir(parents=True)
    (folder / "vendor").write_text("0x10de\n")
    (folder / "class").write_text(kind + "\n")
    for name, word in power.items():
        (folder / "power" / name).write_text(word + "\n")
    return folder


def battery(sys: Path) -> None:
    (sys / "class/power_supply/BAT0").mkdir(parents=True)
    (sys / "class/power_supply/BAT0/type").write_text("Battery\n")
    (sys / "class/power_supply/BAT0/status").write_text("Discharging\n")


def test_the_sound_device_of_a_card_says_nothing_about_the_card(tmp_path: Path) -> None:
    device(tmp_path, "0000:01:00.0", runtime_status="suspended")
    device(tmp_path, "0000:01:00.1", kind="0x040300", runtime_status="active")
    assert Sleep(tmp_path).asleep()


def test_one_card_awake_is_enough_to_ask(tmp_path: Path) -> None:
    device(tmp_path, "0000:01:00.0", runtime_status="suspended")
    device(tmp_path, "0000:02:00.0", runtime_status="active")
    assert not Sleep(tmp_path).asleep()


@pytest.mark.parametrize(
    ("control", "laptop", "may"), [("auto", True, True), ("on", True, False), ("auto", False, False)]
)
def test_only_a_laptops_card_that_the_system_switches_off_may_sleep(
    tmp_path: Path, control: str, laptop: bool, may: bool
) -> None:
    device(tmp_path, "0000:01:00.0", control=control)
    if laptop:
        battery(tmp_path)
    assert Sleep(tmp_path).may() is may


def test_a_machine_without_nvidia_cards_has_none_asleep(tmp_path: Path) -> None:
    assert not Sleep(tmp_path).asleep()
    assert not Sleep(tmp_path).may()


class Laptop:
    """A laptop whose card sleeps as soon as nobody has the driver open."""

    def __init__(self, scene: Any, sys: Path) -> None:
        self.power = device(sys, "0000:01:00.0", runtime_status="active", control="auto") / "power"
        battery(sys)
        self.played = scene("rtx4060_laptop")
        self.nvidia = Nvidia(self.played.nvml, self.now_ns, sys=sys, wall=self.played.wall_ns)
        self.calls = self.played.script["devices"][0]["calls"]

    def now_ns(self) -> int:
        return 1000 * S + round(self.played.now_s * 1e9)

    def run(self, seconds: float) -> tuple[int, str]:
        end_s = self.played.now_s + seconds
        while self.played.now_s < end_s:
            self.played.now_s += self.nvidia.step()
        gpus, reason = self.nvidia.gpus(self.now_ns(), ())
        return len(gpus), reason


def test_a_card_nobody_works_on_is_left_to_sleep_and_opened_for_a_request(scene: Any, tmp_path: Path) -> None:
    laptop = Laptop(scene, tmp_path)
    laptop.calls["nvmlDeviceGetComputeRunningProcesses"] = {"value": []}
    assert laptop.run(50) == (1, "")
    assert laptop.run(20) == (0, ASLEEP)
    assert len(laptop.played.calls("nvmlShutdown")) == 1
    asked = len(laptop.played.nvml.calls)
    assert laptop.run(100) == (0, ASLEEP)
    assert len(laptop.played.nvml.calls) == asked
    laptop.nvidia.rate(10)
    assert laptop.run(1) == (1, "")


def test_on_battery_a_request_asks_half_as_often(scene: Any, tmp_path: Path) -> None:
    laptop = Laptop(scene, tmp_path)
    laptop.nvidia.rate(10)
    laptop.run(10)
    asked = len(laptop.played.calls("nvmlDeviceGetUtilizationRates"))
    assert 48 <= asked <= 54
    assert not laptop.nvidia.gpus(laptop.now_ns(), ())[0][0].stale
    laptop.nvidia.mark()
    laptop.run(0.01)
    laptop.nvidia.mark()
    laptop.run(0.01)
    assert len(laptop.played.calls("nvmlDeviceGetUtilizationRates")) == asked + 2


def test_a_card_that_holds_a_model_is_not_left(scene: Any, tmp_path: Path) -> None:
    laptop = Laptop(scene, tmp_path)
    assert laptop.run(200) == (1, "")


def jetson(root: Path) -> tuple[Path, Path]:
    """The folders /sys and /proc of a Jetson whose GPU is busy 73.5 %."""
    sys, proc = root / "sys", root / "proc"
    (sys / "class/devfreq/17000000.gpu/device/of_node").mkdir(parents=True)
    (proc / "device-tree").mkdir(parents=True)
    files = {
        "device/of_node/name": "gpu\0",
        "device/load": "735\n",
        "cur_freq": "918000000",
        "max_freq": "1300500000",
    }
    for name, text in files.items():
        (sys / "class/devfreq/17000000.gpu" / name).write_text(text)
    (proc / "device-tree/model").write_text("NVIDIA Jetson AGX Orin Developer Kit\0")
    return sys, proc


def test_a_jetson_without_the_library_shows_load_and_clock(tmp_path: Path, scene: Any) -> None:
    sys, proc = jetson(tmp_path)
    nvidia = Nvidia(scene("no_driver").nvml, ram_bytes=64 * 2**30, sys=sys, proc=proc)
    nvidia.step()
    ((gpu,), reason) = nvidia.gpus(0, ())
    assert (gpu.name, gpu.util_pct, reason) == ("NVIDIA Jetson AGX Orin Developer Kit", 73.5, "")
    assert (gpu.sm_mhz, gpu.sm_max_mhz) == (918, 1300.5)
    assert (gpu.unified, gpu.mem_total_bytes, gpu.power_w) == (True, 64 * 2**30, None)


def test_a_jetson_with_the_library_has_both(tmp_path: Path, scene: Any) -> None:
    sys, proc = jetson(tmp_path)
    played = scene("gb10_dgx_spark")
    calls = played.script["devices"][0]["calls"]
    calls["nvmlDeviceGetName"] = {"value": "NVIDIA Thor"}
    calls["nvmlDeviceGetUtilizationRates"] = {"raises": "NotSupported"}
    nvidia = Nvidia(played.nvml, ram_bytes=128 * 2**30, sys=sys, proc=proc)
    nvidia.step()
    ((gpu,), _) = nvidia.gpus(0, ())
    assert (gpu.name, gpu.util_pct, gpu.power_w, gpu.unified) == ("NVIDIA Thor", 73.5, 61.2, True)
    assert "util_pct" not in gpu.absent and "power_limit_w" in gpu.absent


def test_other_machines_are_no_jetson(tmp_path: Path) -> None:
    assert Tegra(tmp_path, tmp_path).gpu(1) is None


def test_the_real_module_without_a_driver_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def missing() -> None:
        raise pynvml.NVMLError(12)

    monkeypatch.setattr(pynvml, "nvmlInit", missing)
    nvidia = Nvidia(pynvml, sys=tmp_path, proc=tmp_path)
    nvidia.step()
    assert nvidia.gpus(0, ()) == ((), "no NVIDIA GPU found")


def test_without_a_driver_the_thread_is_over_after_one_question(tmp_path: Path, scene: Any) -> None:
    nvidia = Nvidia(scene("no_driver").nvml, sys=tmp_path, proc=tmp_path)
    nvidia._lane._run()  # comes back
    assert nvidia.gpus(0, ()) == ((), "no NVIDIA GPU found")
