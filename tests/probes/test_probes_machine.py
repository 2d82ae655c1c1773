"""The composed reading: whose machine it is, what a stuck source leaves, and what it all costs."""

from __future__ import annotations

import os
import platform
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from tui.domain.machine import Gpu, Reading, Server, raw_from, reading_from
from tui.probes import parts
from tui.probes.linux import LinuxSource
from tui.probes.machine import Machine, Parts
from tui.probes.server import GONE, REMOTE, Found
from tui.probes.watch import ServerWatch

SECOND = 1_000_000_000
TEN_HZ = 10
SHARE = 0.01  # of one core is what all lanes together may take


class Counts:
    """Counters that a test can hold up."""

    def __init__(self) -> None:
        self.edges: list[bool] = []
        self.hold = threading.Event()
        self.hold.set()

    def read(self, now_ns: int, edge: bool = False) -> dict[str, Any]:
        self.hold.wait(20)
        self.edges.append(edge)
        return {"ram_total_bytes": 64 * 2**30, "absent": {}}


class OneServer:
    def read(self, found: Found, now_ns: int, edge: bool = False) -> Server | None:
        return Server(found.pid, threads=3) if found.pid else None


class Cards:
    """GPUs that note what they are told."""

    driver = "driver 1"

    def __init__(self, *gpus: Gpu, reason: str = "") -> None:
        self.told: list[str] = []
        self._gpus, self._reason = gpus, reason

    def start(self) -> None:
        self.told.append("start")

    def rate(self, hz: float) -> None:
        self.told.append(f"rate {hz}")

    def mark(self) -> None:
        self.told.append("mark")

    def gpus(self, now_ns: int, server_pids: tuple[int, ...]) -> tuple[tuple[Gpu, ...], str]:
        return self._gpus, self._reason


def machine(found: Found, *cards: Cards, counts: Counts | None = None) -> Machine:
    watch = ServerWatch(lambda name, port: found, lambda pid: (pid,))
    watch.target("127.0.0.1", 80)
    watch.refresh()
    return Machine(Parts(counts or Counts(), OneServer(), watch, cards, lambda ram: {"cpu": "a"}))


def test_a_reading_has_all_gpus_and_says_which_drivers_run_them() -> None:
    one = machine(Found(5, "x", (5,)), Cards(Gpu("a")), Cards(reason="none here"), Cards(Gpu("b")))
    told = one.read(facts=True)
    assert [gpu.name for gpu in told.gpus] == ["a", "b"]
    assert (told.gpu_reason, told.host["driver"]) == ("", "driver 1, driver 1, driver 1")
    assert told.server is not None and told.server.pid == 5


def test_without_a_gpu_every_source_says_why() -> None:
    told = machine(Found(), Cards(reason="no driver"), Cards(reason="no card")).read(facts=False)
    assert (told.gpus, told.gpu_reason) == ((), "no driver, no card")


def test_a_server_elsewhere_marks_the_reading_as_of_the_wrong_machine() -> None:
    told = machine(Found(reason=REMOTE, remote=True), Cards(Gpu("a"))).read(facts=False)
    assert told.remote and told.server is None
    assert told.server_reason == REMOTE
    assert [gpu.name for gpu in told.gpus] == ["a"]  # it is this computer's, and its panel says so


def test_a_server_in_a_container_here_leaves_the_machine_the_right_one() -> None:
    found = Found(reason="server is in a container (behind docker-proxy)")
    assert not machine(found, Cards(Gpu("a"))).read(facts=False).remote


def test_files_that_do_not_answer_leave_the_gpus_and_no_old_number() -> None:
    counts, enter, now_ns = Counts(), threading.Event(), 5 * SECOND

    def clock() -> int:
        enter.set()
        return now_ns

    watch = ServerWatch(lambda name, port: Found(), lambda pid: (pid,))
    one = Machine(Parts(counts, OneServer(), watch, (Cards(Gpu("a")),), lambda ram: {}), clock)
    assert one.read(facts=False).ram_total_bytes == 64 * 2**30
    assert one.silent() is None
    counts.hold.clear()
    enter.clear()
    stuck = threading.Thread(target=one.read, args=(False,))
    stuck.start()
    assert enter.wait(20)
    while one._busy_ns is None:
        pass
    assert one.silent() is None  # not yet
    now_ns += 12 * SECOND
    told = one.silent()
    counts.hold.set()
    stuck.join()
    assert told is not None
    assert told.absent["ram_available_bytes"] == told.server_reason == "no answer since 12 s"
    assert (told.ram_total_bytes, told.server) == (None, None)
    assert [gpu.name for gpu in told.gpus] == ["a"]
    assert one.silent() is None


