"""Apple chips: what the registry, the reports and the kernel tell of four machines."""

from __future__ import annotations

import base64
import ctypes
import json
import os
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tui.domain.flow import flow
from tui.domain.machine import Reading, reading_from
from tui.domain.machine import raw_from as raw
from tui.domain.pressure import Pressure, step
from tui.probes import apple_report, host
from tui.probes.apple import MODEL, NO_GPU, NO_GPU_VIRTUAL, AppleGpu, Reporter
from tui.probes.apple_channels import Item, activity, joules
from tui.probes.apple_memory import AppleSource, budget, memory, swap_usage, vm_stat
from tui.probes.apple_process import AppleTree
from tui.probes.apple_registry import accelerators, gpu_clocks, mhz
from tui.probes.apple_report import Reports, Unreported
from tui.probes.apple_system import ResourceUsage, SwapUsage, VmStatistics
from tui.probes.machine import Machine, Parts
from tui.probes.portable import PortableTree
from tui.probes.server import Found
from tui.probes.watch import ServerWatch

SECOND = 1_000_000_000
MACHINES = ("m1_8g_pressure", "m2ultra_192g_limit_raised", "m4max_64g_decode", "vm_no_gpu")


class PaperMac:
    """A Mac that lies in a folder."""

    def __init__(self, folder: Path, vm: str = "vm_stat.txt") -> None:
        self.folder, self.vm = folder, vm
        lines = (line.partition(": ") for line in (folder / "sysctl.txt").read_text().splitlines())
        self.sysctl = {name: value for name, _, value in lines}
        self.used: dict[int, dict[str, int]] = {}
        self.asked: list[tuple[str, ...]] = []

    def number(self, name: str) -> int | None:
        text = self.sysctl.get(name, "")
        return int(text) if text.isdigit() else None

    def text(self, name: str) -> str:
        return self.sysctl.get(name, "")

    def swap(self) -> tuple[int, int] | None:
        return swap_usage(self.sysctl["vm.swapusage"])

    def pages(self) -> dict[str, int]:
        return vm_stat((self.folder / self.vm).read_text())

    def thermal(self) -> int | None:
        return int((self.folder / "notifyutil_thermal.txt").read_text().split()[-1])

    def usage(self, pid: int) -> dict[str, int]:
        return self.used.get(pid, {})

    def registry(self, *arguments: str) -> bytes:
        self.asked.append(arguments)
        if "pmgr" in arguments:
            return b""
        return (self.folder / "ioreg_IOAccelerator.plist").read_bytes()


