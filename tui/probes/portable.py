"""Systems without /proc (macOS, Windows): what psutil tells there, and why the rest is missing."""

from __future__ import annotations

import os
import platform
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import psutil

from tui.domain.machine import Server
from tui.probes import host as host_facts
from tui.probes.listener import Address
from tui.probes.server import NOT_VISIBLE, Found, Process, judge, locate, printable, tree

Fields = dict[str, Any]

_SYSTEM = platform.system()
_SLOW_NS = 1_000_000_000
# psutil's swap counters are page-ins of files, too, on macOS, and always 0 on Windows.
_ABSENT = {
    "swap_in_bytes": f"swap traffic is not read on {_SYSTEM}",
    "swap_out_bytes": f"swap traffic is not read on {_SYSTEM}",
    "stall_some_us": f"{_SYSTEM} does not count memory stalls",
    "stall_full_us": f"{_SYSTEM} does not count memory stalls",
    "oom_kills": f"{_SYSTEM} does not count them",
}


class PortableSource:
    """Reads the machine's counters through psutil."""

    def __init__(self) -> None:
        self._slow: Fields = {"cpu_cores": os.cpu_count()}
        self._slow_ns = 0

    def read(self, now_ns: int, edge: bool = False) -> Fields:
        """The fields of now, with `absent` saying why the others are missing; the clock once a second."""
        memory, swap, times = psutil.virtual_memory(), psutil.swap_memory(), psutil.cpu_times()
        disk = _optional(psutil.disk_io_counters)
        if now_ns >= self._slow_ns:
            self._slow_ns = now_ns + _SLOW_NS
            clock = _optional(psutil.cpu_freq)
            self._slow["cpu_mhz"] = clock.current if clock else None
            self._slow["cpu_max_mhz"] = clock.max or None if clock else None
        total_s = sum(times)
        return {
            **self._slow,
            "ram_total_bytes": memory.total,
            "ram_available_bytes": memory.available,
            "swap_total_bytes": swap.total,
            "swap_used_bytes": swap.used,
            "disk_read_bytes": disk.read_bytes if disk else None,
            "cpu_busy_s": total_s - times.idle - getattr(times, "iowait", 0.0),
            "cpu_total_s": total_s,
            "absent": dict(_ABSENT),
        }


def _optional(ask: Callable[[], Any]) -> Any:
    """The answer of a psutil call that some machines (virtual ones above all) have none for."""
    try:
        return ask()
    except (OSError, RuntimeError, SystemError, AttributeError, psutil.Error):
        return None


def facts(ram_bytes: int | None, name: str = "") -> dict[str, str]:
    """Facts for people as `host.facts`, with the power source as psutil knows it."""
    battery = _optional(psutil.sensors_battery)
    source = {} if battery is None else {"power": "mains" if battery.power_plugged else "battery"}
    return host_facts.facts(ram_bytes, name=name) | source


def find(host: str, port: int) -> Found:
    """The own process that listens at host and port; those of other users need an administrator."""
    target = locate(host, port)
    if isinstance(target, Found):
        return target
    everyone = list(psutil.process_iter(["pid", "ppid", "name"]))
    holder = next((one for one in everyone if _listens(one, target, port)), None)
    if holder is None:
        return Found(reason=NOT_VISIBLE)
    processes = [
        Process(one.pid, one.info["ppid"] or 0, printable(one.info["name"] or ""), (), 0) for one in everyone
    ]
    return judge(next(one for one in processes if one.pid == holder.pid), processes, "")


def _listens(process: psutil.Process, target: Address, port: int) -> bool:
    try:
        sockets = process.net_connections("tcp")
    except psutil.Error:
        return False
    addresses = {str(target), "0.0.0.0", "::"}
    return any(
        one.status == psutil.CONN_LISTEN and one.laddr.port == port and one.laddr.ip in addresses
        for one in sockets
    )


def family(pid: int) -> tuple[int, ...]:
    """The process and its descendants of now."""
    return tree(pid, {one.pid: one.info["ppid"] or 0 for one in psutil.process_iter(["ppid"])})


class PortableTree:
    """Reads the server's tree through psutil. psutil tells no disk reads here that bypassed the cache."""

    def __init__(self) -> None:
        self._processes: dict[int, psutil.Process] = {}

    def read(self, found: Found, now_ns: int, edge: bool = False) -> Server | None:
        """The server of now, None when there is none or it is gone."""
        alive = {pid: use for pid in found.tree if (use := self._use(pid))}
        self._processes = {pid: self._processes[pid] for pid in alive}
        if found.pid not in alive:
            return None
        holder = max(alive, key=lambda pid: alive[pid].rss_bytes)
        private = [use.private_bytes for use in alive.values()]
        return Server(
            found.pid,
            found.name,
            rss_bytes=sum(use.rss_bytes for use in alive.values()),
            cpu_s=sum(use.cpu_s for use in alive.values()),
            threads=sum(use.threads for use in alive.values()),
            footprint_bytes=None if None in private else sum(size or 0 for size in private),
            holder=printable(alive[holder].name),
            holder_pid=holder,
            processes=len(alive),
            note=found.note,
        )

    def _use(self, pid: int) -> Use | None:
        try:
            process = self._processes.get(pid) or psutil.Process(pid)
            with process.oneshot():
                use = use_of(
                    process.name(), process.memory_info(), process.cpu_times(), process.num_threads()
                )
        except psutil.Error:
            return None
        self._processes[pid] = process
        return use


@dataclass(frozen=True, slots=True)
class Use:
    """What one process uses now."""

    name: str
    rss_bytes: int
    private_bytes: int | None
    cpu_s: float
    threads: int


def use_of(name: str, memory: Any, times: Any, threads: int) -> Use:
    """From psutil's answers. Windows alone tells private bytes: what the process was promised."""
    return Use(name, memory.rss, getattr(memory, "private", None), times.user + times.system, threads)
