"""NVIDIA GPUs, asked in a thread of their own: a driver that hangs stops nothing but its own values."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from tui.domain.machine import Gpu
from tui.probes.card import Card
from tui.probes.kept import read_once
from tui.probes.lane import Paced
from tui.probes.metric import NOT_HERE, RESTARTED, code_of, failures
from tui.probes.nvidia_cards import ALL_LOST, Finder
from tui.probes.nvidia_sleep import Sleep
from tui.probes.nvidia_tenants import shared
from tui.probes.nvidia_visible import visible
from tui.probes.pace import SECOND
from tui.probes.tegra import Tegra

NO_DRIVER = "no NVIDIA GPU found"
ASLEEP = "dGPU asleep"
WRONG_MODULE = "wrong pynvml module: uninstall the packages pynvml and nvidia-ml-py3, keep nvidia-ml-py"
WINDOWS_DRIVER = "the WSL driver tells no utilisation: update the Windows driver"
OPEN_ERRORS = {
    4: "NVIDIA driver: no permission",
    9: "NVIDIA driver not loaded",
    12: NO_DRIVER,
    ALL_LOST: "NVIDIA GPU lost: it is there and does not answer",
    18: "NVIDIA driver and library versions differ: reboot or reload the module",
}
RETRY_NS = 30 * SECOND
UNUSED_NS = 60 * SECOND  # after that a laptop's cards are left to sleep
MANY_CARDS = 4  # more are asked at half the rate, as all are while a battery feeds the machine


class Nvidia:
    """All cards of the machine. `nvml` is the module pynvml, or something that looks like it."""

    def __init__(
        self,
        nvml: Any,
        clock: Callable[[], int] = time.monotonic_ns,
        ram_bytes: int | None = None,
        *,
        sys: Path = Path("/sys"),
        wall: Callable[[], int] = time.time_ns,
        proc: Path = Path("/proc"),
    ) -> None:
        """`clock` is monotonic, `wall` the time of day, both in ns."""
        self._nvml, self._clock, self._ram_bytes, self._proc = nvml, clock, ram_bytes, proc
        self._sleep, self._tegra = Sleep(sys), Tegra(sys, proc)
        self._wsl = b"microsoft" in read_once(proc / "sys/kernel/osrelease").lower()
        self._cards: tuple[Card, ...] = ()
        self._whole: tuple[str, ...] = ()  # UUIDs of the cards in the order of the bus
        self._chosen: tuple[tuple[object, ...], frozenset[str] | None] = ((), None)
        self._reason = "asking the NVIDIA driver"
        self._open_ns: int | None = 0  # when to open the driver next; None: it is open, or there is none
        self._opened_ns = 0
        self._unused_ns = 0  # since when nobody works on the cards of a laptop
        self._left = False  # they were given up so that they can sleep
        self._half = self._skip = False  # every other round is left out; this one is
        self._half_ns = 0
        self._lane = Paced("nvidia", self._round, clock)
        self._finder = Finder(nvml, clock, wall, ram_bytes, proc, self._lane.alive)
        self.driver = ""

    def start(self) -> None:
        """Starts the thread. NVML is not shut down at the end: a hanging driver must not hold that up."""
        self._lane.start()

    def rate(self, hz: float) -> None:
        """Rounds of questions a second."""
        self._lane.rate(hz)

    def mark(self) -> None:
        """Read the counters now: a phase begins or ends."""
        self._lane.mark()

    def gpus(self, now_ns: int, server_pids: tuple[int, ...]) -> tuple[tuple[Gpu, ...], str]:
        """The last known values and, when there are none, why. Never waits for the driver.

        For one reader: the driver's own samples are told once.
        """
        words = self._lane.silent(now_ns)
        cards = self._cards
        apart_ns = self._lane.apart_ns * (2 if self._half else 1)
        gpus = [card.gpu(now_ns, apart_ns) for card in cards]
        if self._wsl:
            gpus = [_hinted(gpu) for gpu in gpus]
        if words:
            gpus = [replace(gpu, reason=gpu.reason or words, stale=True) for gpu in gpus]
        if chip := self._tegra.gpu(self._ram_bytes):
            return ((_filled(gpus[0], chip) if gpus else chip),), ""
        told = shared(gpus, [card.held for card in cards], server_pids, self._allowed(cards, server_pids))
        return told, "" if told else words or self._reason

    def _allowed(self, cards: Sequence[Card], server_pids: tuple[int, ...]) -> frozenset[str] | None:
        """UUIDs the server's environment names. Read once for each set of processes: it does not change."""
        uuids = tuple(card.uuid for card in cards)
        key = (server_pids, uuids)
        if server_pids and self._chosen[0] != key:
            environs = [read_once(self._proc / str(pid) / "environ") for pid in server_pids]
            self._chosen = (key, visible(environs, self._whole, uuids))
        return self._chosen[1] if server_pids else None

    def step(self) -> float:
        """One round of questions; the seconds to wait before the next one."""
        return self._lane.step()

    def _round(self, edge: bool, idle: bool) -> None:
        if self._open_ns is not None and self._clock() >= self._open_ns:
            self._open(idle)
        if self._clock() >= self._half_ns:
            self._half_ns = self._clock() + RETRY_NS
            self._half = len(self._cards) > MANY_CARDS or self._sleep.on_battery()
        self._skip = self._half and not (self._skip or edge or idle)
        for card in () if self._skip else self._cards:
            card.refresh(edge, self._lane.alive)
        if self._open_ns is None and (lost := [card.lost for card in self._cards if card.lost]):
            now_ns = self._clock()
            soon = RESTARTED in lost and now_ns - self._opened_ns > RETRY_NS
            self._open_ns = now_ns + (0 if soon else RETRY_NS)
        self._leave(idle)

    def _open(self, idle: bool) -> None:
        nvml = self._nvml
        if not hasattr(nvml, "nvmlMemory_v2"):
            self._reason, self._open_ns = WRONG_MODULE, None
            self._lane.end()
            return
        if idle and (self._left or self._sleep.asleep()):
            self._reason = ASLEEP
            return
        self._opened_ns = self._unused_ns = self._clock()
        try:
            if self._cards and all(card.lost for card in self._cards):
                self._close()  # who held the old driver open would never see a new one
            nvml.nvmlInit()
            found, self._whole = self._finder.find()
        except failures(nvml) as error:
            code = code_of(error)
            self._reason = OPEN_ERRORS.get(code, f"NVIDIA driver fails (code {code})")
            self._open_ns = self._clock() + RETRY_NS
            if self._reason == NO_DRIVER:
                self._open_ns = None
                self._lane.end()
            return
        with contextlib.suppress(*failures(nvml)):
            self.driver = f"NVIDIA {nvml.nvmlSystemGetDriverVersion()}"
        self._open_ns, self._left = None, False
        self._take(found)

    def _close(self) -> None:
        with contextlib.suppress(*failures(self._nvml)):
            self._nvml.nvmlShutdown()

    def _take(self, fresh: Sequence[Card]) -> None:
        """The cards found now. One that still works goes on as it is; a lost one that is not found stays."""
        working = {card.uuid: card for card in self._cards if card.uuid and not card.lost}
        found = [working.get(card.uuid, card) for card in fresh]
        for card in found:
            card.refresh(edge=False, before=self._lane.alive)  # before anybody sees it
        uuids = {card.uuid for card in found}
        self._cards = (*found, *(card for card in self._cards if card.lost and card.uuid not in uuids))
        self._reason = "no NVIDIA GPU"

    def _leave(self, idle: bool) -> None:
        """Let the cards of a laptop sleep when nobody works on them: asking keeps them awake."""
        now_ns = self._clock()
        used = any(card.lost or card.held is None or card.held.sizes for card in self._cards)
        if not self._cards or not idle or used or not self._sleep.may():
            self._unused_ns = now_ns
        elif now_ns - self._unused_ns > UNUSED_NS:
            self._cards, self._reason = (), ASLEEP
            self._left, self._open_ns = True, now_ns
            self._close()


def _hinted(gpu: Gpu) -> Gpu:
    if gpu.absent.get("util_pct") != NOT_HERE:
        return gpu
    return replace(gpu, note=", ".join(filter(None, (WINDOWS_DRIVER, gpu.note))))


def _filled(gpu: Gpu, chip: Gpu) -> Gpu:
    """The values of the library, and those of the kernel where it has none."""
    names = ("util_pct", "sm_mhz", "sm_max_mhz", "mem_total_bytes")
    missing = {name: getattr(chip, name) for name in names if getattr(gpu, name) is None}
    absent = {name: why for name, why in gpu.absent.items() if missing.get(name) is None}
    return replace(gpu, **missing, unified=True, absent=absent)
