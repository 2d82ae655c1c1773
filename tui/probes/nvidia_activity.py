"""How busy the parts of an NVIDIA GPU really were: processors, matrix units, memory (GPM)."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from tui.probes.metric import NOT_SUPPORTED

_NOT_READY = 27


@dataclass(frozen=True, slots=True)
class Busy:
    """Shares in %, None where not told, averaged over `span_ns`."""

    sm_pct: float | None
    tensor_pct: float | None
    dram_pct: float | None
    span_ns: int


class Activity:
    """The mean between two calls. `instance` is the number of a slice, `handle` always the card."""

    def __init__(self, nvml: Any, handle: Any, clock: Callable[[], int], instance: int | None = None) -> None:
        self._nvml, self._handle, self._clock, self._instance = nvml, handle, clock, instance
        self._older: tuple[Any, int] | None = None
        self._spare: Any = None

    def __call__(self) -> Busy:
        """Raises the driver's error, "not ready" at the first call: there is nothing to compare with."""
        nv = self._nvml
        if self._older is None:
            if not nv.nvmlGpmQueryDeviceSupport(self._handle).isSupportedDevice:
                raise nv.NVMLError(min(NOT_SUPPORTED))
            self._spare = nv.nvmlGpmSampleAlloc()
            self._older = self._take(nv.nvmlGpmSampleAlloc())
            raise nv.NVMLError(_NOT_READY)
        (older, before_ns), (newer, now_ns) = self._older, self._take(self._spare)
        self._spare, self._older = older, (newer, now_ns)
        wanted = (
            nv.NVML_GPM_METRIC_SM_UTIL,
            nv.NVML_GPM_METRIC_ANY_TENSOR_UTIL,
            nv.NVML_GPM_METRIC_DRAM_BW_UTIL,
        )
        asked = nv.c_nvmlGpmMetricsGet_t()
        asked.version, asked.numMetrics = nv.NVML_GPM_METRICS_GET_VERSION, len(wanted)
        asked.sample1, asked.sample2 = older, newer
        for i, metric in enumerate(wanted):
            asked.metrics[i].metricId = metric
        nv.nvmlGpmMetricsGet(asked)
        sm, tensor, dram = (_share(asked.metrics[i]) for i in range(len(wanted)))
        return Busy(sm, tensor, dram, now_ns - before_ns)

    def _take(self, sample: Any) -> tuple[Any, int]:
        if self._instance is None:
            self._nvml.nvmlGpmSampleGet(self._handle, sample)
        else:
            self._nvml.nvmlGpmMigSampleGet(self._handle, self._instance, sample)
        return sample, self._clock()


def _share(metric: Any) -> float | None:
    return metric.value if metric.nvmlReturn == 0 and math.isfinite(metric.value) else None