def test_a_mark_reaches_every_source() -> None:
    counts, cards = Counts(), Cards(Gpu("a"))
    one = machine(Found(), cards, counts=counts)
    one.read(facts=False)
    one.read(facts=False)
    one.mark()
    one.rate(10)
    one.read(facts=False)
    assert counts.edges == [True, False, True]
    assert cards.told == ["mark", "rate 10"]


def test_new_fields_survive_a_recording_and_old_recordings_can_be_read() -> None:
    one = Reading(
        at_ns=7,
        group_oom_kills=2,
        limit_group="/docker/a",
        thermal_level=2,
        memory_note="memory of the WSL2 machine",
        compressed_bytes=5,
        gpus=(Gpu("a", server_busy_pct=12.5, spilled_bytes=3, mem_busy_pct=71.0, mem_mhz=1249.0),),
        server=Server(5, thread_pct=98.0, oom_score=871, holder="llama-server", holder_pid=6, threads=18),
    )
    assert reading_from(7, raw_from(one)) == one
    old = {"ram_total_bytes": 8, "server": {"pid": 5, "rss_bytes": 3}, "gpus": [{"name": "a"}]}
    read = reading_from(1, old)
    assert read.server == Server(5, rss_bytes=3)
    assert (read.gpus, read.group_oom_kills, read.limit_group) == ((Gpu("a"),), None, "")


def test_without_drivers_no_library_of_a_gpu_is_loaded_and_it_is_said(tmp_path: Path) -> None:
    assert parts.linux(drivers=False, root=tmp_path).gpu_reason == parts.CRASHED
    assert parts.portable(drivers=False).gpus == ()


def test_cards_in_the_system_get_a_source_each(panels: Path, tmp_path: Path) -> None:
    (tmp_path / "sys/class").mkdir(parents=True)
    (tmp_path / "sys/class/drm").symlink_to(panels / "drm" / "amdgpu_rx7900xtx_decode")
    (source,) = parts.linux(drivers=False, root=tmp_path).gpus
    source.step()  # type: ignore[attr-defined]
    ((gpu,), _) = source.gpus(0, ())
    assert gpu.uuid == "0000:03:00.0"


def test_all_lanes_of_the_files_take_less_than_a_hundredth_of_a_core() -> None:
    """CPU time of this thread, so that other programs on the machine do not count."""
    composed = Machine(parts.linux(drivers=False))
    found = Found(os.getpid(), "python", (os.getpid(),))
    composed._parts.watch.found = found
    rounds = 20
    for _ in range(3):
        composed.read_files(False)
    before_ns = time.thread_time_ns()
    for _ in range(rounds):
        composed.read_files(False)
    assert (time.thread_time_ns() - before_ns) / 1e9 / rounds * TEN_HZ < SHARE


class Groups:
    """Control groups that note which process they are asked about."""

    def __init__(self) -> None:
        self.pids: list[int] = []

    def read(self, pid: int, ram_bytes: int | None, now_ns: int, edge: bool = False) -> dict[str, Any]:
        self.pids.append(pid)
        return {}


def test_the_group_of_a_server_that_is_gone_is_still_asked_until_another_is_chosen() -> None:
    watch = ServerWatch(lambda name, port: Found(), lambda pid: (pid,))
    groups = Groups()
    one = Machine(Parts(Counts(), OneServer(), watch, (), lambda ram: {}, groups))
    for found in (Found(5, "x", (5,)), Found(reason=GONE), Found(reason="looking for the server")):
        watch.found = found
        one.read_files(False)
    assert groups.pids == [5, 5, 0]


def test_a_chip_with_one_pool_has_its_gpus_bytes_within_the_memory(panels: Path, scene: Any) -> None:
    counters = LinuxSource(panels / "procfs" / "gb10_128g_loaded", Path("/nowhere"))
    ram_bytes = counters.read(0)["ram_total_bytes"]
    source = scene("gb10_dgx_spark", ram_bytes=ram_bytes).until(2).nvidia
    watch = ServerWatch(lambda name, port: Found(), lambda pid: (pid,))
    watch.found = Found(4242, "llama-server", (4242,))
    one = Machine(Parts(counters, OneServer(), watch, (source,), lambda ram: {}))
    told = one.read(facts=False)
    (gpu,) = told.gpus
    used = (told.ram_total_bytes or 0) - (told.ram_available_bytes or 0)
    assert gpu.unified and gpu.mem_total_bytes == told.ram_total_bytes
    assert 0 < (gpu.mem_used_bytes or 0) < used


@pytest.mark.parametrize("system", ["Darwin", "Windows", "Plan 9"])
def test_a_system_whose_own_calls_are_not_there_is_read_through_psutil(
    system: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(platform, "system", lambda: system)
    sources = parts.here(drivers=False)
    told = Machine(sources).read(facts=True)
    assert (told.ram_total_bytes or 0) > (told.ram_available_bytes or 0) > 0
    assert told.gpu_reason == parts.CRASHED
