"""What one NVIDIA card answered, as the figures of a GPU."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from statistics import median
from typing import Any

from tui.domain.peaks import bus_gb_s
from tui.probes import nvidia_fields as field
from tui.probes.metric import NOT_HERE, Metric
from tui.probes.pace import MS, SECOND

INTEGRATED = ("GB10", "Orin", "Thor", "Tegra")  # chips whose GPU works in the system's memory
SAME_MEMORY = 0.1  # such a chip reports a total this close to the system's RAM, if it reports one
WHOLE_CARD = "power, clock and temperature of the whole card"
NOT_SLICED = "not told for a slice (MIG)"
AS_THEY_ARE = (
    *("power_w", "power_limit_w", "power_default_w", "energy_mj", "temperature_c", "fan_pct"),
    *("sm_mhz", "sm_max_mhz", "mem_mhz", "mem_max_mhz", "throttle_mask"),
)
_LINK = ("pcie_gen", "pcie_width", "pcie_max_gen", "pcie_max_width")
_GAUGES = ("util", "power_w", "memory")  # the first that is there gives the age
_EXPLAINED = {"util": "util_pct", "memory": "mem_used_bytes", "processes": "server_bytes"} | {
    name: name
    for name in ("power_w", "power_limit_w", "energy_mj", "temperature_c", "sm_mhz", "throttle_mask")
}
_SLOW_NS = 5 * MS


@dataclass(frozen=True, slots=True)
class Answers:
    """The last answers of a card, or of a slice of it."""

    metrics: Mapping[str, Metric]
    name: str
    sliced: bool
    ram_bytes: int | None

    def get(self, name: str) -> Any:
        """The value, None when there is none."""
        metric = self.metrics.get(name)
        answer = metric.answer if metric else None
        return answer[0] if answer else None

    def age(self, now_ns: int, *names: str) -> int | None:
        """The age of the first of these values that is there."""
        answers = (metric.answer for name in names if (metric := self.metrics.get(name)))
        read_ns = next((answer[1] for answer in answers if answer), None)
        return None if read_ns is None else max(now_ns - read_ns, 0)

    def ages(self, now_ns: int) -> dict[str, Any]:
        return {
            "age_ns": self.age(now_ns, *_GAUGES) or 0,
            "energy_age_ns": self.age(now_ns, "energy_mj") or 0,
            "throttle_age_ns": self.age(now_ns, "times"),
            "activity_age_ns": self.age(now_ns, "activity"),
        }

    def stale(self, now_ns: int, pause_ns: int) -> bool:
        """The gauges are older than two of their intervals."""
        for name in _GAUGES:
            metric = self.metrics.get(name)
            if metric and (answer := metric.answer):
                return now_ns - answer[1] > 2 * max(pause_ns, metric.pace.interval_ns)
        return False

    def memory(self) -> dict[str, Any]:
        """With unified memory what the processes hold is all that is told."""
        used, total, reserved = self.get("memory") or (None, None, None)
        unified, held = self._unified(total), self.get("processes")
        if unified:
            total, reserved = self.ram_bytes, None
            used = sum(size or 0 for size in held.sizes.values()) if held is not None else None
        return {
            "mem_used_bytes": used,
            "mem_total_bytes": total,
            "mem_reserved_bytes": reserved,
            "unified": unified,
        }

    def load(self, unified: bool) -> dict[str, Any]:
        """How busy it is. With unified memory the driver's share of memory time stands at 0: left out."""
        busy, memory_busy = self.get("util") or (None, None)
        parts = self.get("activity")
        power = (self.get("power_now") or {}).get(field.POWER_NOW)
        return {
            "util_pct": busy,
            "mem_busy_pct": None if unified else memory_busy,
            "power_now_w": None if power is None else power / 1000,
            "peak_gb_s": None if unified else self._peak_gb_s(),
            "sm_pct": parts.sm_pct if parts else None,
            "tensor_pct": parts.tensor_pct if parts else None,
            "dram_pct": parts.dram_pct if parts else None,
            "activity_ns": parts.span_ns if parts else None,
        }

    def _peak_gb_s(self) -> float | None:
        """A slice of a card has a part of it that is not told."""
        bits, top_mhz = self.get("bus_bits"), self.get("mem_max_mhz")
        return bus_gb_s(bits, top_mhz) if bits and top_mhz and not self.sliced else None

    def heat(self) -> dict[str, Any]:
        """The driver's own margin, else the distance to the temperature at which it slows down."""
        margin, slowdown, now = (self.get(name) for name in ("margin", "slowdown", "temperature_c"))
        if margin is None and slowdown and now is not None:
            margin = slowdown - now
        memory = (self.get("memory_heat") or {}).get(field.MEMORY_TEMPERATURE)
        return {"margin_c": margin, "mem_temperature_c": memory}

    def slowed(self) -> dict[str, Any]:
        """Counters of time below the clock. Old drivers tell heat without saying whose doing it was."""
        times = self.get("times") or {}
        limits = [times[number] for number in (field.BOARD, field.RELIABILITY) if number in times]
        return {
            "power_cap_ns": times.get(field.CAP),
            "hot_ns": times.get(field.HOT, times.get(field.HEAT)),
            "too_hot_ns": times.get(field.TOO_HOT),
            "power_brake_ns": times.get(field.BRAKE),
            "voltage_ns": sum(limits) if limits else None,
        }

    def bus(self, now_ns: int, unified: bool) -> dict[str, Any]:
        """PCIe traffic and link; chips with unified memory have no such bus and make something up."""
        if unified:
            return {}
        counters = self.get("pcie") or {}
        return {
            "pcie_tx_bytes": counters.get(field.PCIE_TX),
            "pcie_rx_bytes": counters.get(field.PCIE_RX),
            "pcie_age_ns": self.age(now_ns, "pcie"),
        } | {name: self.get(name) for name in _LINK}

    def absent(self) -> dict[str, str]:
        """Why a value is not there, by its field in `Gpu`."""
        told = {}
        for name, gpu_field in _EXPLAINED.items():
            metric = self.metrics.get(name)
            if self.sliced and name not in ("memory", "processes") and (metric is None or metric.absent):
                told[gpu_field] = NOT_SLICED
            elif metric and metric.absent:
                told[gpu_field] = metric.absent
        return told

    def note(self) -> str:
        """Remarks for people: whose power it is, a lowered limit, a slow driver."""
        often = (metric.pace.mean_ns for metric in self.metrics.values() if metric.every_ns <= SECOND)
        slow = [mean_ns for mean_ns in often if mean_ns > _SLOW_NS]
        limit, default = self.get("power_limit_w"), self.get("power_default_w")
        parts = [WHOLE_CARD] if self.sliced and "power_w" in self.metrics else []
        if limit and default and limit < default:
            parts.append(f"power limit set to {limit:.0f} of {default:.0f} W")
        if slow:
            parts.append(f"sampling slow (NVML {median(slow) / MS:.0f} ms per call)")
        return ", ".join(parts)

    def _unified(self, total: int | None) -> bool:
        if not total:
            return total == 0 or self.metrics["memory"].absent == NOT_HERE
        ram = self.ram_bytes or 0
        return any(chip in self.name for chip in INTEGRATED) and abs(total - ram) <= SAME_MEMORY * ram
