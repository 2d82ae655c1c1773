"""What macOS's own numbers mean: clocks, energy, page counts, and the calls that bring them."""

from __future__ import annotations

import base64
import ctypes
import os
import plistlib
import re
from pathlib import Path

import pytest

from tests.probes.paper_mac import (
    PaperMac,
    delta,
    told,
)
from tui.probes import apple_report
from tui.probes.apple_channels import Item, activity, joules
from tui.probes.apple_memory import memory
from tui.probes.apple_process import AppleTree
from tui.probes.apple_registry import accelerators, gpu_clocks, mhz
from tui.probes.apple_report import Reports, Unreported
from tui.probes.apple_system import ResourceUsage, SwapUsage, VmStatistics
from tui.probes.portable import PortableTree
from tui.probes.server import Found


def test_clocks_and_share_of_time_are_told(panels: Path) -> None:
    wanted = told(panels, "m4max_64g_decode")
    items, clocks = delta(panels)
    found = activity(items, clocks)
    assert found is not None
    assert found.active_pct == pytest.approx(wanted["gpu_active_pct"], abs=0.01)
    assert found.mean_mhz == pytest.approx(wanted["gpu_avg_mhz"], abs=0.1)


def test_without_a_clock_for_each_state_only_the_share_of_time_is_told(panels: Path) -> None:
    items, clocks = delta(panels)
    found = activity(items, clocks[:-1])
    assert found is not None
    assert found.mean_mhz is None
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


def test_numbers_of_the_registry_that_can_not_be_are_not_told() -> None:
    odd = {"Device Utilization %": 101, "In use system memory": 2**64 - 1, "Alloc system memory": 5}
    (one,) = accelerators(plistlib.dumps([{"PerformanceStatistics": odd}]))
    assert (one.util_pct, one.used_bytes, one.alloc_bytes) == (None, None, 5)
