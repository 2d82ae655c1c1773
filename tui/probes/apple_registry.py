"""The GPU of an Apple chip as the registry of its drivers (IORegistry) tells it."""

from __future__ import annotations

import plistlib
import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from xml.parsers.expat import ExpatError

ACCELERATORS = ("-r", "-c", "IOAccelerator", "-d", "1", "-a")
CLOCKS = ("-r", "-n", "pmgr", "-d", "1", "-a")
_GPU_CLOCKS = "voltage-states9"
_MOST = (1 << 63) - 1
_HZ, _KHZ = 10_000_000, 10_000  # clocks above these are in Hz, in kHz; else in MHz


@dataclass(frozen=True, slots=True)
class Accelerator:
    """One entry of the registry. Keys come and go with the generations: each can be None.

    `util_pct` is the share of time it was busy, at whatever clock. `used_bytes` is in memory now,
    `alloc_bytes` was asked for.
    """

    name: str = ""
    cores: int | None = None
    util_pct: float | None = None
    used_bytes: int | None = None
    alloc_bytes: int | None = None


def accelerators(plist: bytes) -> list[Accelerator]:
    """The accelerators in the property list of ioreg; none for empty or broken text."""
    return [_accelerator(entry) for entry in _entries(plist)]


def _accelerator(entry: Mapping[str, object]) -> Accelerator:
    told = entry.get("PerformanceStatistics")
    figures = told if isinstance(told, Mapping) else {}
    model = entry.get("model")
    if isinstance(model, bytes):
        model = model.rstrip(b"\0").decode(errors="replace")
    return Accelerator(
        name=model if isinstance(model, str) else "",
        cores=_whole(entry.get("gpu-core-count")),
        util_pct=_whole(figures.get("Device Utilization %"), 100),
        used_bytes=_whole(figures.get("In use system memory")),
        alloc_bytes=_whole(figures.get("Alloc system memory")),
    )


def gpu_clocks(plist: bytes) -> tuple[float, ...]:
    """The GPU's clock steps in MHz, lowest first, from the entry of the power manager.

    They lie in pairs of 32-bit words, clock and voltage; the unit changed between generations and is told
    by the size of the numbers.
    """
    for entry in _entries(plist):
        raw = entry.get(_GPU_CLOCKS)
        if isinstance(raw, bytes) and len(raw) >= 8:
            return mhz([pair[0] for pair in struct.iter_unpack("<II", raw[: len(raw) // 8 * 8])])
    return ()


def mhz(clocks: Sequence[int]) -> tuple[float, ...]:
    """The same clocks in MHz, whatever their unit; zeros (off) are left out."""
    known = [clock for clock in clocks if clock]
    top = max(known, default=0)
    divisor = 1e6 if top > _HZ else 1e3 if top > _KHZ else 1
    return tuple(clock / divisor for clock in known)


def _entries(plist: bytes) -> list[Mapping[str, object]]:
    try:
        found = plistlib.loads(plist) if plist.strip() else []
    except (plistlib.InvalidFileException, ExpatError, ValueError, OverflowError):
        return []
    entries = found if isinstance(found, list) else [found]
    return [entry for entry in entries if isinstance(entry, Mapping)]


def _whole(value: object, most: int = _MOST) -> int | None:
    """None for what is no count: the registry tells negative numbers as ones just below 2^64."""
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= most else None
