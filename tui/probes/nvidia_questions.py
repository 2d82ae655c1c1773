"""What is asked of one NVIDIA card, and how often: cheap gauges at every tick, dear ones slower."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tui.probes import nvidia_fields as field
from tui.probes.metric import NOT_SUPPORTED, Metric, code_of, failures
from tui.probes.nvidia_activity import Activity
from tui.probes.nvidia_fields import Fields
from tui.probes.nvidia_history import History
from tui.probes.pace import SECOND

TICK = 0
ONCE = 1 << 62
_RARE = 5 * SECOND
_SETTING = 30 * SECOND
_NO_DATA = 21

Clock = Callable[[], int]
Questions = dict[str, Metric]


def of_card(nv: Any, handle: Any, clock: Clock, wall: Clock) -> Questions:
    """Everything but memory and processes. A name that is also one of `Gpu` holds its value as it is."""
    return (
        _gauges(nv, handle)
        | _counters(nv, handle)
        | _settings(nv, handle)
        | _measured(nv, handle, clock, wall)
    )


def _gauges(nv: Any, h: Any) -> Questions:
    core = nv.NVML_TEMPERATURE_GPU
    return {
        "util": Metric(lambda: _busy(nv, nv.nvmlDeviceGetUtilizationRates(h)), TICK),
        "power_w": Metric(lambda: nv.nvmlDeviceGetPowerUsage(h) / 1000, TICK),
        "power_now": Metric(Fields(nv, h, field.POWER_NOW), TICK),
        "sm_mhz": Metric(lambda: nv.nvmlDeviceGetClockInfo(h, nv.NVML_CLOCK_SM), TICK),
        "mem_mhz": Metric(lambda: nv.nvmlDeviceGetClockInfo(h, nv.NVML_CLOCK_MEM), TICK),
        "throttle_mask": Metric(_Reasons(nv, h), TICK),
        "temperature_c": Metric(lambda: nv.nvmlDeviceGetTemperature(h, core), SECOND),
        "margin": Metric(lambda: nv.nvmlDeviceGetMarginTemperature(h), SECOND),
        "memory_heat": Metric(Fields(nv, h, field.MEMORY_TEMPERATURE), SECOND),
        "fan_pct": Metric(lambda: nv.nvmlDeviceGetFanSpeed(h), _RARE),
    }


def _counters(nv: Any, h: Any) -> Questions:
    times = (
        field.CAP, field.HEAT, field.BOARD, field.RELIABILITY, field.HOT, field.TOO_HOT, field.BRAKE,
    )  # fmt: skip
    return {
        "energy_mj": Metric(lambda: nv.nvmlDeviceGetTotalEnergyConsumption(h), SECOND, edge=True),
        "times": Metric(Fields(nv, h, *times), SECOND, edge=True),
        "pcie": Metric(Fields(nv, h, field.PCIE_TX, field.PCIE_RX), SECOND, edge=True),
    }


def _settings(nv: Any, h: Any) -> Questions:
    slowdown = nv.NVML_TEMPERATURE_THRESHOLD_SLOWDOWN
    return {
        "power_limit_w": Metric(lambda: nv.nvmlDeviceGetEnforcedPowerLimit(h) / 1000, _SETTING),
        "power_default_w": Metric(lambda: nv.nvmlDeviceGetPowerManagementDefaultLimit(h) / 1000, ONCE),
        "sm_max_mhz": Metric(lambda: nv.nvmlDeviceGetMaxClockInfo(h, nv.NVML_CLOCK_SM), _SETTING),
        "mem_max_mhz": Metric(lambda: nv.nvmlDeviceGetMaxClockInfo(h, nv.NVML_CLOCK_MEM), _SETTING),
        "bus_bits": Metric(lambda: nv.nvmlDeviceGetMemoryBusWidth(h), ONCE),
        "slowdown": Metric(lambda: nv.nvmlDeviceGetTemperatureThreshold(h, slowdown), ONCE),
        "pcie_gen": Metric(lambda: nv.nvmlDeviceGetCurrPcieLinkGeneration(h), _RARE),
        "pcie_width": Metric(lambda: nv.nvmlDeviceGetCurrPcieLinkWidth(h), _RARE),
        "pcie_max_gen": Metric(lambda: nv.nvmlDeviceGetMaxPcieLinkGeneration(h), ONCE),
        "pcie_max_width": Metric(lambda: nv.nvmlDeviceGetMaxPcieLinkWidth(h), ONCE),
    }


def _measured(nv: Any, h: Any, clock: Clock, wall: Clock) -> Questions:
    return {
        "history": Metric(History(nv, h, clock, wall), SECOND),
        "activity": Metric(Activity(nv, h, clock), SECOND),
    }


def of_slice(nv: Any, handle: Any, part: Any, clock: Clock) -> Questions:
    """What is told of one slice alone: on Hopper and later how busy its parts are. `handle` is the card."""
    activity: list[Activity] = []

    def ask() -> Any:
        if not activity:
            activity.append(Activity(nv, handle, clock, nv.nvmlDeviceGetGpuInstanceId(part)))
        return activity[0]()

    return {"activity": Metric(ask, SECOND)}


def _busy(nv: Any, rates: Any) -> tuple[int, int | None]:
    """Shares of time; one over 100 is none. Without that of the GPU the driver told no data."""
    if not 0 <= rates.gpu <= 100:
        raise nv.NVMLError(_NO_DATA)
    return rates.gpu, rates.memory if 0 <= rates.memory <= 100 else None


class _Reasons:
    """Why it runs below its clock. The older name is for drivers that lack the newer one."""

    def __init__(self, nv: Any, handle: Any) -> None:
        self._nv, self._handle, self._new = nv, handle, True

    def __call__(self) -> int:
        nv = self._nv
        try:
            if self._new:
                return int(nv.nvmlDeviceGetCurrentClocksEventReasons(self._handle))
        except failures(nv) as error:
            if code_of(error) not in NOT_SUPPORTED:
                raise
            self._new = False
        return int(nv.nvmlDeviceGetCurrentClocksThrottleReasons(self._handle))
