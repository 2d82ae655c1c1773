"""What the probes could read of this machine in one reading, by groups, or why not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tui.domain.machine import Gpu, Reading
from tui.plot.numbers import size

NO_ANSWER = "no answer"
_HERE = "not readable on this machine"
_GHZ = 1000
# (what, field) of a GPU's values, in the order of telling.
_GPU = (
    ("use", "util_pct"),
    ("memory", "mem_used_bytes"),
    ("power", "power_w"),
    ("energy", "energy_mj"),
    ("clock", "sm_mhz"),
    ("heat", "temperature_c"),
    ("limits", "throttle_mask"),
    ("bus", "pcie_rx_bytes"),
    ("bandwidth", "dram_pct"),
)


@dataclass(frozen=True, slots=True)
class Group:
    """One group of values: what was read, or why nothing was."""

    name: str
    readable: bool
    told: str


def groups(reading: Reading | None, why: str = NO_ANSWER) -> tuple[Group, ...]:
    """All groups, in a fixed order; `why` there is no reading."""
    if reading is None:
        names = ("memory", "swap", "memory stalls", "disk", "disk stalls", "processor", "clock", "GPU")
        return tuple(Group(name, False, why or NO_ANSWER) for name in (*names, "server"))
    total = reading.ram_total_bytes
    memory = f"{size(total)}" if total else "read"
    if reading.limit_bytes:
        memory += f", limit of its group {size(reading.limit_bytes)}"
    return (
        _group(reading, "memory", "ram_available_bytes", memory),
        _group(reading, "swap", "swap_in_bytes", _swap(reading)),
        _group(reading, "memory stalls", "stall_some_us", "time that programs waited for memory"),
        _group(reading, "disk", "disk_read_bytes", "bytes read from it"),
        _group(reading, "disk stalls", "io_stall_some_us", "time that programs waited for disks"),
        _group(reading, "processor", "cpu_busy_s", f"use of {reading.cpu_cores or '?'} cores"),
        _group(reading, "clock", "cpu_mhz", f"{(reading.cpu_mhz or 0) / _GHZ:.1f} GHz now"),
        *_graphics(reading),
        _server(reading),
    )


def _group(reading: Reading, name: str, field: str, told: str) -> Group:
    if getattr(reading, field) is None:
        return Group(name, False, reading.absent.get(field, _HERE))
    return Group(name, True, told)


def _swap(reading: Reading) -> str:
    if not reading.swap_total_bytes:
        return "there is none"
    return size(reading.swap_total_bytes) + (", compressed memory" if reading.swap_compressed else "")


def _graphics(reading: Reading) -> Sequence[Group]:
    if not reading.gpus:
        why = reading.gpu_reason or _HERE
        return [Group("GPU", False, NO_ANSWER if why.startswith("asking") else why)]
    return [_gpu(gpu, f" {at}" if len(reading.gpus) > 1 else "") for at, gpu in enumerate(reading.gpus)]


def _gpu(gpu: Gpu, number: str) -> Group:
    read = [what for what, field in _GPU if getattr(gpu, field) is not None]
    lacks = [what for what, field in _GPU if getattr(gpu, field) is None]
    told = f"{gpu.name or 'GPU'}: " + (", ".join(read) or gpu.reason or _HERE)
    if read and lacks:
        told += f"; not {', '.join(lacks)}"
    return Group(f"GPU{number}", bool(read), told + (f" ({gpu.note})" if gpu.note else ""))


def _server(reading: Reading) -> Group:
    server = reading.server
    if server is None:
        why = reading.server_reason or _HERE
        return Group("server", False, NO_ANSWER if why.startswith("looking") else why)
    told = [f"process {server.pid}" + (f" {server.name}" if server.name else "")]
    told += ["memory"] if server.rss_bytes is not None else []
    told += ["disk"] if server.read_bytes is not None else []
    told += ["its model's file"] if reading.model is not None else []
    return Group("server", True, ", ".join(told) + (f" ({server.note})" if server.note else ""))
