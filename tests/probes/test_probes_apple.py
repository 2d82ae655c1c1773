"""Apple chips: what the registry, the reports and the kernel tell of four machines."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from tests.probes.paper_mac import (
    MACHINES,
    SECOND,
    PaperMac,
    Told,
    composed,
    delta,
    no_reports,
    reading,
    told,
)
from tui.domain.flow import flow
from tui.domain.machine import Reading, reading_from
from tui.domain.machine import raw_from as raw
from tui.domain.pressure import Pressure, step
from tui.probes.apple import MODEL, NO_GPU, NO_GPU_VIRTUAL, AppleGpu, Reporter
from tui.probes.apple_memory import AppleSource, budget
from tui.probes.apple_registry import accelerators
from tui.probes.apple_report import Unreported


@pytest.mark.parametrize("name", MACHINES)
def test_every_machine_gives_one_reading_that_survives_a_recording(
    panels: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    vm = "vm_stat_t1.txt" if name == "m1_8g_pressure" else "vm_stat.txt"
    mac = PaperMac(panels / "macos" / name, vm)
    one = reading(composed(mac, monkeypatch))
    assert one.host["cpu"].startswith(mac.text("machdep.cpu.brand_string"))
    assert one.ram_total_bytes == mac.number("hw.memsize")
    assert one.pressure_level == mac.number("kern.memorystatus_vm_pressure_level")
    assert "stall_some_us" in one.absent and "swap_in_bytes" not in one.absent
    assert bool(one.gpus) != bool(one.gpu_reason)
    assert all(gpu.unified and gpu.mem_total_bytes == one.ram_total_bytes for gpu in one.gpus)
    lined = json.loads(json.dumps(raw(one)))
    back = reading_from(one.at_ns, lined)
    assert replace(back, host={}) == replace(one, host={})


def test_a_large_chip_at_work(panels: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    wanted = told(panels, "m4max_64g_decode")
    mac = PaperMac(panels / "macos" / "m4max_64g_decode")
    items, clocks = delta(panels)
    now_ns = 0
    gpu = AppleGpu(mac, lambda: Told(items), lambda: now_ns)
    gpu.look(False, False)
    gpu.report(False, False)
    gpu._clocks = clocks
    now_ns = SECOND
    gpu.report(True, False)
    ((card,), _) = gpu.gpus(now_ns, ())
    one = reading(composed(mac, monkeypatch))
    same = ("name", "cores", "util_pct", "mem_used_bytes", "mem_total_bytes", "mem_budget_bytes", "unified")
    assert [getattr(one.gpus[0], name) for name in same] == [getattr(card, name) for name in same]
    assert (one.gpus[0].power_w, set(one.gpus[0].absent)) == (None, {"power_w", "energy_mj"})
    assert (card.name, card.cores) == (wanted["gpu"], wanted["gpu_cores"])
    assert card.util_pct == wanted["device_util_pct"]
    assert card.mem_used_bytes == wanted["gpu_in_use_bytes"]
    assert card.mem_total_bytes == wanted["mem_total_bytes"] == one.ram_total_bytes
    assert card.mem_budget_bytes == wanted["gpu_limit_bytes"]
    assert card.unified is wanted["unified"]
    assert card.power_w == pytest.approx(wanted["gpu_power_w"], abs=0.01)
    assert card.energy_mj == 41320
    assert card.sm_mhz == pytest.approx(wanted["gpu_avg_mhz"], abs=0.1)
    assert MODEL in card.note and "rule of thumb" in card.note
    assert (one.pressure_level, one.swap_used_bytes) == (wanted["pressure_level"], wanted["swap_used_bytes"])
    assert one.thermal_level == 0


def test_the_gpus_memory_is_a_part_of_the_memory_and_never_added(
    panels: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mac = PaperMac(panels / "macos" / "m4max_64g_decode")
    one = reading(composed(mac, monkeypatch))
    used = (one.ram_total_bytes or 0) - (one.ram_available_bytes or 0)
    assert (one.gpus[0].mem_used_bytes or 0) < used < (one.ram_total_bytes or 0)


def test_a_machine_that_swaps(panels: Path) -> None:
    wanted = told(panels, "m1_8g_pressure")
    folder = panels / "macos" / "m1_8g_pressure"
    before, after = (
        Reading(
            at_ns=round(at_s * SECOND),
            **{k: v for k, v in AppleSource(PaperMac(folder, vm)).read(0).items() if k != "absent"},
        )
        for at_s, vm in ((0, "vm_stat_t0.txt"), (wanted["dt_s"], "vm_stat_t1.txt"))
    )
    now = flow(before, after)
    assert now is not None
    assert now.swap_in_bytes_s == wanted["swap_in_bytes_per_s"]
    assert now.swap_out_bytes_s == wanted["swap_out_bytes_per_s"]
    assert now.decompressed_bytes_s == wanted["decompress_bytes_per_s"]
    assert after.compressed_bytes == wanted["compressor_bytes"]
    assert after.compressed_original_bytes == wanted["compressed_logical_bytes_t1"]
    assert after.swap_used_bytes == wanted["swap_used_bytes"]
    assert after.swap_total_bytes == wanted["swap_total_bytes"]
    assert (after.pressure_level, after.thermal_level) == (wanted["pressure_level"], 1)


@pytest.mark.parametrize("name", MACHINES)
def test_every_machine_is_in_the_state_that_was_worked_out(
    panels: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    wanted, folder = told(panels, name), panels / "macos" / name
    texts = ("vm_stat_t0.txt", "vm_stat_t1.txt") if name == "m1_8g_pressure" else ("vm_stat.txt",) * 2
    pressure = Pressure()
    for at_s, vm in ((0, texts[0]), (2, texts[1])):
        mac = PaperMac(folder, vm)
        one = replace(reading(composed(mac, monkeypatch)), at_ns=at_s * SECOND)
        pressure = step(pressure, one, decoding=True)
    again = replace(one, at_ns=one.at_ns + SECOND, swap_in_bytes=grown_on(one.swap_in_bytes))
    assert step(pressure, again, decoding=True).word.value == wanted["expected_state"]


def grown_on(swapped: int | None) -> int | None:
    """A machine that swaps goes on with it; one that never did does not begin."""
    return swapped + 2**26 if swapped else swapped


def test_a_small_machine_has_no_limit_that_could_be_told(panels: Path) -> None:
    wanted = told(panels, "m1_8g_pressure")
    mac = PaperMac(panels / "macos" / "m1_8g_pressure")
    gpu = AppleGpu(mac, no_reports, lambda: 0)
    gpu.look(False, False)
    ((card,), _) = gpu.gpus(0, ())
    assert (card.mem_budget_bytes, card.mem_used_bytes) == (
        wanted["gpu_limit_bytes"],
        wanted["gpu_in_use_bytes"],
    )
    assert (card.power_w, card.energy_mj, card.note) == (None, None, "")


def test_a_raised_limit_says_what_it_leaves(panels: Path) -> None:
    wanted = told(panels, "m2ultra_192g_limit_raised")
    mac = PaperMac(panels / "macos" / "m2ultra_192g_limit_raised")
    found = budget(mac.number("hw.memsize"), mac.number("iogpu.wired_limit_mb"))
    assert found == (wanted["gpu_limit_bytes"], "GPU limit set to 180 GiB, leaves 12 GiB for the system")
    (one,) = accelerators(mac.registry())
    assert one.used_bytes == wanted["gpu_in_use_bytes"]


def test_a_virtual_machine_without_a_gpu_says_so(panels: Path) -> None:
    mac = PaperMac(panels / "macos" / "vm_no_gpu")
    gpu = AppleGpu(mac, no_reports, lambda: 0)
    assert gpu.gpus(0, ()) == ((), "asking the registry")
    gpu.look(False, False)
    assert gpu.gpus(0, ()) == ((), NO_GPU_VIRTUAL)
    mac.sysctl["machdep.cpu.brand_string"] = "Apple M9"
    gpu.look(False, False)
    assert gpu.gpus(0, ()) == ((), NO_GPU)


def test_after_a_failure_the_reports_are_never_asked_again(panels: Path) -> None:
    asked = 0

    def subscribe() -> Reporter:
        nonlocal asked
        asked += 1
        raise Unreported("no subscription")

    gpu = AppleGpu(PaperMac(panels / "macos" / "m4max_64g_decode"), subscribe, lambda: 0)
    gpu.look(False, False)
    gpu.report(False, False)
    gpu.report(True, False)
    ((card,), _) = gpu.gpus(0, ())
    assert (asked, card.power_w, card.util_pct) == (1, None, 99)


def test_a_registry_that_hangs_keeps_its_last_values_and_says_so(panels: Path) -> None:
    gpu = AppleGpu(PaperMac(panels / "macos" / "m4max_64g_decode"), no_reports, lambda: 0)
    gpu.look(False, False)
    gpu._lanes[0]._busy_ns = 0
    ((card,), _) = gpu.gpus(12 * SECOND, ())
    assert (card.reason, card.util_pct, card.age_ns) == ("no answer since 12 s", 99, 12 * SECOND)
