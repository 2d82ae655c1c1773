"""What a process uses of a GPU, from the text that Linux drivers publish for each open device file."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from tui.probes.kept import read_now

_UNITS = {"": 1, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30}
_DEVICES = "/dev/dri/"
SEARCH_NS = 5_000_000_000  # between two looks for device files that were opened since


@dataclass(frozen=True, slots=True)
class Client:
    """One client of a driver: engine time in ns, or busy and total cycles, by engine; bytes by region."""

    pdev: str
    number: int
    engine_ns: Mapping[str, int] = field(default_factory=dict)
    cycles: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    capacity: Mapping[str, int] = field(default_factory=dict)
    resident: Mapping[str, int] = field(default_factory=dict)

    @property
    def vram_bytes(self) -> int:
        """In the card's own memory: regions "vram", "vram0", "local0" …"""
        return sum(v for region, v in self.resident.items() if region.startswith(("vram", "local")))

    @property
    def system_bytes(self) -> int:
        """In the system's memory as the GPU sees it."""
        return sum(v for region, v in self.resident.items() if region.startswith(("gtt", "system")))


def client(text: str) -> Client | None:
    """The client in the text of one /proc/<pid>/fdinfo/<fd>; None when the file is no GPU's.

    A region can be told twice, by its present name `drm-resident-` and by the older `drm-memory-`.
    """
    told = {
        k: v.strip() for k, _, v in (line.partition(":") for line in text.splitlines()) if k[:4] == "drm-"
    }
    number = told.get("drm-client-id", "")
    if not number.isdigit():
        return None
    busy, total = _starting(told, "drm-cycles-"), _starting(told, "drm-total-cycles-")
    return Client(
        pdev=told.get("drm-pdev", ""),
        number=int(number),
        engine_ns={k: v for k, v in _starting(told, "drm-engine-").items() if not k.startswith("capacity-")},
        cycles={k: (v, total[k]) for k, v in busy.items() if k in total},
        capacity=_starting(told, "drm-engine-capacity-"),
        resident=_starting(told, "drm-memory-") | _starting(told, "drm-resident-"),
    )


def _starting(told: Mapping[str, str], start: str) -> dict[str, int]:
    """Whole numbers, in bytes where a unit stands behind, of the keys with this start."""
    found = {}
    for key, value in told.items():
        number, _, unit = value.partition(" ")
        if key.startswith(start) and number.isdigit():
            found[key.removeprefix(start)] = int(number) * _UNITS.get(unit, 1)
    return found


def by_card(clients: Iterable[Client]) -> dict[str, tuple[Client, ...]]:
    """The clients of each card, by PCI address. A client with several device files counts once."""
    once = {(one.pdev, one.number): one for one in clients}
    cards: dict[str, tuple[Client, ...]] = {}
    for one in once.values():
        cards[one.pdev] = (*cards.get(one.pdev, ()), one)
    return cards


def busy_pct(before: Iterable[Client], after: Iterable[Client], span_ns: int) -> float | None:
    """Share of time that the busiest engine worked for these clients; None when nothing can be compared.

    Engine time by span, or busy by total cycles; divided by how many such engines the card has.
    """
    old = {one.number: one for one in before}
    shares: dict[str, float] = {}
    for one in after:
        if (was := old.get(one.number)) is None:
            continue
        for name, share in _shares(was, one, span_ns).items():
            shares[name] = shares.get(name, 0.0) + share / max(one.capacity.get(name, 1), 1)
    return min(100 * max(shares.values()), 100.0) if shares else None


def _shares(was: Client, one: Client, span_ns: int) -> dict[str, float]:
    shares = {}
    for name, ns in one.engine_ns.items():
        if span_ns > 0 and ns >= was.engine_ns.get(name, ns + 1):
            shares[name] = (ns - was.engine_ns[name]) / span_ns
    for name, (busy, total) in one.cycles.items():
        busy_before, total_before = was.cycles.get(name, (busy, total))
        if total > total_before and busy >= busy_before:
            shares[name] = (busy - busy_before) / (total - total_before)
    return shares


class DeviceFiles:
    """The GPU clients of some processes. Their lists of open files are long: looked through every 5 s."""

    def __init__(self, proc: Path = Path("/proc")) -> None:
        self._proc = proc
        self._paths: list[str] = []
        self._pids: tuple[int, ...] = ()
        self._search_ns = 0

    def read(self, pids: tuple[int, ...], now_ns: int) -> dict[str, tuple[Client, ...]] | None:
        """The clients by card; None when no process tells any (it belongs to another user, or has none)."""
        if pids != self._pids or now_ns >= self._search_ns:
            self._pids, self._search_ns = pids, now_ns + SEARCH_NS
            self._paths = [path for pid in pids for path in self._opened(pid)]
        found = [one for path in self._paths if (one := _client_at(path))]
        return by_card(found) if found else None

    def _opened(self, pid: int) -> list[str]:
        folder = f"{self._proc}/{pid}"
        try:
            names = os.listdir(f"{folder}/fd")
        except OSError:
            return []
        return [
            f"{folder}/fdinfo/{name}" for name in names if _target(f"{folder}/fd/{name}").startswith(_DEVICES)
        ]


def _target(link: str) -> str:
    try:
        return os.readlink(link)
    except OSError:
        return ""


def _client_at(path: str) -> Client | None:
    try:
        return client(read_now(path).decode(errors="replace"))
    except OSError:
        return None
