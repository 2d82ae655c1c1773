"""AMD and Intel GPUs on Linux: found in /sys, asked in one thread for each driver."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Protocol

from tui.domain.machine import Gpu
from tui.probes.fdinfo import Client, DeviceFiles, busy_pct
from tui.probes.kept import read_once
from tui.probes.lane import Paced
from tui.probes.pace import SECOND

REST_NS = 15 * SECOND  # an idle card that may be switched off is left alone that long, so that it can be
LOOK_NS = 30 * SECOND  # between two looks for cards
CLIENTS_NS = SECOND  # between two looks at what the server uses
BUSY_SPAN_NS = SECOND // 2  # engine times are compared over at least this long
ASLEEP = "asleep"


class Asks(Protocol):
    """How one maker's card is asked."""

    def refresh(self, edge: bool) -> None:
        """Asks whatever is due."""

    def gpu(self, now_ns: int) -> Gpu:
        """The last known values, with their age."""

    def held(self, clients: tuple[Client, ...], pids: tuple[int, ...]) -> int | None:
        """Bytes that the server holds."""

    @property
    def idle(self) -> bool:
        """Nothing works on it."""


class DrmCard:
    """One card: left alone while it sleeps. `pdev` is its PCI address."""

    def __init__(self, device: Path, asks: Asks, clock: Callable[[], int]) -> None:
        self.pdev = uevent(device).get("PCI_SLOT_NAME", "")
        self._power = device / "power"
        self._asks, self._clock = asks, clock
        self._asleep = True
        self._rest_ns = 0
        self._base: tuple[tuple[Client, ...], int] | None = None
        self._held: int | None = None
        self._busy_pct: float | None = None

    def refresh(self, edge: bool, idle: bool) -> None:
        """Ask whatever is due; of a sleeping card only whether it still sleeps."""
        now_ns = self._clock()
        self._asleep = read_once(self._power / "runtime_status").strip() == b"suspended"
        if self._asleep or (idle and not edge and now_ns < self._rest_ns):
            return
        self._asks.refresh(edge)
        may_sleep = read_once(self._power / "control").strip() == b"auto" if idle else False
        self._rest_ns = now_ns + REST_NS if may_sleep and self._asks.idle and not self._held else 0

    def used(self, clients: tuple[Client, ...] | None, pids: tuple[int, ...]) -> None:
        """What the server's processes use of it; None: they tell nothing."""
        now_ns = self._clock()
        if self._asleep:
            return
        self._held = self._asks.held(clients or (), pids)
        if not clients:
            self._base = self._busy_pct = None
        elif self._base is None:
            self._base = (clients, now_ns)
        elif now_ns - self._base[1] >= BUSY_SPAN_NS:
            self._busy_pct = busy_pct(self._base[0], clients, now_ns - self._base[1])
            self._base = (clients, now_ns)

    def gpu(self, now_ns: int) -> Gpu:
        """The last known values. A sleeping card has none."""
        known = self._asks.gpu(now_ns)
        if self._asleep:
            return Gpu(name=known.name, uuid=known.uuid, reason=ASLEEP)
        return replace(
            known, server_bytes=self._held, server_busy_pct=self._busy_pct, serving=bool(self._held)
        )


