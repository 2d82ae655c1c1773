"""One reading of this machine, put together from its sources."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Protocol

from tui.domain.machine import Gpu, Reading, Server
from tui.probes import host
from tui.probes.cgroup import limit
from tui.probes.kept import read_once
from tui.probes.linux import Fields
from tui.probes.nvidia import NO_DRIVER, Nvidia
from tui.probes.server import Found
from tui.probes.watch import ServerWatch

LIMIT_NS = 1_000_000_000  # between two looks at the limit of the control group
FACTS_NS = 30_000_000_000  # between two looks at the facts of the host


class Counters(Protocol):
    """The counters of the operating system."""

    def read(self, now_ns: int) -> Fields: ...


class Tree(Protocol):
    """The server's processes."""

    def read(self, found: Found, now_ns: int) -> Server | None: ...


class Machine:
    """All sources of this machine. Reading it never waits for a driver, a name server or a process list."""

    def __init__(self) -> None:
        self._counters, self._tree, self._watch = _sources()
        first = self._counters.read(time.monotonic_ns())
        self._ram_bytes: int | None = first["ram_total_bytes"]
        nvml = _nvml()
        self._nvidia = Nvidia(nvml, ram_bytes=self._ram_bytes) if nvml else None
        self._other_gpu = host.unread_gpu()
        self._limit: Fields = {}
        self._limit_ns = self._facts_ns = 0
        self._facts: dict[str, str] = {}

    def start(self) -> None:
        """Starts the threads of the slow sources."""
        self._watch.start()
        if self._nvidia:
            self._nvidia.start()

    def watch(self, name: str, port: int) -> None:
        """Look for the server at this address."""
        self._watch.target(name, port)
        self._limit_ns = 0

    def rate(self, hz: float) -> None:
        """How often readings are taken from now on."""
        if self._nvidia:
            self._nvidia.rate(hz)

    def mark(self) -> None:
        """A phase begins or ends: the drivers' counters are wanted now, the server may have new children."""
        self._watch.look()
        if self._nvidia:
            self._nvidia.mark()

    def read(self, facts: bool) -> Reading:
        """The machine now; `facts` adds those that do not change."""
        start_ns = time.monotonic_ns()
        fields = self._counters.read(start_ns)
        found, server = self._server(start_ns)
        fields |= self._limits(found, start_ns)
        at_ns = (start_ns + time.monotonic_ns()) // 2
        gpus, gpu_reason = self._gpus(at_ns, found.tree)
        return Reading(
            at_ns=at_ns,
            **fields,
            gpus=gpus,
            gpu_reason=gpu_reason,
            server=server,
            server_reason="" if server else found.reason,
            remote=found.remote,
            host=self._host(start_ns) if facts else {},
        )

    def _server(self, now_ns: int) -> tuple[Found, Server | None]:
        found = self._watch.found
        server = self._tree.read(found, now_ns)
        if found.pid and server is None:
            self._watch.gone(found)
            found = replace(self._watch.found, tree=())
        return found, server

    def _gpus(self, at_ns: int, pids: tuple[int, ...]) -> tuple[tuple[Gpu, ...], str]:
        gpus, reason = (
            self._nvidia.gpus(at_ns, pids) if self._nvidia else ((), "nvidia-ml-py is not installed")
        )
        if self._other_gpu and reason == NO_DRIVER:
            reason = f"{NO_DRIVER}, {self._other_gpu} GPU not read"
        return gpus, reason

    def _limits(self, found: Found, now_ns: int) -> Fields:
        """The limit of the server's control group, or of our own while the server is not known."""
        if now_ns >= self._limit_ns:
            self._limit_ns = now_ns + LIMIT_NS
            text = read_once(Path(f"/proc/{found.pid or 'self'}/cgroup"))
            one = limit(text, Path("/sys/fs/cgroup"))
            below = one is not None and (self._ram_bytes is None or one.limit_bytes < self._ram_bytes)
            self._limit = (
                {"limit_bytes": one.limit_bytes, "limit_available_bytes": one.available_bytes}
                if one and below
                else {}
            )
        return self._limit

    def _host(self, now_ns: int) -> dict[str, str]:
        if now_ns >= self._facts_ns:
            self._facts_ns = now_ns + FACTS_NS
            self._facts = host.facts(self._ram_bytes)
        driver = self._nvidia.driver if self._nvidia else ""
        return {**self._facts, "driver": driver} if driver else self._facts


def _sources() -> tuple[Counters, Tree, ServerWatch]:
    """The half for this system; the other one is not even loaded."""
    if Path("/proc/self/stat").exists():
        from tui.probes import linux, server, tree

        return linux.LinuxSource(), tree.TreeSource(), ServerWatch(server.find, server.family)
    from tui.probes import portable

    return portable.PortableSource(), portable.PortableTree(), ServerWatch(portable.find, portable.family)


def _nvml() -> ModuleType | None:
    try:
        import pynvml
    except ImportError:
        return None
    return pynvml  # type: ignore[no-any-return]
