"""Values of the NVIDIA driver that are asked for by number, several in one call."""

from __future__ import annotations

from typing import Any

from tui.probes.metric import LOST, NO_PERMISSION, NOT_SUPPORTED, UNINITIALIZED

POWER_NOW = 186  # mW over about 0.1 s
MEMORY_TEMPERATURE = 82  # °C, data centre cards
PCIE_TX, PCIE_RX = 197, 198  # bytes since the driver was loaded, seen from the GPU
# Nanoseconds below the clock: power, heat by policy, board limit, reliability; then heat by the driver, heat
# by the hardware, power brake. The last three had other numbers before driver 580: only what answers counts.
CAP, HEAT, BOARD, RELIABILITY, HOT, TOO_HOT, BRAKE = 74, 75, 77, 79, 269, 270, 271

_INVALID_ARGUMENT = 2  # what an old driver says to a number it does not know
_NEVER = NOT_SUPPORTED | {NO_PERMISSION, _INVALID_ARGUMENT}
_GONE = LOST | {UNINITIALIZED}
_MEMBERS = ("dVal", "uiVal", "ulVal", "ullVal", "sllVal", "siVal", "usVal")  # by nvmlValueType_t


class Fields:
    """One question for some fields. Each answers for itself; one that is not supported is asked once."""

    def __init__(self, nvml: Any, handle: Any, *numbers: int) -> None:
        self._nvml, self._handle, self._left = nvml, handle, numbers

    def __call__(self) -> dict[int, float]:
        """The values that are there, by number. Raises the driver's error when there is none."""
        told: dict[int, float] = {}
        failed: dict[int, int] = {}
        for one in self._nvml.nvmlDeviceGetFieldValues(self._handle, list(self._left)):
            if one.nvmlReturn:
                failed[one.fieldId] = one.nvmlReturn
            else:
                told[one.fieldId] = typed(one.valueType, one.value)
        if gone := _GONE & set(failed.values()):
            raise self._nvml.NVMLError(min(gone))
        self._left = tuple(number for number in self._left if failed.get(number) not in _NEVER)
        if not told:
            soon = [code for code in failed.values() if code not in _NEVER]
            raise self._nvml.NVMLError(soon[0] if soon else min(NOT_SUPPORTED))
        return told


def typed(kind: int, value: Any) -> float:
    """The member of the union that the type names. ValueError for a type nobody knows yet."""
    if not 0 <= kind < len(_MEMBERS):
        raise ValueError(f"unknown type of value: {kind}")
    return getattr(value, _MEMBERS[kind])  # type: ignore[no-any-return]