def told(panels: Path, name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((panels / "macos" / name / "expected.json").read_text())
    return found


def delta(panels: Path) -> tuple[list[Item], tuple[float, ...]]:
    """The growth of the reports over a second, and the clocks of the states."""
    raw_delta = json.loads((panels / "macos" / "m4max_64g_decode" / "ioreport_delta.json").read_text())
    items = [
        Item(
            one["group"],
            one["channel"],
            one["unit"],
            one.get("value", 0),
            tuple((name, time) for name, time in one.get("states", [])),
        )
        for one in raw_delta["items"]
    ]
    return items, tuple(raw_delta["gpu_freqs_mhz"])


class Told:
    """Reports that give the same growth each time."""

    def __init__(self, items: list[Item]) -> None:
        self._items = items

    def items(self) -> list[Item]:
        return self._items


def no_reports() -> Reporter:
    raise Unreported("not here")


def machine_of(mac: PaperMac, gpu: AppleGpu) -> Machine:
    """What the sampler composes on macOS, with a Mac of paper below it."""
    return Machine(
        Parts(
            counters=AppleSource(mac),
            tree=AppleTree(mac),
            watch=ServerWatch(lambda name, port: Found(), lambda pid: (pid,)),
            gpus=(gpu,),
            facts=lambda ram: host.facts(ram, name=mac.text("machdep.cpu.brand_string")),
        )
    )


def reading(mac: PaperMac, gpu: AppleGpu) -> Reading:
    """One reading, without the threads that take it in real life."""
    machine = machine_of(mac, gpu)
    files = machine.read_files(True)
    gpus, reason = machine._gpus(files.at_ns, ())
    return Reading(at_ns=files.at_ns, **files.fields, gpus=gpus, gpu_reason=reason)


@pytest.mark.parametrize("name", MACHINES)
def test_every_machine_gives_one_reading_that_survives_a_recording(panels: Path, name: str) -> None:
    vm = "vm_stat_t1.txt" if name == "m1_8g_pressure" else "vm_stat.txt"
    mac = PaperMac(panels / "macos" / name, vm)
    gpu = AppleGpu(mac, no_reports, lambda: 0)
    gpu.look(False, False)
    one = reading(mac, gpu)
    assert one.ram_total_bytes == mac.number("hw.memsize")
    assert one.pressure_level == mac.number("kern.memorystatus_vm_pressure_level")
    assert "stall_some_us" in one.absent and "swap_in_bytes" not in one.absent
    assert bool(one.gpus) != bool(one.gpu_reason)
    assert all(gpu.unified and gpu.mem_total_bytes == one.ram_total_bytes for gpu in one.gpus)
    lined = json.loads(json.dumps(raw(one)))
    back = reading_from(one.at_ns, lined)
    assert replace(back, host={}) == replace(one, host={})


def test_a_large_chip_at_work(panels: Path) -> None:
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
    one = reading(mac, gpu)
    card = one.gpus[0]
    assert card.name == f"{wanted['gpu']}, {wanted['gpu_cores']} GPU cores"
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


def test_the_gpus_memory_is_a_part_of_the_memory_and_never_added(panels: Path) -> None:
    mac = PaperMac(panels / "macos" / "m4max_64g_decode")
    gpu = AppleGpu(mac, no_reports, lambda: 0)
    gpu.look(False, False)
    one = reading(mac, gpu)
    used = (one.ram_total_bytes or 0) - (one.ram_available_bytes or 0)
    assert (one.gpus[0].mem_used_bytes or 0) < used < (one.ram_total_bytes or 0)


def test_clocks_and_share_of_time_make_the_load(panels: Path) -> None:
    wanted = told(panels, "m4max_64g_decode")
    items, clocks = delta(panels)
    found = activity(items, clocks)
    assert found is not None
    assert found.active_pct == pytest.approx(wanted["gpu_active_pct"], abs=0.01)
    assert found.mean_mhz == pytest.approx(wanted["gpu_avg_mhz"], abs=0.1)
    assert found.load_pct == pytest.approx(wanted["gpu_load_norm_pct"], abs=0.01)


def test_without_a_clock_for_each_state_only_the_share_of_time_is_told(panels: Path) -> None:
    items, clocks = delta(panels)
    found = activity(items, clocks[:-1])
    assert found is not None
    assert (found.mean_mhz, found.load_pct) == (None, None)
    assert found.active_pct == pytest.approx(98.75)
    assert activity([Item("GPU Stats", "GPUPH", states=(("OFF", 0),))], clocks) is None
    assert activity([], clocks) is None


@pytest.mark.parametrize(
    ("unit", "value", "energy"),
    [("nJ", 41320500000, 41.3205), ("uJ", 2_000_000, 2.0), ("mJ", 1500, 1.5), ("mJ ", 1500, 1.5)],
)
def test_energy_is_read_in_the_unit_that_stands_beside_it(unit: str, value: int, energy: float) -> None:
    assert joules([Item("Energy Model", "GPU Energy", unit, value)]) == pytest.approx(energy)


def test_energy_in_an_unknown_unit_or_of_another_part_is_none() -> None:
    assert joules([Item("Energy Model", "GPU Energy", "ticks", 5)]) is None
    assert joules([Item("Energy Model", "CPU Energy", "mJ", 5)]) is None


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
def test_every_machine_is_in_the_state_that_was_worked_out(panels: Path, name: str) -> None:
    wanted, folder = told(panels, name), panels / "macos" / name
    texts = ("vm_stat_t0.txt", "vm_stat_t1.txt") if name == "m1_8g_pressure" else ("vm_stat.txt",) * 2
    pressure = Pressure()
    for at_s, vm in ((0, texts[0]), (2, texts[1])):
        mac = PaperMac(folder, vm)
        gpu = AppleGpu(mac, no_reports, lambda: 0)
        gpu.look(False, False)
        one = replace(reading(mac, gpu), at_ns=at_s * SECOND)
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


def test_the_registry_may_be_empty_broken_or_of_another_shape() -> None:
    for text in (b"", b"\n", b"<plist", b"not a plist", b"<plist><array><string>x</string></array></plist>"):
        assert accelerators(text) == []
    text = b"<plist><array><dict><key>model</key><integer>1</integer></dict></array></plist>"
    (one,) = accelerators(text)
    assert (one.name, one.util_pct, one.used_bytes) == ("", None, None)


@pytest.mark.parametrize("unit", [1, 1_000, 1_000_000])
def test_clocks_are_in_megahertz_whatever_unit_the_generation_uses(unit: int) -> None:
    assert mhz([0, 338 * unit, 1578 * unit]) == (338, 1578)
    assert mhz([]) == ()


def test_the_clocks_of_the_gpu_lie_in_pairs_in_the_power_manager() -> None:
    words = b"".join(number.to_bytes(4, "little") for number in (0, 0, 338_000, 600, 1_578_000, 900))
    data = base64.b64encode(words).decode()
    text = f"<plist><array><dict><key>voltage-states9</key><data>{data}</data></dict></array></plist>"
    assert gpu_clocks(text.encode()) == (338, 1578)
    assert gpu_clocks(b"") == ()


def test_the_servers_page_ins_are_its_disk_reads(panels: Path) -> None:
    mac = PaperMac(panels / "macos" / "m4max_64g_decode")
    pid = os.getpid()
    tree = AppleTree(mac, PortableTree())
    found = Found(pid, "ollama", (pid,))
    plain = tree.read(found, 0)
    assert plain is not None
    assert (plain.footprint_bytes, plain.pagein_bytes) == (None, None)
    mac.used[pid] = {"phys_footprint": 9 * 2**30, "pageins": 3, "diskio_bytesread": 70000}
    server = tree.read(found, 0)
    assert server is not None
    assert (server.footprint_bytes, server.pagein_bytes, server.read_bytes) == (9 * 2**30, 3 * 16384, 70000)
    assert tree.read(Found(reason="gone"), 0) is None


def test_swap_is_read_with_a_decimal_comma_too() -> None:
    assert swap_usage("total = 4096,00M  used = 3017,25M  free = 1078,75M") == (4294967296, 3163815936)
    assert swap_usage("") is None


def test_page_counts_without_a_page_size_are_no_bytes() -> None:
    assert memory({"swapins": 5})["swap_in_bytes"] is None
    assert memory({})["ram_available_bytes"] is None


def test_the_structures_have_the_sizes_of_the_system() -> None:
    assert ctypes.sizeof(VmStatistics) == 38 * 4  # HOST_VM_INFO64_COUNT words
    assert ctypes.sizeof(SwapUsage) == 32
    assert ctypes.sizeof(ResourceUsage) == 16 + 18 * 8
    assert ResourceUsage.diskio_bytesread.offset == 16 + 16 * 8


def test_where_the_library_is_not_there_it_is_simply_not_reported() -> None:
    with pytest.raises(Unreported):
        Reports()


def test_every_function_of_the_private_library_is_declared() -> None:
    source = Path(apple_report.__file__).read_text()
    called = set(re.findall(r'_call\["(\w+)"\]', source))
    declared = set(re.findall(r'^    "(\w+)": \(\[', source, re.MULTILINE))
    assert called == declared
