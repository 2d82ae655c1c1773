"""Windows: the commit charge, which makes allocations fail however free the memory looks; and hard faults."""

from __future__ import annotations

import ctypes
import struct
from typing import Any, Protocol

from tui.probes.portable import PortableSource

Fields = dict[str, Any]

_PERFORMANCE = 2  # SystemPerformanceInformation
_COMMIT_LIMIT_AT, _PAGES_READ_AT = 52, 80  # in that structure, both 32 bits


class PerformanceInfo(ctypes.Structure):
    """PERFORMANCE_INFORMATION of <psapi.h>, in pages."""

    _fields_ = [
        ("cb", ctypes.c_uint32),
        *(
            (name, ctypes.c_size_t)
            for name in (
                *("CommitTotal", "CommitLimit", "CommitPeak", "PhysicalTotal", "PhysicalAvailable"),
                *("SystemCache", "KernelTotal", "KernelPaged", "KernelNonpaged", "PageSize"),
            )
        ),
        *((name, ctypes.c_uint32) for name in ("HandleCount", "ProcessCount", "ThreadCount")),
    ]


class Calls(Protocol):
    """What is asked of Windows. Empty: it does not tell."""

    def performance(self) -> dict[str, int]:
        """PERFORMANCE_INFORMATION by its names."""

    def system(self) -> bytes:
        """SYSTEM_PERFORMANCE_INFORMATION as it lies in memory."""


def commit(told: dict[str, int]) -> Fields:
    """Memory promised to all programs, and the most that can be: RAM and page files."""
    size = told.get("PageSize", 0)
    if not size:
        return {}
    return {
        "commit_bytes": told["CommitTotal"] * size,
        "commit_limit_bytes": told["CommitLimit"] * size,
    }


def pages_read(raw: bytes, told: dict[str, int]) -> Fields:
    """Bytes read to serve hard faults, a counter of 32 bits in pages.

    The structure is not documented: the commit limit in it has to agree with the documented one, else its
    layout is another and nothing is told.
    """
    if len(raw) < _PAGES_READ_AT + 4 or not told.get("PageSize"):
        return {}
    (limit,), (pages,) = (struct.unpack_from("<I", raw, at) for at in (_COMMIT_LIMIT_AT, _PAGES_READ_AT))
    return {"page_read_bytes": pages * told["PageSize"]} if limit == told["CommitLimit"] & 0xFFFFFFFF else {}


class WindowsSource:
    """psutil's counters, and those two."""

    def __init__(self, calls: Calls) -> None:
        self._calls, self._portable = calls, PortableSource()

    def read(self, now_ns: int, edge: bool = False) -> Fields:
        """The fields of now, with `absent` saying why the others are missing."""
        told = self._calls.performance()
        return self._portable.read(now_ns, edge) | commit(told) | pages_read(self._calls.system(), told)


class LiveCalls:
    """The Windows that this runs on. Raises AttributeError elsewhere."""

    def __init__(self) -> None:
        libraries: Any = getattr(ctypes, "windll")  # noqa: B009 - only there on Windows
        self._get = libraries.psapi.GetPerformanceInfo
        self._get.argtypes, self._get.restype = [ctypes.c_void_p, ctypes.c_uint32], ctypes.c_int
        self._query = libraries.ntdll.NtQuerySystemInformation
        self._query.argtypes = [ctypes.c_int, ctypes.c_void_p, ctypes.c_uint32, ctypes.c_void_p]
        self._query.restype = ctypes.c_int32

    def performance(self) -> dict[str, int]:
        info = PerformanceInfo(cb=ctypes.sizeof(PerformanceInfo))
        if not self._get(ctypes.byref(info), ctypes.sizeof(info)):
            return {}
        return {str(entry[0]): getattr(info, str(entry[0])) for entry in PerformanceInfo._fields_}

    def system(self) -> bytes:
        buffer, length = ctypes.create_string_buffer(1024), ctypes.c_uint32()
        failed = self._query(_PERFORMANCE, buffer, len(buffer), ctypes.byref(length)) < 0
        return b"" if failed else buffer.raw[: length.value]


def calls() -> Calls:
    """The calls of this system."""
    return LiveCalls()
