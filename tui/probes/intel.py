"""One Intel GPU on Linux, through the files of its drivers i915 and xe."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from tui.domain.machine import Gpu
from tui.probes.drm import card_name, uevent
from tui.probes.fdinfo import Client
from tui.probes.kept import read_now, read_once
from tui.probes.pace import SECOND
from tui.probes.question import Question, Slope, slow_note

DRIVERS = frozenset({"i915", "xe"})
NOT_BUSY = "load is the share of time it was awake, which is more than its work"
UNNAMED = "slowed down by its driver, which tells no reason"
# The driver's reasons in the bits of NVML, see tui.domain.throttle.
REASONS = {
    "pl1": 0x04,
    "pl2": 0x04,
    "pl4": 0x04,
    "vr_tdc": 0x04,
    "thermal": 0x20,
    "ratl": 0x20,
    "vr_thermalert": 0x40,
    "prochot": 0x40,
}
_INSIDE = "0000:00:02."  # the GPU in the processor has always sat at this PCI address


class Intel:
    """Asks one card. The use of its memory is told per process only; energy and idle time are counters."""

    def __init__(self, device: Path, clock: Callable[[], int]) -> None:
        self._device, self._clock = device, clock
        self._pdev = uevent(device).get("PCI_SLOT_NAME", "")
        self._name = card_name("Intel", device)
        self._inside = self._pdev.startswith(_INSIDE)
        self._used = False
        hwmon = next(iter(sorted(device.glob("hwmon/hwmon*"))), device / "hwmon")
        gt = Gt(device)
        self._throttle_files = gt.throttle
        self._energy = Question(_number(hwmon / "energy1_input"), edge=True)
        self._idle = Question(_number(gt.idle_ms))
        self._clock_mhz = Question(_number(gt.clock_mhz))
        self._clock_max = Question(_number(gt.clock_max_mhz), 30 * SECOND)
        self._throttle = Question(lambda: throttle(self._throttle_files))
        self._temperature = Question(_number(_labelled(hwmon, "pkg")))
        self._limit = Question(lambda: power_limit(hwmon), 30 * SECOND)
        self._watts, self._asleep_share = Slope(), Slope()
        self._all: tuple[Question[int] | Question[tuple[int, bool]], ...] = (
            *(self._energy, self._idle, self._clock_mhz, self._clock_max),
            *(self._throttle, self._temperature, self._limit),
        )

    @property
    def idle(self) -> bool:
        active = self._active()
        return active is not None and active < 1

    def refresh(self, edge: bool) -> None:
        for question in self._all:
            question.refresh(self._clock, edge)
        self._watts.add(self._energy.answer)
        self._asleep_share.add(self._idle.answer)

    def gpu(self, now_ns: int) -> Gpu:
        """A GPU inside the processor is named only while the server uses it: else the CPU does the work."""
        mask, unnamed = self._throttle.value or (None, False)
        active, energy = self._active(), self._energy.answer
        answer = self._clock_mhz.answer or energy
        notes = (NOT_BUSY if active is not None else "", UNNAMED if unnamed else "", slow_note(self._all))
        return Gpu(
            name="" if self._inside and not self._used else self._name,
            uuid=self._pdev,
            util_pct=active,
            power_w=None if self._watts.per_s is None else self._watts.per_s / 1e6,
            power_limit_w=None if self._limit.value is None else self._limit.value / 1e6,
            energy_mj=None if energy is None else energy[0] // 1000,
            temperature_c=None if self._temperature.value is None else self._temperature.value / 1000,
            sm_mhz=self._clock_mhz.value,
            sm_max_mhz=self._clock_max.value,
            throttle_mask=mask,
            unified=self._inside,
            age_ns=max(now_ns - answer[1], 0) if answer else 0,
            energy_age_ns=max(now_ns - energy[1], 0) if energy else 0,
            note=", ".join(filter(None, notes)),
            absent={"mem_used_bytes": "its driver tells it for processes only"},
        )

    def held(self, clients: tuple[Client, ...], pids: tuple[int, ...]) -> int | None:
        self._used = bool(clients)
        if not clients:
            return None
        return sum(one.vram_bytes + (one.system_bytes if self._inside else 0) for one in clients)

    def _active(self) -> float | None:
        """100 x (1 - growth of the idle residency by time)."""
        asleep_ms = self._asleep_share.per_s
        return None if asleep_ms is None else min(max(100 - asleep_ms / 10, 0.0), 100.0)


class Gt:
    """Where a driver keeps the files of the part that computes; i915 has two generations of names."""

    def __init__(self, device: Path) -> None:
        card, xe = device.parent, device / "tile0/gt0"
        new, old = card / "gt/gt0", card
        if xe.is_dir():
            self.idle_ms = xe / "gtidle/idle_residency_ms"
            self.clock_mhz, self.clock_max_mhz = xe / "freq0/act_freq", xe / "freq0/max_freq"
            self.throttle = xe / "freq0/throttle"
        elif new.is_dir():
            self.idle_ms = new / "rc6_residency_ms"
            self.clock_mhz, self.clock_max_mhz = new / "rps_act_freq_mhz", new / "rps_max_freq_mhz"
            self.throttle = new
        else:
            self.idle_ms = old / "power/rc6_residency_ms"
            self.clock_mhz, self.clock_max_mhz = old / "gt_act_freq_mhz", old / "gt_max_freq_mhz"
            self.throttle = old / "no throttle files"


def throttle(folder: Path) -> tuple[int, bool]:
    """Reason bits, and whether the card is slowed down for a reason that has no name. Raises OSError.

    xe calls its files `status` and `reason_…`, i915 `throttle_reason_status` and `throttle_reason_…`.
    """
    prefix = "throttle_" if (folder / "throttle_reason_status").exists() else ""
    if not int(read_now(folder / (f"{prefix}reason_status" if prefix else "status"))):
        return 0, False
    mask = 0
    for name, bit in REASONS.items():
        mask |= bit if read_once(folder / f"{prefix}reason_{name}").strip() == b"1" else 0
    return mask, not mask


def power_limit(hwmon: Path) -> int:
    """Microwatts of the limit that lasts, else of the highest peak: some cards tell 0 for the former."""
    try:
        lasting = int(read_now(hwmon / "power1_max"))
    except OSError:
        lasting = 0
    return lasting or int(read_now(hwmon / "power1_crit"))


def _labelled(hwmon: Path, label: str) -> Path:
    for path in sorted(hwmon.glob("temp*_label")):
        if read_once(path).strip() == label.encode():
            return path.with_name(path.name.replace("_label", "_input"))
    return hwmon / "temp1_input"


def _number(path: Path) -> Callable[[], int]:
    name = str(path)
    return lambda: int(read_now(name))