class Drm:
    """All cards of one maker's drivers. `make` builds what asks a card, from its folder and the clock."""

    def __init__(
        self,
        maker: str,
        drivers: frozenset[str],
        make: Callable[[Path, Callable[[], int]], Asks],
        root: Path = Path("/sys/class/drm"),
        proc: Path = Path("/proc"),
        clock: Callable[[], int] = time.monotonic_ns,
    ) -> None:
        self._maker, self._drivers, self._make, self._root, self._clock = maker, drivers, make, root, clock
        self._files = DeviceFiles(proc)
        self._cards: Mapping[Path, DrmCard] = {}
        self._pids: tuple[int, ...] = ()
        self._look_ns = self._clients_ns = 0
        self._pace = Paced(maker, self._step, clock)
        self.driver = ""
        self.start, self.rate, self.mark, self.step = (
            self._pace.start,
            self._pace.rate,
            self._pace.mark,
            self._pace.step,
        )

    def gpus(self, now_ns: int, server_pids: tuple[int, ...]) -> tuple[tuple[Gpu, ...], str]:
        """The last known values and, when there are none, why. Never waits for the driver."""
        self._pids = server_pids
        silent = self._pace.silent(now_ns)
        cards = [card.gpu(now_ns) for card in self._cards.values()]
        late_ns = 2 * max(self._pace.apart_ns, SECOND)
        shown = [replace(gpu, stale=gpu.age_ns > late_ns) for gpu in cards if gpu.name]
        if silent:
            shown = [replace(gpu, reason=gpu.reason or silent) for gpu in shown]
        return tuple(shown), "" if shown else silent or f"no {self._maker} GPU in use"

    def _step(self, edge: bool, idle: bool) -> None:
        now_ns = self._clock()
        if now_ns >= self._look_ns:
            self._look_ns = now_ns + LOOK_NS
            self._look()
        for card in self._cards.values():
            card.refresh(edge, idle)
        if edge or now_ns >= self._clients_ns:
            self._clients_ns = now_ns + CLIENTS_NS
            clients = self._files.read(self._pids, now_ns) or {} if self._pids else {}
            for card in self._cards.values():
                card.used(clients.get(card.pdev), self._pids)

    def _look(self) -> None:
        folders = cards(self._root, self._drivers)
        known = self._cards
        self._cards = {
            folder: known.get(folder) or DrmCard(folder, self._make(folder, self._clock), self._clock)
            for folder in folders
        }
        version = read_once(
            Path("/sys/module") / (_driver(folders[0]) if folders else "") / "version"
        ).strip()
        self.driver = f"{self._maker} {version.decode(errors='replace')}" if version else ""


def cards(root: Path, drivers: frozenset[str]) -> list[Path]:
    """The device folders of the cards that these drivers run; cards with memory of their own come first.

    Whether a card has it is told by files being there; none of them is read, which could wake the card.
    """
    found = [path for path in root.glob("card*/device") if path.parent.name[4:].isdigit()]
    mine = [path for path in found if _driver(path) in drivers]
    return sorted(mine, key=lambda path: (not _discrete(path), path.parent.name))


def uevent(device: Path) -> dict[str, str]:
    """What the kernel announced about the device: DRIVER, PCI_ID, PCI_SLOT_NAME."""
    lines = read_once(device / "uevent").decode(errors="replace").splitlines()
    return {key: value for key, _, value in (line.partition("=") for line in lines)}


def _driver(device: Path) -> str:
    return uevent(device).get("DRIVER", "")


def _discrete(device: Path) -> bool:
    return os.path.exists(device / "mem_busy_percent") or bool(list(device.glob("hwmon/*/energy1_input")))


def card_name(maker: str, device: Path, tables: Path = Path("/usr/share")) -> str:
    """The name of a card, from the system's lists of PCI devices; just its number when it isn't there."""
    vendor, number, revision = (
        read_once(device / name).strip().decode(errors="replace")[2:]
        for name in ("vendor", "device", "revision")
    )
    for line in read_once(tables / "libdrm/amdgpu.ids").decode(errors="replace").splitlines():
        words = [word.strip() for word in line.split(",", 2)]
        if maker == "AMD" and [word.lower() for word in words[:2]] == [number, revision]:
            return words[2]
    for name in ("hwdata/pci.ids", "misc/pci.ids"):
        if found := pci_name(read_once(tables / name).decode(errors="replace"), vendor, number):
            return f"{maker} {found}"
    return f"{maker} GPU {vendor}:{number}"


def pci_name(table: str, vendor: str, number: str) -> str:
    """The name of a device in the text of pci.ids, of which the trade name in brackets is the one to know."""
    start = table.find(f"\n{vendor}  ")
    line = table.find(f"\n\t{number}  ", start)
    if (
        start < 0
        or line < 0
        or any(not row.startswith("\t") for row in table[start + 1 : line].split("\n")[1:])
    ):
        return ""
    name = table[line + 2 : table.find("\n", line + 1)].partition("  ")[2]
    return name.rpartition("[")[2].removesuffix("]") if name.endswith("]") else name
