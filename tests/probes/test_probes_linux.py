"""Linux counters: /proc as text, pairs of readings with known rates, and control groups."""

from __future__ import annotations

import json
import os
import shutil
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tui.domain.flow import flow
from tui.domain.machine import Reading
from tui.domain.pressure import Pressure, Word, step
from tui.probes.kept import Kept
from tui.probes.linux import WSL, LinuxSource, all_compressed, cpu_times, meminfo, vmstat, zram
from tui.probes.process import Threads
from tui.probes.server import Found
from tui.probes.tree import TreeSource

SECOND = 1_000_000_000
PAGE = 4096
OOM_SCORE = 871
SERVER = Found(pid=4242, name="llama-server", tree=(4242,))


def reading(case: Path, at_ns: int) -> Reading:
    """One reading of a machine that lies in a folder."""
    source = LinuxSource(proc=case, sys=case / "sys", page_bytes=PAGE)
    server = TreeSource(case).read(SERVER, at_ns)
    return Reading(at_ns=at_ns, **source.read(at_ns), server=server)


def pair(panels: Path, name: str) -> tuple[Reading, Reading, dict[str, Any]]:
    expected = json.loads((panels / "procfs" / f"{name}_expected.json").read_text())
    later_ns = round(expected["dt_s"] * SECOND)
    cases = [panels / "procfs" / f"{name}_{moment}" for moment in ("t0", "t1")]
    return reading(cases[0], 0), reading(cases[1], later_ns), expected


def grown(name: str, before: Reading, after: Reading) -> float:
    """The growth of a counter of the whole machine."""
    return float(getattr(after, name) - getattr(before, name))


def word_after(before: Reading, after: Reading, decoding: bool) -> Word:
    """The word when the second reading comes twice, as it does once a state lasts."""
    pressure = Pressure()
    for one in (before, after):
        pressure = step(pressure, one, decoding)
    return step(pressure, next_reading(before, after), decoding).word


def next_reading(before: Reading, after: Reading) -> Reading:
    """A third reading, in which time and counters go on as they did in the second."""
    counters = ("at_ns", "swap_in_bytes", "stall_some_us", "stall_full_us", "refault_file_bytes")
    gone_on = {name: 2 * getattr(after, name) - getattr(before, name) for name in counters}
    server = after.server
    if server and before.server and server.read_bytes is not None and before.server.read_bytes is not None:
        server = replace(server, read_bytes=2 * server.read_bytes - before.server.read_bytes)
    return replace(after, **gone_on, server=server)


def test_a_swap_storm(panels: Path) -> None:
    before, after, expected = pair(panels, "linux_swap_storm")
    now = flow(before, after)
    assert now is not None
    assert now.swap_in_bytes_s == expected["swap_in_bytes_per_s"]
    assert now.swap_out_bytes_s == expected["swap_out_bytes_per_s"]
    assert now.stall_some_pct == pytest.approx(expected["psi_mem_some_pct"], rel=0.01)
    assert now.stall_full_pct == pytest.approx(expected["psi_mem_full_pct"], rel=0.01)
    assert now.disk_read_bytes_s == expected["disk_read_bytes_per_s"]
    assert grown("io_stall_some_us", before, after) / 1e4 == pytest.approx(
        expected["psi_io_some_pct"] * expected["dt_s"], rel=0.01
    )
    assert after.swap_used_bytes == expected["swap_used_bytes_t1"]
    assert after.ram_available_bytes == expected["mem_available_bytes_t1"]
    assert not after.swap_compressed
    assert word_after(before, after, decoding=True).value == expected["expected_state"]


