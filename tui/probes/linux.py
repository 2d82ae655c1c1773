"""Linux: memory, swap, stall, disk and CPU counters from /proc and /sys."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from tui.probes.kept import Kept, number, read_once

Fields = dict[str, Any]  # a part of the fields of a Reading, by name

CLOCK_CORES = 8  # a clock is asked of this many cores at most
WSL = "memory of the WSL2 machine, not of Windows"
_SLOW_NS = 1_000_000_000  # clocks and swap areas
_CPU_MHZ = re.compile(rb"^cpu MHz[^:\n]*:[ \t]*(\d+(?:\.\d+)?)[ \t]*$", re.MULTILINE)
_OF_FILE = {
    "meminfo": ("ram_total_bytes", "ram_available_bytes", "swap_total_bytes", "swap_used_bytes"),
    "vmstat": ("swap_in_bytes", "swap_out_bytes", "disk_read_bytes", "refault_file_bytes", "oom_kills"),
    "pressure/memory": ("stall_some_us", "stall_full_us"),
    "pressure/io": ("io_stall_some_us", "io_stall_full_us"),
    "stat": ("cpu_busy_s", "cpu_total_s"),
}


def meminfo(text: bytes) -> Fields:
    """RAM and swap in bytes from /proc/meminfo (which counts in KiB)."""
    total, free = number(text, b"SwapTotal:"), number(text, b"SwapFree:")
    return {
        "ram_total_bytes": _scaled(number(text, b"MemTotal:"), 1024),
        "ram_available_bytes": _scaled(number(text, b"MemAvailable:"), 1024),
        "swap_total_bytes": _scaled(total, 1024),
        "swap_used_bytes": None if total is None or free is None else (total - free) * 1024,
        "compressed_bytes": _scaled(number(text, b"Zswap:"), 1024),
        "compressed_original_bytes": _scaled(number(text, b"Zswapped:"), 1024),
    }


def vmstat(text: bytes, page_bytes: int) -> Fields:
    """Counters of /proc/vmstat: swap and refaults are in pages, pgpgin in KiB.

    Kernels before 5.9 had one refault counter without the suffix. Pages that come out of zswap are not in
    pswpin: no disk is read for them.
    """
    refaults = number(text, b"workingset_refault_file ")
    if refaults is None:
        refaults = number(text, b"workingset_refault ")
    return {
        "swap_in_bytes": _scaled(number(text, b"pswpin "), page_bytes),
        "swap_out_bytes": _scaled(number(text, b"pswpout "), page_bytes),
        "disk_read_bytes": _scaled(number(text, b"pgpgin "), 1024),
        "refault_file_bytes": _scaled(refaults, page_bytes),
        "decompressed_bytes": _scaled(number(text, b"zswpin "), page_bytes),
        "oom_kills": number(text, b"oom_kill "),
    }


def stalls(text: bytes, what: str = "stall") -> Fields:
    """The totals of a pressure file in microseconds; fresh at each read, unlike its averages."""
    totals: Fields = {}
    for line in text.splitlines():
        kind, _, rest = line.partition(b" ")
        total = rest.rpartition(b"total=")[2]
        if kind in (b"some", b"full") and total.isdigit():
            totals[f"{what}_{kind.decode()}_us"] = int(total)
    return totals


def cpu_times(text: bytes, ticks_per_s: int) -> Fields:
    """Busy and total CPU seconds of all cores from the first line of /proc/stat; guests are inside user."""
    words = text[: text.find(b"\n")].split()[1:9]
    if len(words) < 8 or not text.startswith(b"cpu ") or not _all_whole(words):
        return {}
    ticks = [int(word) for word in words]
    idle = ticks[3] + ticks[4]  # idle, and idle while waiting for a disk
    return {"cpu_busy_s": (sum(ticks) - idle) / ticks_per_s, "cpu_total_s": sum(ticks) / ticks_per_s}


def all_compressed(swaps: bytes) -> bool:
    """Whether all swap areas of /proc/swaps are compressed memory."""
    areas = swaps.splitlines()[1:]
    return bool(areas) and all(area.startswith(b"/dev/zram") for area in areas)


def partly_compressed(swaps: bytes) -> bool:
    """Whether some swap areas of /proc/swaps are compressed memory and others are on a disk."""
    areas = [area.startswith(b"/dev/zram") for area in swaps.splitlines()[1:]]
    return any(areas) and not all(areas)


def from_disk(told: Fields, zram_stats: Iterable[bytes]) -> Fields:
    """Swap traffic parted into that from a disk and that from compressed areas, by the reads of the latter.

    The third number in a block device's `stat` counts sectors of 512 bytes that were read.
    """
    reads = [int(words[2]) * 512 for text in zram_stats if _all_whole(words := text.split()[:3], 3)]
    swap_in = told.get("swap_in_bytes")
    if swap_in is None or not reads:
        return {}
    return {
        "swap_in_bytes": max(swap_in - sum(reads), 0),
        "decompressed_bytes": (told.get("decompressed_bytes") or 0) + sum(reads),
    }


def zram(mm_stats: Iterable[bytes]) -> Fields:
    """What compressed swap areas hold and the memory they take, from their `mm_stat` files."""
    held = [words for text in mm_stats if _all_whole(words := text.split()[:3], 3)]
    if not held:
        return {}
    return {
        "compressed_original_bytes": sum(int(words[0]) for words in held),
        "compressed_bytes": sum(int(words[2]) for words in held),
    }


def _all_whole(words: Sequence[bytes], least: int = 0) -> bool:
    return len(words) >= least and all(word.isdigit() for word in words)


def _scaled(value: int | None, factor: int) -> int | None:
    return None if value is None else value * factor


class LinuxSource:
    """Reads the machine's counters; `read` takes about a tenth of a millisecond."""

    def __init__(self, proc: Path = Path("/proc"), sys: Path = Path("/sys"), page_bytes: int = 0) -> None:
        self._proc = proc
        self._page_bytes = page_bytes or os.sysconf("SC_PAGE_SIZE")
        self._ticks_per_s = os.sysconf("SC_CLK_TCK")
        self._files = {name: Kept(proc / name) for name in _OF_FILE}
        self._cores = sorted((sys / "devices/system/cpu").glob("cpu[0-9]*/cpufreq"))[:CLOCK_CORES]
        self._zram = sorted((sys / "block").glob("zram*/mm_stat"))
        self._slow: Fields = {"cpu_cores": os.cpu_count(), "memory_note": WSL if wsl(proc) else ""}
        self._slow_ns = 0
        self._mixed = False

    def read(self, now_ns: int, edge: bool = False) -> Fields:
        """The fields of now, with `absent` saying why the others are missing.

        All counters are read each time, so an `edge` wants nothing more; clocks and swap areas once a second.
        """
        texts = {name: file.read() for name, file in self._files.items()}
        if now_ns >= self._slow_ns:
            self._slow_ns = now_ns + _SLOW_NS
            self._slow |= self._clock() | zram(read_once(path) for path in self._zram)
            swaps = read_once(self._proc / "swaps")
            self._slow["swap_compressed"] = all_compressed(swaps)
            self._mixed = partly_compressed(swaps)
        told = {
            **meminfo(texts["meminfo"]),
            **vmstat(texts["vmstat"], self._page_bytes),
            **stalls(texts["pressure/memory"]),
            **stalls(texts["pressure/io"], "io_stall"),
            **cpu_times(texts["stat"], self._ticks_per_s),
            **self._slow,
        }
        if self._mixed:
            told |= from_disk(told, (read_once(path.with_name("stat")) for path in self._zram))
        told["absent"] = self._absent(told)
        return told

    def _absent(self, told: Fields) -> dict[str, str]:
        return {
            field: self._files[name].reason or "not told by this kernel"
            for name, names in _OF_FILE.items()
            for field in names
            if told.get(field) is None
        }

    def _clock(self) -> Fields:
        """Mean clock of the cores in MHz: from cpufreq (kHz), else from /proc/cpuinfo."""
        now = [_khz(core / "scaling_cur_freq") for core in self._cores]
        most = [_khz(core / "cpuinfo_max_freq") for core in self._cores]
        mhz = [khz / 1000 for khz in now if khz] or [
            float(told) for told in _CPU_MHZ.findall(read_once(self._proc / "cpuinfo"))
        ]
        highest = max((khz for khz in most if khz), default=None)
        return {
            "cpu_mhz": sum(mhz) / len(mhz) if mhz else None,
            "cpu_max_mhz": highest / 1000 if highest else None,
        }


def wsl(proc: Path = Path("/proc")) -> bool:
    """Whether this is Linux inside Windows: its memory and its processes are not all there is."""
    return b"microsoft" in read_once(proc / "sys/kernel/osrelease").lower()


def _khz(path: Path) -> int | None:
    text = read_once(path).strip()
    return int(text) if text.isdigit() else None
