"""One AMD GPU on Linux, through the files of amdgpu. `pcie_bw` is never read: that takes a second."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from pathlib import Path

from tui.domain.machine import Gpu
from tui.probes.drm import card_name, uevent
from tui.probes.fdinfo import Client
from tui.probes.kept import read_now, read_once
from tui.probes.pace import SECOND
from tui.probes.question import Question, slow_note

DRIVERS = frozenset({"amdgpu"})
SOC_POWER = "power of the whole chip, CPU included"
PCIE_GT_S = (2.5, 5.0, 8.0, 16.0, 32.0, 64.0)  # by generation, each lane
HOT_MILLI_C, SLOWED = 105_000, 0.9  # of the hottest place on the chip; share of the highest clock
HOTTEST = ("junction", "mem", "edge")  # sensors by label, the one that limits the clock first


class Amd:
    """Asks one card. An APU has one pool of memory: its carve-out and what the GPU may map of the RAM."""

    def __init__(
        self, device: Path, clock: Callable[[], int], kfd: Path = Path("/sys/class/kfd/kfd")
    ) -> None:
        self._device, self._clock, self._kfd = device, clock, kfd
        self._hwmon = next(iter(sorted(device.glob("hwmon/hwmon*"))), device / "hwmon")
        self._pdev = uevent(device).get("PCI_SLOT_NAME", "")
        self._name = card_name("AMD", device)
        self._gpu_id = ""
        self._unified = not (device / "mem_busy_percent").exists() and not self._has("power1_cap")
        self._sensor = next(iter(self._sensors()), "temp1_input")
        self._busy = Question(self._share("gpu_busy_percent"))
        self._mem_busy = Question(self._share("mem_busy_percent"))
        self._vram = Question(lambda: self._used_and_total("vram"))
        self._gtt = Question(lambda: self._used_and_total("gtt"))
        self._power = Question(self._watts)
        self._temperature = Question(self._monitor(self._sensor))
        self._sclk = Question(self._monitor("freq1_input"))
        self._mclk = Question(self._monitor("freq2_input"))
        self._cap = Question(self._monitor("power1_cap"), 30 * SECOND)
        self._cap_default = Question(self._monitor("power1_cap_default"), 30 * SECOND)
        self._mclk_max = Question(lambda: highest_mhz(read_now(device / "pp_dpm_mclk")), 30 * SECOND)
        self._mem_temperature = Question(self._monitor(self._sensor_of("mem")), SECOND)
        self._link = Question(self._pcie, 5 * SECOND)
        self._sclk_max = Question(lambda: highest_mhz(read_now(device / "pp_dpm_sclk")), 30 * SECOND)
        self._all: tuple[Question[int] | Question[tuple[int, int]], ...] = (
            *(self._busy, self._mem_busy, self._vram, self._gtt, self._power),
            *(self._temperature, self._sclk, self._mclk, self._cap, self._sclk_max),
            *(self._cap_default, self._mclk_max, self._mem_temperature, self._link),
        )

    @property
    def idle(self) -> bool:
        return not self._busy.value

    def refresh(self, edge: bool) -> None:
        for question in self._all:
            question.refresh(self._clock, edge)

    def gpu(self, now_ns: int) -> Gpu:
        used, total = self._vram.value or (None, None)
        spilled, room = self._gtt.value or (None, None)
        if self._unified and None not in (used, total, spilled, room):
            used, total = (used or 0) + (spilled or 0), (total or 0) + (room or 0)
        answer = self._busy.answer or self._vram.answer
        soc = SOC_POWER if self._unified and self._power.value is not None else ""
        return Gpu(
            name=self._name,
            uuid=self._pdev,
            util_pct=self._busy.value,
            mem_busy_pct=self._mem_busy.value,
            mem_used_bytes=used,
            mem_total_bytes=total,
            spilled_bytes=None if self._unified else spilled,
            power_w=_scaled(self._power, 1e6),
            power_limit_w=_scaled(self._cap, 1e6),
            temperature_c=_scaled(self._temperature, 1e3),
            sm_mhz=_scaled(self._sclk, 1e6),
            sm_max_mhz=self._sclk_max.value,
            mem_mhz=_scaled(self._mclk, 1e6),
            mem_max_mhz=self._mclk_max.value,
            mem_temperature_c=_scaled(self._mem_temperature, 1e3),
            power_default_w=_scaled(self._cap_default, 1e6),
            pcie_gen=self._link.value[0] if self._link.value else None,
            pcie_width=self._link.value[1] if self._link.value else None,
            absent=self._absent(),
            unified=self._unified,
            age_ns=max(now_ns - answer[1], 0) if answer else 0,
            note=", ".join(filter(None, (soc, self._hot(), slow_note(self._all)))),
        )

    def _hot(self) -> str:
        """A guess in place of the driver's reasons, which it tells in no file: hot, and below its clock."""
        clock, top = _scaled(self._sclk, 1e6), self._sclk_max.value
        hot = (self._temperature.value or 0) >= HOT_MILLI_C and self._sensor != "temp1_input"
        return "probably slowed down by heat" if hot and clock and top and clock < SLOWED * top else ""

    def held(self, clients: tuple[Client, ...], pids: tuple[int, ...]) -> int | None:
        """Bytes that the server holds: graphics clients tell them, for HIP the compute driver does."""
        graphics = sum(one.vram_bytes + (one.system_bytes if self._unified else 0) for one in clients)
        compute = self._compute(pids)
        if compute is None:
            return graphics if clients else None
        return max(graphics, compute)

    def _absent(self) -> dict[str, str]:
        """Why values are missing, by the name of their field."""
        asked = {
            "util_pct": self._busy,
            "mem_busy_pct": self._mem_busy,
            "power_w": self._power,
            "power_limit_w": self._cap,
            "temperature_c": self._temperature,
            "sm_mhz": self._sclk,
        }
        missing = {name: question.absent for name, question in asked.items() if question.absent}
        return missing | {"energy_mj": "no counter that can be trusted", "throttle_mask": "told in no file"}

    def _pcie(self) -> tuple[int, int]:
        """Generation and lanes of the link, from texts such as `16.0 GT/s PCIe`."""
        speed = float(read_now(self._device / "current_link_speed").split()[0])
        return PCIE_GT_S.index(speed) + 1, int(read_now(self._device / "current_link_width"))

    def _sensor_of(self, label: str) -> str:
        """The temperature file with this label, a name that is not there when no sensor has it."""
        for path in self._hwmon.glob("temp*_label"):
            if read_once(path).strip().decode(errors="replace") == label:
                return path.name.replace("_label", "_input")
        return f"temp_of_{label}"

    def _compute(self, pids: Iterable[int]) -> int | None:
        self._gpu_id = self._gpu_id or gpu_id(self._kfd, self._pdev)
        sizes = [read_once(self._kfd / f"proc/{pid}/vram_{self._gpu_id}").strip() for pid in pids]
        known = [int(size) for size in sizes if size.isdigit()]
        return sum(known) if known and self._gpu_id else None

    def _share(self, name: str) -> Callable[[], int]:
        path = str(self._device / name)

        def share() -> int:
            told = int(read_now(path))
            if not 0 <= told <= 100:
                raise ValueError(f"no share of time: {told}")
            return told

        return share

    def _monitor(self, name: str) -> Callable[[], int]:
        path = str(self._hwmon / name)
        return lambda: int(read_now(path))

    def _has(self, name: str) -> bool:
        return (self._hwmon / name).exists()

    def _used_and_total(self, pool: str) -> tuple[int, int]:
        used, total = (read_now(f"{self._device}/mem_info_{pool}_{what}") for what in ("used", "total"))
        return int(used), int(total)

    def _watts(self) -> int:
        """Microwatts: a mean on older kernels and cards, a momentary value on newer ones."""
        return int(
            read_now(self._hwmon / ("power1_average" if self._has("power1_average") else "power1_input"))
        )

    def _sensors(self) -> list[str]:
        """Temperature files, the one that limits the clock first; the numbers differ between cards."""
        labels = {read_once(path).strip(): path.name for path in self._hwmon.glob("temp*_label")}
        hottest = [name for label in HOTTEST if (name := labels.get(label.encode()))]
        return [name.replace("_label", "_input") for name in hottest]


def highest_mhz(table: bytes) -> int | None:
    """The highest clock in a table such as `1: 2611Mhz *`; None for an empty one."""
    return max((int(mhz) for mhz in re.findall(rb"(\d+)Mhz", table)), default=None)


def gpu_id(kfd: Path, pdev: str) -> str:
    """The compute driver's number of the card at a PCI address, "" when it has none.

    Its `location_id` is bus x 256 + device x 8 + function.
    """
    try:
        domain, bus, rest = pdev.split(":")
        device, _, function = rest.partition(".")
        place = int(bus, 16) * 256 + int(device, 16) * 8 + int(function, 16)
        wanted = {f"location_id {place}", f"domain {int(domain, 16)}"}
    except ValueError:
        return ""
    for node in sorted((kfd / "topology/nodes").glob("*/properties")):
        if wanted <= set(read_once(node).decode(errors="replace").splitlines()):
            return read_once(node.parent / "gpu_id").strip().decode(errors="replace")
    return ""


def _scaled(question: Question[int], divisor: float) -> float | None:
    return None if question.value is None else question.value / divisor