def test_a_model_larger_than_memory_is_paged_although_memory_looks_free(panels: Path) -> None:
    before, after, expected = pair(panels, "linux_mmap_paging")
    now = flow(before, after)
    assert now is not None and after.server is not None
    assert now.server_read_bytes_s == expected["server_read_bytes_per_s"]
    assert now.refault_bytes_s == expected["refault_file_bytes_per_s"]
    assert now.disk_read_bytes_s == expected["system_disk_read_bytes_per_s"]
    assert now.stall_some_pct == pytest.approx(expected["psi_mem_some_pct"], rel=0.01)
    assert now.swap_in_bytes_s == expected["swap_in_bytes_per_s"]
    ticks = (now.server_cpu_cores or 0) * expected["dt_s"] * os.sysconf("SC_CLK_TCK")
    assert ticks == pytest.approx(expected["server_cpu_ticks"])
    held = expected["server_rss_file_bytes_t1"] + expected["server_rss_anon_bytes_t1"]
    assert after.server.rss_bytes == held
    assert after.server.rss_file_bytes == expected["server_rss_file_bytes_t1"]
    assert after.server.rss_anon_bytes == expected["server_rss_anon_bytes_t1"]
    assert before.server is not None and before.server.major_faults is not None
    faults = (after.server.major_faults or 0) - before.server.major_faults
    assert faults == expected["server_majflt_per_s"] * expected["dt_s"]
    assert grown("io_stall_some_us", before, after) / 1e4 == pytest.approx(
        expected["psi_io_some_pct"] * expected["dt_s"], rel=0.01
    )
    assert (after.server.threads, after.server.oom_score) == (18, OOM_SCORE)
    assert (after.server.holder, after.server.holder_pid) == ("llama-server", 4242)
    assert (after.ram_available_bytes or 0) > 27 * 2**30
    assert word_after(before, after, decoding=True).value == expected["expected_state"]


def test_reads_before_the_first_token_are_loading_and_no_alarm(panels: Path) -> None:
    before, after, _ = pair(panels, "linux_mmap_paging")
    before, after = (replace(one, stall_some_us=0, stall_full_us=0) for one in (before, after))
    word = word_after(before, after, decoding=False)
    assert (word, word.level) == (Word.LOADING, "info")


def test_a_calm_machine_has_no_reasons(panels: Path) -> None:
    calm = reading(panels / "procfs" / "linux_idle_64g", 0)
    assert calm.stall_some_us is not None
    assert not {"stall_some_us", "ram_available_bytes", "swap_in_bytes", "oom_kills"} & set(calm.absent)


@pytest.mark.parametrize("case", ["el9_no_psi", "wsl2_16g"])
def test_without_stall_counters_they_are_absent_with_a_reason(panels: Path, case: str) -> None:
    one = reading(panels / "procfs" / case, 0)
    assert one.stall_some_us is None
    assert one.absent["stall_some_us"] == "not on this system"
    assert one.ram_total_bytes is not None


def test_a_kernel_before_5_9_has_one_refault_counter() -> None:
    assert vmstat(b"workingset_refault 7\n", PAGE)["refault_file_bytes"] == 7 * PAGE


def test_cpu_time_waiting_for_a_disk_is_not_busy_and_guests_count_once() -> None:
    line = b"cpu  100 10 20 300 40 5 5 20 60 6\ncpu0 1 1 1 1\n"
    assert cpu_times(line, 100) == {"cpu_busy_s": 1.6, "cpu_total_s": 5.0}


def test_swap_is_compressed_only_when_no_area_is_on_a_disk() -> None:
    head = b"Filename Type Size Used Priority\n"
    assert all_compressed(head + b"/dev/zram0 partition 8 1 100\n")
    assert not all_compressed(head + b"/dev/zram0 partition 8 1 100\n/swapfile file 8 0 -2\n")
    assert not all_compressed(head)


def test_memory_inside_of_windows_says_whose_it_is(panels: Path) -> None:
    assert reading(panels / "procfs" / "wsl2_16g", 0).memory_note == WSL
    assert reading(panels / "procfs" / "linux_idle_64g", 0).memory_note == ""


def test_a_machine_with_one_pool_has_its_memory_from_the_kernel(panels: Path) -> None:
    loaded = reading(panels / "procfs" / "gb10_128g_loaded", 0)
    assert loaded.ram_total_bytes == 127534016 * 1024
    assert loaded.ram_available_bytes == 41880120 * 1024


def test_compressed_memory_is_told_from_both_of_its_makers() -> None:
    held = zram([b"4096 1000 2000 0 2000 1 2 3 4\n", b"4096 500 1000 0 1000 0 0 0 0\n"])
    assert held == {"compressed_original_bytes": 8192, "compressed_bytes": 3000}
    assert zram([]) == {}
    assert meminfo(b"Zswap: 3 kB\nZswapped: 9 kB\n")["compressed_original_bytes"] == 9 * 1024
    assert vmstat(b"zswpin 5\n", 16384)["decompressed_bytes"] == 5 * 16384


