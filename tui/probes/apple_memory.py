"""macOS: memory, swap traffic, the compressor and the pressure level of the kernel."""

from __future__ import annotations

from typing import Any

from tui.probes.apple_system import Mac
from tui.probes.portable import PortableSource

Fields = dict[str, Any]

MIB, GIB = 2**20, 2**30
SMALL_BYTES = 36 * GIB  # up to here the share of the GPU has no rule that holds
LARGE_SHARE = 0.75  # above it: what Metal recommends as the largest working set, a rule of thumb
_SLOW_NS = 1_000_000_000


def memory(pages: dict[str, int]) -> Fields:
    """The fields of a Reading from page counts. Available = free and inactive pages."""
    size = pages.get("page_size", 0)

    def scaled(*names: str) -> int | None:
        known = [pages[name] for name in names if name in pages]
        return sum(known) * size if size and len(known) == len(names) else None

    return {
        "ram_available_bytes": scaled("free_count", "inactive_count"),
        "swap_in_bytes": scaled("swapins"),
        "swap_out_bytes": scaled("swapouts"),
        "decompressed_bytes": scaled("decompressions"),
        "compressed_bytes": scaled("compressor_page_count"),
        "compressed_original_bytes": scaled("total_uncompressed_pages_in_compressor"),
    }


def budget(ram_bytes: int | None, wired_limit_mb: int | None) -> tuple[int | None, str]:
    """What the GPU may hold of the memory, and where that is known from.

    A limit somebody set is exact. Without one, Metal recommends about three quarters of more than 36 GiB;
    below, the share differs between systems and no number is given.
    """
    if ram_bytes is None:
        return None, ""
    if wired_limit_mb:
        limit = wired_limit_mb * MIB
        left = (ram_bytes - limit) / GIB
        return limit, f"GPU limit set to {limit / GIB:.0f} GiB, leaves {left:.0f} GiB for the system"
    if ram_bytes > SMALL_BYTES:
        return round(LARGE_SHARE * ram_bytes), "GPU limit by rule of thumb: ≈ 75 % of the memory"
    return None, ""


class AppleSource:
    """Reads the counters of macOS; CPU and disks come from psutil, whose swap counters mean other things."""

    def __init__(self, mac: Mac) -> None:
        self._mac, self._portable = mac, PortableSource()
        self._ram_bytes = mac.number("hw.memsize")
        self._slow: Fields = {}
        self._slow_ns = 0

    def read(self, now_ns: int, edge: bool = False) -> Fields:
        """The fields of now, with `absent` saying why the others are missing."""
        mac, told = self._mac, self._portable.read(now_ns)
        if now_ns >= self._slow_ns:
            self._slow_ns = now_ns + _SLOW_NS
            level = mac.number("kern.memorystatus_vm_pressure_level")
            self._slow = {"pressure_level": level, "thermal_level": mac.thermal()}
        swap = mac.swap()
        told |= {k: v for k, v in memory(mac.pages()).items() if v is not None} | self._slow
        told["ram_total_bytes"] = self._ram_bytes or told["ram_total_bytes"]
        if swap is not None:
            told["swap_total_bytes"], told["swap_used_bytes"] = swap
        absent = {name: why for name, why in told["absent"].items() if told.get(name) is None}
        told["absent"] = absent
        return told
