"""What drivers publish for each open device file."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from tui.probes.fdinfo import Client, DeviceFiles, busy_pct, by_card, client

SECOND = 1_000_000_000


def told(panels: Path, name: str) -> Client:
    one = client((panels / "fdinfo" / name).read_text())
    assert one is not None
    return one


@pytest.mark.parametrize(("name", "share"), [("amdgpu_vulkan", "compute_busy_pct"), ("xe", "ccs_busy_pct")])
def test_busy_time_and_memory_of_a_client(panels: Path, name: str, share: str) -> None:
    expected = json.loads((panels / "fdinfo" / f"{name}_expected.json").read_text())
    before, after = told(panels, f"{name}_t0"), told(panels, f"{name}_t1")
    assert busy_pct([before], [after], SECOND) == pytest.approx(expected[share], abs=0.01)
    assert after.vram_bytes == expected["resident_vram_bytes"]
    assert after.pdev == "0000:03:00.0"


def test_nvidias_own_driver_publishes_nothing(panels: Path) -> None:
    assert client((panels / "fdinfo" / "nvidia_proprietary").read_text()) is None


def test_two_files_of_one_client_count_once(panels: Path) -> None:
    one = told(panels, "amdgpu_vulkan_t0")
    other = client("drm-client-id: 58\ndrm-pdev: 0000:03:00.0\n")
    assert other is not None
    cards = by_card([one, one, other])
    assert {pdev: len(clients) for pdev, clients in cards.items()} == {"0000:03:00.0": 2}


def test_engines_of_one_kind_share_their_time() -> None:
    def at(ns: int) -> Client:
        return Client("a", 1, engine_ns={"gfx": ns, "dma": ns // 10}, capacity={"gfx": 2})

    assert busy_pct([at(0)], [at(SECOND)], SECOND) == 50


def test_a_counter_that_went_back_or_a_new_client_has_no_share() -> None:
    before = Client("a", 1, engine_ns={"gfx": 5})
    assert busy_pct([before], [Client("a", 1, engine_ns={"gfx": 3})], SECOND) is None
    assert busy_pct([before], [Client("a", 2, engine_ns={"gfx": 9})], SECOND) is None
    assert busy_pct([], [], SECOND) is None


def test_a_process_without_device_files_tells_nothing() -> None:
    assert DeviceFiles().read((os.getpid(), 2**22 + 1), 0) is None
