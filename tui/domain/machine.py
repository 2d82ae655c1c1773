"""One reading of the machine: memory, swap, stalls, disk, CPU, GPUs, and the server's process.

Counters are kept as counters (they only grow; a difference over a phase belongs to that phase), gauges as
gauges. None means "not readable here"; `absent` says why, by field name.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields

from tui.domain.characters import encodable
from tui.domain.shape import ModelShape, shape_from, shape_raw
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
    util_window_ns: int | None = None  # what `util_pct` is an average over, when the driver tells
    power_cap_ns: int | None = None  # counter, time below its clock for power
    hot_ns: int | None = None  # counter, for heat, by the driver
    too_hot_ns: int | None = None  # counter, for heat, by the hardware
    power_brake_ns: int | None = None  # counter, for the power supply
    pcie_rx_bytes: int | None = None  # counter, host to GPU
    pcie_tx_bytes: int | None = None  # counter, GPU to host
    dram_pct: float | None = None  # measured share of the memory's bandwidth
    mem_mhz: float | None = None
    mem_busy_pct: float | None = None  # share of time its memory controller worked
    mem_alloc_bytes: int | None = None  # of unified memory: asked for, used or not
    spilled_bytes: int | None = None  # of its data, in the system's memory for want of its own
    server_busy_pct: float | None = None  # share of time its busiest engine worked for the server
    peak_gb_s: float | None = None  # bandwidth of its memory, from bus width and clock, 10^9 bytes/s
    cores: int | None = None  # of an Apple GPU: models of one name differ in it
    mem_budget_bytes: int | None = None  # of unified memory, what the system lets the GPU hold
    util_recent: tuple[
        tuple[int, float], ...
    ] = ()  # the driver's own samples: (age in ns, %), each told once
    power_now_w: float | None = None  # over about 0.1 s, where `power_w` is over a second
    power_default_w: float | None = None  # the limit it was shipped with
    mem_max_mhz: float | None = None
    mem_temperature_c: float | None = None
    margin_c: float | None = None  # left until it slows itself down
    fan_pct: float | None = None  # of its full speed, as ordered
    voltage_ns: int | None = None  # counter, below its clock for the board's voltage limits
    throttle_age_ns: int | None = None  # of the counters of time below its clock
    pcie_age_ns: int | None = None  # of the PCIe counters
    pcie_gen: int | None = None  # of the link now; idle cards fall back to 1
    pcie_width: int | None = None  # lanes of the link now
    pcie_max_gen: int | None = None
    pcie_max_width: int | None = None
    sm_pct: float | None = None  # measured share of its processors that were busy
    tensor_pct: float | None = None  # measured share of time with matrix units at work
    activity_ns: int | None = None  # what `sm_pct`, `tensor_pct` and `dram_pct` are averages over
    activity_age_ns: int | None = None
    other_processes: int | None = None  # on this GPU and not of the server: their work is in its figures
    other_bytes: int | None = None  # what those hold
    serving: bool = False  # the server works on it: by what it holds, or by its environment
    stale: bool = False  # older than two of its driver's intervals
    absent: Mapping[str, str] = field(default_factory=dict)  # why, by field name
    unified: bool = False  # its memory is the system's memory
    modelled: bool = False  # power and energy are what the chip reckons, not what a sensor told
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
    rss_anon_bytes: int | None = None
    rss_file_bytes: int | None = None  # pages of mapped files, the model's above all
    major_faults: int | None = None  # counter, faults that needed the disk
    pagein_bytes: int | None = None  # counter, macOS: what its faults fetched
    threads: int | None = None
    thread_pct: float | None = None  # its busiest thread over about a second, % of one core
    footprint_bytes: int | None = None  # macOS footprint, Windows private bytes: what it is charged for
    oom_score: int | None = None  # 0 to 1000, the highest in the tree: the kernel kills that one first
    holder: str = ""  # name of the process in the tree that holds most memory
    holder_pid: int | None = None
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
    limit_group: str = ""  # the control group that sets it
    swap_total_bytes: int | None = None
    swap_used_bytes: int | None = None
    swap_in_bytes: int | None = None  # counter
    swap_out_bytes: int | None = None  # counter
    swap_compressed: bool = False  # all swap is compressed memory (zram), no disk
    refault_file_bytes: int | None = None  # counter, file pages that were evicted and needed again
    stall_some_us: int | None = None  # counter, PSI memory "some"
    stall_full_us: int | None = None  # counter, PSI memory "full"
    io_stall_some_us: int | None = None  # counter, PSI io "some"
    io_stall_full_us: int | None = None  # counter, PSI io "full"
    limit_hits: int | None = None  # counter, times the container's soft limit (memory.high) held somebody up
    group_stall_some_us: int | None = None  # counter, PSI memory of the server's control group
    group_stall_full_us: int | None = None  # counter
    group_oom_kills: int | None = None  # counter, in the server's control group and below
    compressed_bytes: int | None = None  # RAM that compressed pages take (zram, zswap, macOS)
    compressed_original_bytes: int | None = None  # what those pages were before
    thermal_level: int | None = None  # macOS: 0 nominal, 1 moderate, 2 heavy, 3 trapping, 4 sleeping
    memory_note: str = ""  # whose memory this is, when it is not simply the machine's
    pressure_level: int | None = None  # macOS: 1 normal, 2 warning, 4 critical
    decompressed_bytes: int | None = None  # counter, out of compressed memory
    commit_bytes: int | None = None  # Windows: memory promised to all programs
    commit_limit_bytes: int | None = None  # Windows: most that can be promised
    page_read_bytes: int | None = None  # counter, Windows: read to serve hard faults
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
    model: ModelShape | None = None  # by the header of its model file; told with the facts of the host
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
    if reading.model is not None:
        raw["model"] = shape_raw(reading.model)
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
        case "tuple[tuple[int, float], ...]":
            return isinstance(value, list | tuple) and all(map(_pair, value))
        case _:
            return isinstance(value, Mapping) and all(isinstance(v, str) for v in value.values())


def _pair(value: object) -> bool:
    match value:
        case [age_ns, share]:
            return count(age_ns) is not None and finite(share) is not None
    return False


_WHOLES = {
    *("ram_total_bytes", "limit_bytes", "commit_limit_bytes", "mem_total_bytes", "mem_budget_bytes", "cores"),
    *("cpu_cores", "cpu_max_mhz", "sm_max_mhz", "mem_max_mhz", "power_limit_w", "power_default_w"),
    *("peak_gb_s", "pcie_max_gen", "pcie_max_width"),
}
"""Other fields are shares of these, so there are never 0 of them: that is not told."""


def _only(kind: type, raw: object) -> dict[str, object]:
    kinds = {f.name: str(f.type) for f in fields(kind)}
    told = raw.items() if isinstance(raw, Mapping) else ()
    some = {k: v for k, v in told if k in kinds and (k not in _WHOLES or v)}
    return {k: _kept(v) for k, v in some.items() if _fits(kinds[k], v)}


def _kept(value: object) -> object:
    """Names of processes and cards may hold bytes that are no text."""
    match value:
        case str():
            return encodable(value)
        case Mapping():
            return {encodable(str(key)): encodable(str(words)) for key, words in value.items()}
        case _:
            return value


def _gpu(raw: object) -> Gpu:
    told = _only(Gpu, raw)
    recent = told.pop("util_recent", ())
    pairs = tuple((age_ns, share) for age_ns, share in recent)  # type: ignore[attr-defined]
    return Gpu(**told, util_recent=pairs)  # type: ignore[arg-type]


def reading_from(at_ns: int, raw: Mapping[str, object]) -> Reading:
    """A reading from the fields of a recorded sample; unknown keys and values of a wrong kind are ignored."""
    values = _only(Reading, {k: v for k, v in raw.items() if k not in ("at_ns", "gpus", "server", "model")})
    gpus, server = raw.get("gpus"), _only(Server, raw.get("server"))
    return Reading(
        at_ns=at_ns,
        gpus=tuple(map(_gpu, gpus)) if isinstance(gpus, list) else (),
        server=Server(**server) if "pid" in server else None,  # type: ignore[arg-type]
        model=shape_from(raw.get("model")),
        **values,  # type: ignore[arg-type]
    )
