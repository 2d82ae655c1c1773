"""The GPU of an Apple chip: load and memory from the registry, power and clocks from its reports."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Protocol

from tui.domain.machine import Gpu
from tui.probes.apple_channels import Activity, Item, activity, joules
from tui.probes.apple_memory import budget
from tui.probes.apple_registry import ACCELERATORS, CLOCKS, Accelerator, accelerators, gpu_clocks
from tui.probes.apple_report import Unreported
from tui.probes.apple_system import Mac
from tui.probes.lane import Paced
from tui.probes.pace import SECOND

REGISTRY_NS = SECOND  # `ioreg` takes a process
REPORT_NS = SECOND // 5
NO_GPU = "no GPU in the registry of this system"
NO_GPU_VIRTUAL = "no GPU visible in this virtual machine"
UNREPORTED = "the chip's reports can't be read here"
MODEL = "power by the chip's own model of itself"


class Reporter(Protocol):
    """What grew in the chip's reports since the call before."""

    def items(self) -> list[Item]:
        """Raises Unreported."""


class AppleGpu:
    """Two threads, one for each way to ask: a report that hangs leaves the registry's figures."""

    def __init__(
        self,
        mac: Mac,
        reports: Callable[[], Reporter],
        clock: Callable[[], int] = time.monotonic_ns,
    ) -> None:
        """`reports` subscribes, in the thread that asks; it raises Unreported where that is impossible."""
        self._mac, self._subscribe, self._clock = mac, reports, clock
        self._ram_bytes = mac.number("hw.memsize")
        self._budget = budget(self._ram_bytes, mac.number("iogpu.wired_limit_mb"))
        self._found: tuple[Accelerator, int] | None = None
        self._reason = "asking the registry"
        self._reports: Reporter | None = None
        self._unreported = False
        self._report_ns = 0
        self._clocks: tuple[float, ...] = ()
        self._joules = 0.0
        self._energy: tuple[float, float | None, Activity | None, int] | None = None
        self._lanes = (
            Paced("ioreg", self.look, clock),
            Paced("ioreport", self.report, clock),
        )
        self.driver = ""

    def start(self) -> None:
        """Starts both threads."""
        for lane in self._lanes:
            lane.start()

    def rate(self, hz: float) -> None:
        """Readings a second, as far as each way allows."""
        self._lanes[0].rate(min(hz, SECOND / REGISTRY_NS))
        self._lanes[1].rate(min(hz, SECOND / REPORT_NS))

    def mark(self) -> None:
        """The energy is wanted now."""
        self._lanes[1].mark()

    def look(self, edge: bool, idle: bool) -> None:
        """Ask the registry."""
        start_ns = self._clock()
        found = accelerators(self._mac.registry(*ACCELERATORS))
        at_ns = (start_ns + self._clock()) // 2
        if found:
            self._found = (max(found, key=lambda one: one.used_bytes or 0), at_ns)
        else:
            self._found = None
            brand = self._mac.text("machdep.cpu.brand_string")
            virtual = self._mac.number("kern.hv_vmm_present") or "Virtual" in brand
            self._reason = NO_GPU_VIRTUAL if virtual else NO_GPU

    def report(self, edge: bool, idle: bool) -> None:
        """Ask for the reports; after a failure never again."""
        if self._unreported:
            return
        try:
            if self._reports is None:
                self._clocks = gpu_clocks(self._mac.registry(*CLOCKS))
                self._reports = self._subscribe()
                self._report_ns = self._clock()
                return
            self._take(self._reports.items())
        except Unreported:
            self._unreported, self._energy = True, None

    def _take(self, items: list[Item]) -> None:
        now_ns, before_ns = self._clock(), self._report_ns
        self._report_ns = now_ns
        grown, span_s = joules(items), (now_ns - before_ns) / SECOND
        self._joules += grown or 0.0
        watts = grown / span_s if grown is not None and span_s > 0 else None
        self._energy = (self._joules, watts, activity(items, self._clocks), now_ns)

    def gpus(self, now_ns: int, server_pids: tuple[int, ...]) -> tuple[tuple[Gpu, ...], str]:
        """The last known values and, when there are none, why. Never waits for the system."""
        silent = self._lanes[0].silent(now_ns)
        if self._found is None:
            return (), silent or self._reason
        one, at_ns = self._found
        energy, watts, active, energy_ns = self._energy or (None, None, None, now_ns)
        measured = energy if watts is not None else None
        notes = (MODEL if watts is not None else "", self._budget[1])
        return (
            Gpu(
                name=one.name or "Apple GPU",
                cores=one.cores,
                util_pct=one.util_pct,
                mem_used_bytes=one.used_bytes,
                mem_total_bytes=self._ram_bytes,
                mem_alloc_bytes=one.alloc_bytes,
                mem_budget_bytes=self._budget[0],
                power_w=watts,
                energy_mj=None if measured is None else round(1000 * measured),
                sm_mhz=active.mean_mhz if active else None,
                sm_max_mhz=active.top_mhz if active else None,
                unified=True,
                modelled=watts is not None,
                age_ns=max(now_ns - at_ns, 0),
                stale=now_ns - at_ns > 2 * REGISTRY_NS,
                absent={"power_w": UNREPORTED, "energy_mj": UNREPORTED} if self._unreported else {},
                energy_age_ns=max(now_ns - energy_ns, 0),
                reason=silent,
                note=", ".join(filter(None, notes)),
            ),
        ), ""
