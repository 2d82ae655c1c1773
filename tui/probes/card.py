"""One NVIDIA card or slice of a card (MIG): which questions are asked of it, and how often."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from tui.domain.machine import Gpu
from tui.probes.metric import MS, NO_PERMISSION, NOT_SUPPORTED, SECOND, CardGone, Metric, code_of, failures

TICK = 0
INTEGRATED = ("GB10", "Orin", "Thor", "Tegra")  # chips whose GPU works in the system's memory
SAME_MEMORY = 0.1  # such a chip reports a total this close to the system's RAM, if it reports one
WHOLE_CARD = "power, clock and temperature of the whole card"


class Card:
    """A card, or one slice of it. Of several slices only the first carries what belongs to the whole card."""

    def __init__(
        self,
        nvml: Any,
        clock: Callable[[], int],
        handle: Any,
        part: Any = None,
        *,
        first: bool = True,
        ram_bytes: int | None = None,
    ) -> None:
        """`handle` is the card, `part` its slice. Raises CardGone when the card is lost already."""
        self._nvml, self._clock, self._ram_bytes = nvml, clock, ram_bytes
        self._own = handle if part is None else part
        self._sliced = part is not None
        self._version2 = True
        self.lost = ""
        self.name = self._identity("nvmlDeviceGetName")
        self.uuid = self._identity("nvmlDeviceGetUUID")
        self._metrics = {
            "memory": Metric(self._memory, TICK),
            "processes": Metric(self._processes, SECOND),
        } | (self._of_card(handle) if first else {})

    def _of_card(self, handle: Any) -> dict[str, Metric]:
        nv = self._nvml
        sm = nv.NVML_CLOCK_SM
        return {
            "energy": Metric(lambda: nv.nvmlDeviceGetTotalEnergyConsumption(handle), SECOND, edge=True),
            "util": Metric(lambda: nv.nvmlDeviceGetUtilizationRates(handle).gpu, TICK),
            "power": Metric(lambda: nv.nvmlDeviceGetPowerUsage(handle) / 1000, TICK),
            "sm": Metric(lambda: nv.nvmlDeviceGetClockInfo(handle, sm), TICK),
            "throttle": Metric(lambda: self._reasons(handle), TICK),
            "temperature": Metric(
                lambda: nv.nvmlDeviceGetTemperature(handle, nv.NVML_TEMPERATURE_GPU), SECOND
            ),
            "limit": Metric(lambda: nv.nvmlDeviceGetEnforcedPowerLimit(handle) / 1000, 30 * SECOND),
            "sm_max": Metric(lambda: nv.nvmlDeviceGetMaxClockInfo(handle, sm), 30 * SECOND),
        }

    def _identity(self, function: str) -> str:
        try:
            return str(getattr(self._nvml, function)(self._own))
        except failures(self._nvml) as error:
            if code_of(error) in NOT_SUPPORTED or code_of(error) == NO_PERMISSION:
                return ""
            raise CardGone("GPU lost") from error

    def refresh(self, edge: bool) -> None:
        """Ask whatever is due. After a loss no call is made on this card again; its last values stay."""
        try:
            for metric in self._metrics.values():
                if not self.lost:
                    metric.refresh(self._nvml, self._clock, edge)
        except CardGone as gone:
            self.lost = str(gone)
            self._own = None
            self._metrics = {name: _frozen(metric) for name, metric in self._metrics.items()}

    def gpu(self, now_ns: int, server_pids: tuple[int, ...]) -> Gpu:
        """The last known values, with their age."""
        used, total, reserved = self._get("memory") or (None, None, None)
        held: Mapping[int, int | None] | None = self._get("processes")
        unified = self._unified(total)
        if unified:
            total, reserved = self._ram_bytes, None
            used = sum(size or 0 for size in held.values()) if held is not None else None
        return Gpu(
            name=self.name,
            uuid=self.uuid,
            util_pct=self._get("util"),
            mem_used_bytes=used,
            mem_total_bytes=total,
            mem_reserved_bytes=reserved,
            server_bytes=_held_by(server_pids, held),
            power_w=self._get("power"),
            power_limit_w=self._get("limit"),
            energy_mj=self._get("energy"),
            temperature_c=self._get("temperature"),
            sm_mhz=self._get("sm"),
            sm_max_mhz=self._get("sm_max"),
            throttle_mask=self._get("throttle"),
            unified=unified,
            age_ns=self._age(now_ns, "util", "power", "memory"),
            energy_age_ns=self._age(now_ns, "energy"),
            reason=self.lost,
            note=self._note(),
        )

    def _get(self, name: str) -> Any:
        metric = self._metrics.get(name)
        return metric.answer[0] if metric and metric.answer else None

    def _age(self, now_ns: int, *names: str) -> int:
        """The age of the first of these values that is there."""
        answers = (metric.answer for name in names if (metric := self._metrics.get(name)))
        return max(now_ns - next((answer[1] for answer in answers if answer), now_ns), 0)

    def _note(self) -> str:
        slowest = max((metric.mean_ns for metric in self._metrics.values()), default=0)
        slow = f"driver is slow: {slowest / MS:.0f} ms per call" if slowest > 5 * MS else ""
        sliced = WHOLE_CARD if self._sliced and "power" in self._metrics else ""
        return ", ".join(filter(None, (sliced, slow)))

    def _unified(self, total: int | None) -> bool:
        if not total:
            return total == 0 or self._metrics["memory"].absent == "not supported here"
        ram = self._ram_bytes or 0
        return any(chip in self.name for chip in INTEGRATED) and abs(total - ram) <= SAME_MEMORY * ram

    def _memory(self) -> tuple[int, int, int | None]:
        """Used, total, reserved bytes. Version 2, with "reserved" apart, is taken when its parts add up."""
        nv = self._nvml
        if self._version2:
            try:
                info = nv.nvmlDeviceGetMemoryInfo(self._own, version=nv.nvmlMemory_v2)
                if info.used + info.free + info.reserved == info.total:
                    return info.used, info.total, info.reserved
            except failures(nv) as error:
                if code_of(error) not in NOT_SUPPORTED:
                    raise
            self._version2 = False
        info = nv.nvmlDeviceGetMemoryInfo(self._own)
        return info.used, info.total, None

    def _reasons(self, handle: Any) -> int:
        new = getattr(self._nvml, "nvmlDeviceGetCurrentClocksEventReasons", None)
        return int((new or self._nvml.nvmlDeviceGetCurrentClocksThrottleReasons)(handle))

    def _processes(self) -> dict[int, int | None]:
        """Bytes held by each process, None where not told; pids are always those of the host."""
        nv = self._nvml
        found = list(nv.nvmlDeviceGetComputeRunningProcesses(self._own))
        try:
            found += nv.nvmlDeviceGetGraphicsRunningProcesses(self._own)
        except failures(nv) as error:
            if code_of(error) not in NOT_SUPPORTED and code_of(error) != NO_PERMISSION:
                raise
        return {one.pid: one.usedGpuMemory for one in found}


def _held_by(pids: tuple[int, ...], held: Mapping[int, int | None] | None) -> int | None:
    """Bytes that these processes hold; None when no list is there or one of the sizes is unknown."""
    if held is None or not pids:
        return None
    sizes = [held[pid] for pid in pids if pid in held]
    return None if None in sizes else sum(size for size in sizes if size is not None)


def _frozen(metric: Metric) -> Metric:
    """The metric without its question, so that nothing keeps the handle of a lost card."""
    kept = Metric(lambda: None, 0)
    kept.answer, kept.absent = metric.answer, metric.absent
    return kept
