"""NVIDIA GPUs, asked in a thread of their own: a driver that hangs stops nothing but its own values."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from tui.domain.machine import Gpu
from tui.probes.card import Card
from tui.probes.metric import SECOND, CardGone, code_of, failures

NO_DRIVER = "no NVIDIA driver"
ASLEEP = "NVIDIA GPU asleep"
WRONG_MODULE = "wrong pynvml module: uninstall the packages pynvml and nvidia-ml-py3, keep nvidia-ml-py"
OPEN_ERRORS = {
    4: "NVIDIA driver: no permission",
    9: "NVIDIA driver not loaded",
    12: NO_DRIVER,
    18: "NVIDIA driver and library versions differ: reboot or reload the module",
}
RETRY_NS = 30 * SECOND
SILENT_NS = 10 * SECOND  # a call that takes longer: the driver does not answer
BUSY_SHARE = 0.05  # of the time at most is spent inside the driver
LONGEST_PAUSE_S = 5.0
MANY_CARDS = 4  # more are asked at half the rate


class Nvidia:
    """All cards of the machine. `nvml` is the module pynvml, or something that looks like it."""

    def __init__(
        self,
        nvml: Any,
        clock: Callable[[], int] = time.monotonic_ns,
        ram_bytes: int | None = None,
        pci: Path = Path("/sys/bus/pci/devices"),
    ) -> None:
        self._nvml, self._clock, self._ram_bytes = nvml, clock, ram_bytes
        self._power = [
            path.parent / "power/runtime_status" for path in pci.glob("*/vendor") if _is_nvidia(path)
        ]
        self._cards: tuple[Card, ...] = ()
        self._reason = "asking the NVIDIA driver"
        self._open_ns: int | None = 0  # when to open the driver next; None: it is open, or there is none
        self._busy_ns: int | None = None  # since when a round of questions is under way
        self._period_s = 1.0
        self._edge = threading.Event()
        self._wake = threading.Event()
        self.driver = ""

    def start(self) -> None:
        """The thread is never joined and NVML never shut down: a hanging driver must not hold the exit up."""
        threading.Thread(target=self._run, name="nvidia", daemon=True).start()

    def rate(self, hz: float) -> None:
        """Rounds of questions a second."""
        self._period_s = 1 / hz
        self._wake.set()

    def mark(self) -> None:
        """Read the energy counter now: a phase begins or ends."""
        self._edge.set()
        self._wake.set()

    def gpus(self, now_ns: int, server_pids: tuple[int, ...]) -> tuple[tuple[Gpu, ...], str]:
        """The last known values and, when there are none, why. Never waits for the driver.

        Pids that match on no card say nothing: in a container the driver tells those of the host.
        """
        busy_ns = self._busy_ns
        silent = busy_ns is not None and now_ns - busy_ns > SILENT_NS
        words = (
            f"no answer from the driver for {(now_ns - busy_ns) // SECOND} s" if silent and busy_ns else ""
        )
        cards = [card.gpu(now_ns, server_pids) for card in self._cards]
        if not any(gpu.server_bytes for gpu in cards):
            cards = [replace(gpu, server_bytes=None) for gpu in cards]
        if words:
            cards = [replace(gpu, reason=gpu.reason or words) for gpu in cards]
        return tuple(cards), "" if cards else words or self._reason

    def step(self) -> float:
        """One round; the seconds to wait before the next one."""
        self._busy_ns = self._clock()
        if self._open_ns is not None and self._busy_ns >= self._open_ns:
            self._open()
        start_ns = self._clock()
        edge = self._edge.is_set()
        self._edge.clear()
        for card in self._cards:
            card.refresh(edge)
        if self._open_ns is None and any(card.lost for card in self._cards):
            self._open_ns = self._clock() + RETRY_NS
        took_s = (self._clock() - start_ns) / SECOND
        self._busy_ns = None
        period_s = self._period_s * (2 if len(self._cards) > MANY_CARDS else 1)
        return max(period_s - took_s, min(took_s * (1 / BUSY_SHARE - 1), LONGEST_PAUSE_S))

    def _run(self) -> None:
        while True:
            pause_s = self.step()
            if self._open_ns is None and not self._cards:
                return  # no driver: nothing will ever come
            self._wake.wait(pause_s)
            self._wake.clear()

    def _asleep(self) -> bool:
        """All NVIDIA cards are switched off to save power; a question would wake them up."""
        states = []
        for path in self._power:
            with contextlib.suppress(OSError):
                states.append(path.read_text().strip())
        return bool(states) and all(state == "suspended" for state in states)

    def _open(self) -> None:
        nvml = self._nvml
        if not hasattr(nvml, "nvmlMemory_v2"):
            self._reason, self._open_ns = WRONG_MODULE, None
            return
        if self._period_s >= 1 and self._asleep():
            self._reason = ASLEEP
            return
        try:
            nvml.nvmlInit()
            handles = [nvml.nvmlDeviceGetHandleByIndex(i) for i in range(nvml.nvmlDeviceGetCount())]
        except failures(nvml) as error:
            code = code_of(error)
            self._reason = OPEN_ERRORS.get(code, f"NVIDIA driver fails (code {code})")
            self._open_ns = None if self._reason == NO_DRIVER else self._clock() + RETRY_NS
            return
        with contextlib.suppress(*failures(nvml)):
            self.driver = f"NVIDIA {nvml.nvmlSystemGetDriverVersion()}"
        self._open_ns = None
        self._take([card for handle in handles for card in self._parts(handle)])

    def _take(self, found: Sequence[Card]) -> None:
        """The cards found now; one that was lost and is not found again stays, with its last values."""
        for card in found:
            card.refresh(edge=False)  # before anybody sees it
        uuids = {card.uuid for card in found}
        self._cards = (*found, *(card for card in self._cards if card.lost and card.uuid not in uuids))
        self._reason = "no NVIDIA GPU"

    def _parts(self, handle: Any) -> list[Card]:
        """The card, or its slices when it is cut up."""
        try:
            slices = self._slices(handle)
            whole = Card(self._nvml, self._clock, handle, ram_bytes=self._ram_bytes)
            parts = [
                Card(self._nvml, self._clock, handle, part, first=i == 0) for i, part in enumerate(slices)
            ]
        except CardGone:
            return []
        return parts or [whole]

    def _slices(self, handle: Any) -> list[Any]:
        nvml = self._nvml
        parts = []
        with contextlib.suppress(*failures(nvml)):
            if nvml.nvmlDeviceGetMigMode(handle)[0]:
                for i in range(nvml.nvmlDeviceGetMaxMigDeviceCount(handle)):
                    with contextlib.suppress(*failures(nvml)):  # numbers between slices can be free
                        parts.append(nvml.nvmlDeviceGetMigDeviceHandleByIndex(handle, i))
        return parts


def _is_nvidia(vendor: Path) -> bool:
    with contextlib.suppress(OSError):
        return vendor.read_text().strip() == "0x10de"
    return False
