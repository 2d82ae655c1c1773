"""The calls to macOS that the probes make, and nothing else: no root, no process of a fast lane."""

from __future__ import annotations

import ctypes
import subprocess
from typing import Protocol

HOST_VM_INFO64 = 4
RUSAGE_INFO_V2 = 2
THERMAL = b"com.apple.system.thermalpressurelevel"
PATIENCE_S = 5.0
_WORDS = ("free_count", "active_count", "inactive_count", "wire_count")
_LONGS = (
    *("zero_fill_count", "reactivations", "pageins", "pageouts", "faults", "cow_faults", "lookups"),
    *("hits", "purges"),
)
_LATER = ("decompressions", "compressions", "swapins", "swapouts")
_LAST = ("compressor_page_count", "throttled_count", "external_page_count", "internal_page_count")


class VmStatistics(ctypes.Structure):
    """vm_statistics64 of <mach/vm_statistics.h>, in pages."""

    _fields_ = [
        *((name, ctypes.c_uint32) for name in _WORDS),
        *((name, ctypes.c_uint64) for name in _LONGS),
        *((name, ctypes.c_uint32) for name in ("purgeable_count", "speculative_count")),
        *((name, ctypes.c_uint64) for name in _LATER),
        *((name, ctypes.c_uint32) for name in _LAST),
        ("total_uncompressed_pages_in_compressor", ctypes.c_uint64),
    ]


class SwapUsage(ctypes.Structure):
    """xsw_usage of <sys/sysctl.h>, in bytes."""

    _fields_ = [
        *((name, ctypes.c_uint64) for name in ("total", "avail", "used")),
        ("pagesize", ctypes.c_uint32),
        ("encrypted", ctypes.c_bool),
    ]


class ResourceUsage(ctypes.Structure):
    """rusage_info_v2 of <sys/resource.h>."""

    _fields_ = [
        ("uuid", ctypes.c_uint8 * 16),
        *((name, ctypes.c_uint64) for name in ("user_time", "system_time", "idle_wkups", "interrupt_wkups")),
        *((name, ctypes.c_uint64) for name in ("pageins", "wired_size", "resident_size", "phys_footprint")),
        *((name, ctypes.c_uint64) for name in ("start_abstime", "exit_abstime")),
        *((f"child_{i}", ctypes.c_uint64) for i in range(6)),
        *((name, ctypes.c_uint64) for name in ("diskio_bytesread", "diskio_byteswritten")),
    ]


class Mac(Protocol):
    """What the probes ask macOS for. None or empty: it does not tell."""

    def number(self, name: str) -> int | None:
        """A sysctl that is a whole number."""

    def text(self, name: str) -> str:
        """A sysctl that is a text."""

    def swap(self) -> tuple[int, int] | None:
        """Total and used bytes of swap."""

    def pages(self) -> dict[str, int]:
        """Page counts and counters, by their names in vm_statistics64, and `page_size` in bytes."""

    def thermal(self) -> int | None:
        """0 nominal to 4 sleeping."""

    def usage(self, pid: int) -> dict[str, int]:
        """Footprint, page-ins and disk reads of an own process, by their names in rusage_info_v2."""

    def registry(self, *arguments: str) -> bytes:
        """The property list that `ioreg` prints. Takes a process."""


class LiveMac:
    """The Mac that this runs on. Raises OSError or AttributeError where the library is not macOS's."""

    def __init__(self) -> None:
        lib = self._lib = ctypes.CDLL("/usr/lib/libSystem.dylib", use_errno=True)
        lib.sysctlbyname.argtypes = [
            *(ctypes.c_char_p, ctypes.c_void_p, ctypes.POINTER(ctypes.c_size_t)),
            *(ctypes.c_void_p, ctypes.c_size_t),
        ]
        lib.sysctlbyname.restype = ctypes.c_int
        lib.mach_host_self.argtypes, lib.mach_host_self.restype = [], ctypes.c_uint32
        lib.host_statistics64.argtypes = [
            *(ctypes.c_uint32, ctypes.c_int, ctypes.c_void_p, ctypes.POINTER(ctypes.c_uint32)),
        ]
        lib.host_statistics64.restype = ctypes.c_int
        lib.notify_register_check.argtypes = [ctypes.c_char_p, ctypes.POINTER(ctypes.c_int)]
        lib.notify_register_check.restype = ctypes.c_uint32
        lib.notify_get_state.argtypes = [ctypes.c_int, ctypes.POINTER(ctypes.c_uint64)]
        lib.notify_get_state.restype = ctypes.c_uint32
        lib.proc_pid_rusage.argtypes = [ctypes.c_int, ctypes.c_int, ctypes.c_void_p]
        lib.proc_pid_rusage.restype = ctypes.c_int
        self._host = lib.mach_host_self()  # each call takes a reference: once is enough
        self._page_bytes = self.number("hw.pagesize") or 16384
        token = ctypes.c_int()
        registered = lib.notify_register_check(THERMAL, ctypes.byref(token)) == 0
        self._thermal = token.value if registered else None

    def number(self, name: str) -> int | None:
        raw = self._sysctl(name, 8)
        return int.from_bytes(raw, "little") if len(raw) in (4, 8) else None

    def text(self, name: str) -> str:
        return self._sysctl(name, 256).rstrip(b"\0").decode(errors="replace")

    def swap(self) -> tuple[int, int] | None:
        raw = self._sysctl("vm.swapusage", ctypes.sizeof(SwapUsage))
        if len(raw) < ctypes.sizeof(SwapUsage):
            return None
        usage = SwapUsage.from_buffer_copy(raw)
        return usage.total, usage.used

    def pages(self) -> dict[str, int]:
        found = VmStatistics()
        count = ctypes.c_uint32(ctypes.sizeof(found) // 4)
        failed = self._lib.host_statistics64(
            self._host, HOST_VM_INFO64, ctypes.byref(found), ctypes.byref(count)
        )
        if failed or count.value * 4 < ctypes.sizeof(found):
            return {}
        names = (str(entry[0]) for entry in VmStatistics._fields_)
        return {name: getattr(found, name) for name in names} | {"page_size": self._page_bytes}

    def thermal(self) -> int | None:
        state = ctypes.c_uint64()
        if self._thermal is None or self._lib.notify_get_state(self._thermal, ctypes.byref(state)):
            return None
        return state.value

    def usage(self, pid: int) -> dict[str, int]:
        found = ResourceUsage()
        if self._lib.proc_pid_rusage(pid, RUSAGE_INFO_V2, ctypes.byref(found)):
            return {}
        names = ("pageins", "phys_footprint", "diskio_bytesread")
        return {name: getattr(found, name) for name in names}

    def registry(self, *arguments: str) -> bytes:
        try:
            done = subprocess.run(
                ("/usr/sbin/ioreg", *arguments),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                timeout=PATIENCE_S,
                check=False,
            )
        except (OSError, subprocess.TimeoutExpired):
            return b""
        return done.stdout

    def _sysctl(self, name: str, size: int) -> bytes:
        buffer, length = ctypes.create_string_buffer(size), ctypes.c_size_t(size)
        failed = self._lib.sysctlbyname(name.encode(), buffer, ctypes.byref(length), None, 0)
        return b"" if failed else buffer.raw[: length.value]
