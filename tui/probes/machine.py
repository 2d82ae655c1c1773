"""One reading of this machine, put together from its sources."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Protocol

from tui.domain.machine import Gpu, Reading, Server
from tui.probes.lane import no_answer
from tui.probes.linux import Fields
from tui.probes.server import GONE, Found
from tui.probes.watch import ServerWatch

FACTS_NS = 30_000_000_000  # between two looks at the facts of the host
PATIENCE_NS = 1_000_000_000  # files of the system that take longer are left out of the readings


class Counters(Protocol):
    """The counters of the operating system."""

    def read(self, now_ns: int, edge: bool = False) -> Fields:
        """The fields of now; at an `edge` all counters are wanted."""


class Tree(Protocol):
    """The server's processes."""

    def read(self, found: Found, now_ns: int, edge: bool = False) -> Server | None:
        """The server of now, None when there is none."""


class Limits(Protocol):
    """The control group of a process."""

    def read(self, pid: int, ram_bytes: int | None, now_ns: int, edge: bool = False) -> Fields:
        """The fields of now; pid 0 is this process."""


class Gpus(Protocol):
    """The GPUs that one driver runs, asked in a thread of their own."""

    driver: str

    def start(self) -> None:
        """Starts the thread."""

    def rate(self, hz: float) -> None:
        """How often to ask."""

    def mark(self) -> None:
        """Counters are wanted now."""

    def gpus(self, now_ns: int, server_pids: tuple[int, ...]) -> tuple[tuple[Gpu, ...], str]:
        """The last known values and, when there are none, why. Never waits."""


@dataclass(frozen=True, slots=True)
class Parts:
    """The sources of one system. `limits` None: it has no control groups."""

    counters: Counters
    tree: Tree
    watch: ServerWatch
    gpus: tuple[Gpus, ...]
    facts: Callable[[int | None], dict[str, str]]
    limits: Limits | None = None
    gpu_reason: str = ""  # why there is no GPU, when no source says it


@dataclass(frozen=True, slots=True)
class Files:
    """What the files of the system told at one moment."""

    at_ns: int
    fields: Fields
    found: Found
    server: Server | None


class Machine:
    """All sources of this machine. Reading it waits for files, but never for a driver or a name server."""

    def __init__(self, parts: Parts, clock: Callable[[], int] = time.monotonic_ns) -> None:
        self._parts, self._clock = parts, clock
        self._ram_bytes: int | None = None
        self._busy_ns: int | None = None  # since when the files are being read
        self._edge = True
        self._pid = 0
        self._facts_ns = 0
        self._facts: dict[str, str] = {}

    def start(self) -> None:
        """Starts the threads of all sources but the files, which are read by whoever calls `read`."""
        self._parts.watch.start()
        for source in self._parts.gpus:
            source.start()

    def watch(self, name: str, port: int) -> None:
        """Look for the server at this address."""
        self._parts.watch.target(name, port)
        self._edge = True

    def rate(self, hz: float) -> None:
        """How often readings are taken from now on."""
        for source in self._parts.gpus:
            source.rate(hz)

    def mark(self) -> None:
        """A phase begins or ends: all counters are wanted now, the server may have new children."""
        self._edge = True
        self._parts.watch.look()
        for source in self._parts.gpus:
            source.mark()

    def read(self, facts: bool) -> Reading:
        """The machine now; `facts` adds those that do not change."""
        edge, self._edge = self._edge, False
        self._busy_ns = self._clock()
        files = self.read_files(edge)
        self._busy_ns = None
        return self._reading(files, facts)

    def silent(self) -> Reading | None:
        """What can be told while `read` hangs in another thread, None while it does not.

        GPUs go on, and nothing that was read before it hung is repeated as if it were of now.
        """
        now_ns, busy_ns = self._clock(), self._busy_ns
        if busy_ns is None or now_ns - busy_ns < PATIENCE_NS:
            return None
        words = no_answer(busy_ns, now_ns)
        fields = {"absent": {"ram_available_bytes": words, "stall_some_us": words}}
        found = replace(self._parts.watch.found, reason=words)
        return self._reading(Files(now_ns, fields, found, None), False)

    def _reading(self, files: Files, facts: bool) -> Reading:
        gpus, gpu_reason = self._gpus(files.at_ns, files.found.tree)
        return Reading(
            at_ns=files.at_ns,
            **files.fields,
            gpus=gpus,
            gpu_reason=gpu_reason,
            server=files.server,
            server_reason="" if files.server else files.found.reason,
            remote=files.found.remote,
            host=self._host(files.at_ns) if facts else {},
            model=self._parts.watch.model if facts and files.server else None,
        )

    def read_files(self, edge: bool) -> Files:
        """What the files of the system tell now."""
        start_ns = self._clock()
        fields = self._parts.counters.read(start_ns, edge)
        self._ram_bytes = fields.get("ram_total_bytes", self._ram_bytes)
        found, server = self._server(start_ns, edge)
        # A server that is gone may have been killed: its group still counts that.
        self._pid = found.pid or (self._pid if found.reason == GONE else 0)
        if self._parts.limits:
            fields = fields | self._parts.limits.read(self._pid, self._ram_bytes, start_ns, edge)
        return Files((start_ns + self._clock()) // 2, fields, found, server)

    def _server(self, now_ns: int, edge: bool) -> tuple[Found, Server | None]:
        watch = self._parts.watch
        found = watch.found
        server = self._parts.tree.read(found, now_ns, edge)
        if found.pid and server is None:
            watch.gone(found)
            found = replace(watch.found, tree=())
        return found, server

    def _gpus(self, at_ns: int, pids: tuple[int, ...]) -> tuple[tuple[Gpu, ...], str]:
        told = [source.gpus(at_ns, pids) for source in self._parts.gpus]
        gpus = tuple(gpu for some, _ in told for gpu in some)
        reasons = [reason for _, reason in told if reason]
        return gpus, "" if gpus else ", ".join((*reasons, self._parts.gpu_reason)).strip(", ")

    def _host(self, now_ns: int) -> dict[str, str]:
        if now_ns >= self._facts_ns:
            self._facts_ns = now_ns + FACTS_NS
            self._facts = self._parts.facts(self._ram_bytes)
        drivers = ", ".join(filter(None, (source.driver for source in self._parts.gpus)))
        return {**self._facts, "driver": drivers} if drivers else self._facts