def test_pages_out_of_compressed_memory_are_not_read_from_the_disk_beside_it(
    panels: Path, tmp_path: Path
) -> None:
    proc, zram0 = tmp_path / "proc", tmp_path / "sys/block/zram0"
    shutil.copytree(panels / "procfs" / "linux_swap_storm_t0", proc)
    zram0.mkdir(parents=True)
    (zram0 / "mm_stat").write_text("8192 3000 4096 0 4096 0 0 0 0\n")
    (zram0 / "stat").write_text("2 0 16 0 0 0 0 0\n")
    plain = LinuxSource(proc, tmp_path / "sys", PAGE).read(0)
    (proc / "swaps").write_text("Filename Type Size\n/dev/zram0 partition 8\n/swapfile file 8\n")
    mixed = LinuxSource(proc, tmp_path / "sys", PAGE).read(0)
    assert mixed["swap_in_bytes"] == plain["swap_in_bytes"] - 16 * 512
    assert mixed["decompressed_bytes"] == (plain["decompressed_bytes"] or 0) + 16 * 512
    assert (mixed["compressed_bytes"], mixed["swap_compressed"]) == (4096, False)


def test_swap_traffic_is_counted_in_the_pages_of_this_kernel() -> None:
    assert vmstat(b"pswpin 5\npswpout 2\n", 65536)["swap_in_bytes"] == 5 * 65536


def thread(folder: Path, tid: int, ticks: int) -> None:
    (folder / str(tid)).mkdir(parents=True, exist_ok=True)
    (folder / str(tid) / "stat").write_text(f"{tid} (a b) c) S {'0 ' * 10} {ticks} 0 0 0 20 0\n")


def test_the_busiest_thread_is_looked_for_once_the_process_fills_a_core(tmp_path: Path) -> None:
    threads = Threads(tmp_path, ticks_per_s=100)
    for tid in (1, 2):
        thread(tmp_path, tid, 0)
    threads.look(0.0, 0)
    threads.look(0.2, SECOND)
    assert threads.busiest_pct is None
    threads.look(1.3, 2 * SECOND)
    assert threads.busiest_pct is None  # one look gives no time between two
    thread(tmp_path, 1, 98)
    thread(tmp_path, 2, 15)
    threads.look(2.4, 3 * SECOND)
    assert threads.busiest_pct == pytest.approx(98)


def test_the_file_of_a_dead_process_says_so() -> None:
    pid = os.fork()
    if not pid:
        os._exit(0)
    kept = Kept(Path(f"/proc/{pid}/stat"))
    os.waitpid(pid, 0)
    assert (kept.read(), kept.reason) == (b"", "process gone")


def test_this_machine_can_be_read_in_well_under_a_tick() -> None:
    source = LinuxSource()
    now_ns = time.monotonic_ns()
    source.read(now_ns)
    before_ns = time.thread_time_ns()
    for _ in range(20):
        told = source.read(now_ns)
    assert told["ram_total_bytes"] > told["ram_available_bytes"] > 0
    assert (time.thread_time_ns() - before_ns) / 20 < 5_000_000


@pytest.mark.parametrize("odd", [b"", b"abc\n", b"x 1 3\n", b"12\xff 5 6\n"])
def test_files_that_read_otherwise_than_they_should_cost_their_own_values_only(
    panels: Path, tmp_path: Path, odd: bytes
) -> None:
    proc, sys = tmp_path / "proc", tmp_path / "sys"
    shutil.copytree(panels / "procfs" / "linux_idle_64g", proc)
    (sys / "block/zram0").mkdir(parents=True)
    (proc / "swaps").write_bytes(b"Filename\n/dev/zram0 partition 1 1 5\n/swapfile file 1 1 -2\n")
    (proc / "cpuinfo").write_bytes(b"cpu MHz\t\t: " + odd)
    (proc / "stat").write_bytes(b"cpu  1 2 3 4 5 6 7 " + odd)
    (proc / "vmstat").write_bytes(b"pswpin 3\npswpout " + odd)
    for name in ("mm_stat", "stat"):
        (sys / "block/zram0" / name).write_bytes(b"7 " + odd)
    told = LinuxSource(proc, sys, 4096).read(0)
    assert told["ram_total_bytes"] and told["swap_in_bytes"] is not None
    assert told.get("cpu_busy_s") is told["cpu_mhz"] is None
    assert told["absent"]["cpu_busy_s"]
    Reading(0, **told)
