"""One reading of the machine: memory, swap, stalls, disk, CPU, GPUs, and the server's process.

Counters are kept as counters (they only grow; a difference over a phase belongs to that phase), gauges as
gauges. None means "not readable here"; `absent` says why, by field name.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields

from tui.domain.values import count, finite


@dataclass(frozen=True, slots=True)
class Gpu:
    """One GPU. Utilisation is the driver's average over its own window; energy is a counter.

    A driver is asked in its own thread, so its values are older than the reading that carries them: `age_ns`
    for the gauges, `energy_age_ns` for the counter. `reason` is set while the values are frozen (GPU lost, no
    answer); `note` is a remark such as "power of the whole card".
    """

    name: str = ""
    uuid: str = ""
    util_pct: float | None = None
    mem_used_bytes: int | None = None
    mem_total_bytes: int | None = None
    mem_reserved_bytes: int | None = None  # kept by the driver, not part of used
    server_bytes: int | None = None  # held by the server's processes
    power_w: float | None = None
    power_limit_w: float | None = None
    energy_mj: int | None = None  # counter, millijoules
    temperature_c: float | None = None
    sm_mhz: float | None = None
    sm_max_mhz: float | None = None
    throttle_mask: int | None = None
    unified: bool = False  # its memory is the system's memory
    age_ns: int = 0
    energy_age_ns: int = 0
    reason: str = ""
    note: str = ""


@dataclass(frozen=True, slots=True)
class Server:
    """The process that answers (with its children), when it runs on this machine."""

    pid: int
    name: str = ""
    rss_bytes: int | None = None
    cpu_s: float | None = None  # counter, CPU seconds
    read_bytes: int | None = None  # counter, bytes really fetched from disk
    swap_bytes: int | None = None
    processes: int = 1  # in the tree, itself included
    note: str = ""  # how it was found, when that is less than certain


@dataclass(frozen=True, slots=True)
class Reading:
    """All that was read at one moment `at_ns`."""

    at_ns: int
    ram_total_bytes: int | None = None
    ram_available_bytes: int | None = None
    limit_bytes: int | None = None  # container limit, when one is set below the machine's RAM
    limit_available_bytes: int | None = None  # what is left below that limit
    swap_total_bytes: int | None = None
    swap_used_bytes: int | None = None
    swap_in_bytes: int | None = None  # counter
    swap_out_bytes: int | None = None  # counter
    swap_compressed: bool = False  # all swap is compressed memory (zram), no disk
    refault_file_bytes: int | None = None  # counter, file pages that were evicted and needed again
    stall_some_us: int | None = None  # counter, PSI memory "some"
    stall_full_us: int | None = None  # counter, PSI memory "full"
    disk_read_bytes: int | None = None  # counter, whole machine
    cpu_busy_s: float | None = None  # counter, all cores
    cpu_total_s: float | None = None  # counter, all cores
    cpu_cores: int | None = None
    cpu_mhz: float | None = None
    cpu_max_mhz: float | None = None
    oom_kills: int | None = None  # counter
    gpus: tuple[Gpu, ...] = ()
    gpu_reason: str = ""  # why `gpus` is empty, in words
    server: Server | None = None
    server_reason: str = ""  # why `server` is None
    remote: bool = False  # the server works elsewhere: this reading is about the wrong machine
    host: Mapping[str, str] = field(default_factory=dict)  # cpu, memory, driver, power source: once known
    absent: Mapping[str, str] = field(default_factory=dict)


def _told(thing: Gpu | Server | Reading) -> dict[str, object]:
    values = {f.name: getattr(thing, f.name) for f in fields(thing)}
    return {k: v for k, v in values.items() if v is not None and v is not False and v not in ("", (), {})}


def raw_from(reading: Reading) -> dict[str, object]:
    """The fields of a reading as a recording carries them, absent ones left out; `reading_from` undoes it."""
    raw = _told(reading)
    del raw["at_ns"]
    if reading.gpus:
        raw["gpus"] = [_told(gpu) for gpu in reading.gpus]
    if reading.server is not None:
        raw["server"] = _told(reading.server)
    return raw


def _fits(kind: str, value: object) -> bool:
    match kind.removesuffix(" | None"):
        case "int":
            return count(value) is not None
        case "float":
            return finite(value) is not None
        case "bool":
            return isinstance(value, bool)
        case "str":
            return isinstance(value, str)
        case _:
            return isinstance(value, Mapping) and all(isinstance(v, str) for v in value.values())


def _only(kind: type, raw: object) -> dict[str, object]:
    kinds = {f.name: str(f.type) for f in fields(kind)}
    told = raw.items() if isinstance(raw, Mapping) else ()
    return {k: v for k, v in told if k in kinds and _fits(kinds[k], v)}


def reading_from(at_ns: int, raw: Mapping[str, object]) -> Reading:
    """A reading from the fields of a recorded sample; unknown keys and values of a wrong kind are ignored."""
    values = _only(Reading, {k: v for k, v in raw.items() if k not in ("at_ns", "gpus", "server")})
    gpus, server = raw.get("gpus"), _only(Server, raw.get("server"))
    return Reading(
        at_ns=at_ns,
        gpus=tuple(Gpu(**_only(Gpu, g)) for g in gpus) if isinstance(gpus, list) else (),  # type: ignore[arg-type]
        server=Server(**server) if "pid" in server else None,  # type: ignore[arg-type]
        **values,  # type: ignore[arg-type]
    )
