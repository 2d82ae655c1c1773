"""Facts of the host, and the half of the probes that works through psutil."""

from __future__ import annotations

import os
import socket
from pathlib import Path

import pytest

from tui.probes import portable
from tui.probes.host import facts, power, processor, unread_gpu


def supply(root: Path, name: str, **files: str) -> None:
    folder = root / name
    folder.mkdir(parents=True)
    for file, text in files.items():
        (folder / file).write_text(text + "\n")


@pytest.mark.parametrize(
    ("online", "status", "word"),
    [("1", "Charging", "mains"), ("0", "Discharging", "battery"), ("0", "Full", "mains")],
)
def test_where_a_laptop_takes_its_power(tmp_path: Path, online: str, status: str, word: str) -> None:
    supply(tmp_path, "AC", type="Mains", online=online)
    supply(tmp_path, "BAT0", type="Battery", status=status)
    assert power(tmp_path) == word


def test_a_machine_without_supplies_does_not_tell(tmp_path: Path) -> None:
    assert power(tmp_path) == ""
    assert "power" not in facts(2**34, tmp_path, tmp_path)
    assert facts(2**34, tmp_path, tmp_path)["memory"] == "16.0 GiB"


def test_the_processor_has_a_name() -> None:
    text = b"processor\t: 0\nmodel\t\t: 7\nmodel name\t: Some  Processor 9000\n"
    assert processor(text) == "Some Processor 9000"
    assert processor(b"processor : 0\nBogoMIPS : 50\n") == ""


@pytest.mark.parametrize(("driver", "maker"), [("asahi", "Apple"), ("amdgpu", ""), ("virtio-pci", "")])
def test_a_gpu_that_nothing_reads_is_named(tmp_path: Path, driver: str, maker: str) -> None:
    supply(tmp_path / "class/drm/card1", "device", uevent=f"DRIVER={driver}\nPCI_ID=1:2")
    assert unread_gpu(tmp_path) == maker


def test_psutil_reads_this_machine_and_says_what_it_cannot() -> None:
    told = portable.PortableSource().read(0)
    assert told["ram_total_bytes"] > told["ram_available_bytes"] > 0
    assert 0 < told["cpu_busy_s"] < told["cpu_total_s"]
    assert {"stall_some_us", "swap_in_bytes"} <= set(told["absent"])


def test_the_processor_of_a_mac_is_told_from_elsewhere(tmp_path: Path) -> None:
    assert facts(None, tmp_path, tmp_path, name="Apple M4 Max")["cpu"].startswith("Apple M4 Max, ")


def test_psutil_finds_the_own_listener_and_reads_it() -> None:
    with socket.create_server(("127.0.0.1", 0)) as sock:
        found = portable.find("127.0.0.1", sock.getsockname()[1])
    assert found.pid == os.getpid()
    server = portable.PortableTree().read(found, 0)
    assert server is not None
    assert (server.rss_bytes or 0) > 1_000_000
    assert server.read_bytes is None
    assert server.holder_pid in portable.family(os.getpid())
    assert (server.threads or 0) >= 1
    assert os.getpid() in portable.family(os.getppid())
