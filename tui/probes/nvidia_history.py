"""The NVIDIA driver's own record of utilisation: finer than its gauge, fetched once a second."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from statistics import median
from typing import Any

from tui.probes.metric import NOT_SUPPORTED
from tui.probes.nvidia_fields import typed
from tui.probes.pace import SECOND

FAR_NS = 2 * SECOND  # a stamp further from a clock than this is not of that clock
_US = 1000
_NO_DATA = 21
_ENOUGH = 4  # samples that tell how far they are apart

Clock = Callable[[], int]


@dataclass(frozen=True, slots=True)
class Recent:
    """New samples as (monotonic ns, %). `window_ns`: what each is an average over, once enough were seen."""

    samples: tuple[tuple[int, float], ...]
    window_ns: int | None


class History:
    """New samples at each call.

    Some drivers stamp with the time of day and some with the time since the machine started. The newest stamp
    of the first answer tells which; when it fits neither, there is no history.
    """

    def __init__(self, nvml: Any, handle: Any, clock: Clock, wall: Clock) -> None:
        self._nvml, self._handle = nvml, handle
        self._clock, self._clocks = clock, [wall, clock]
        self._last_us = 0
        self._window_ns: int | None = None

    def __call__(self) -> Recent:
        """The samples since the last call. Raises the driver's error."""
        nv = self._nvml
        kind, found = nv.nvmlDeviceGetSamples(self._handle, nv.NVML_GPU_UTILIZATION_SAMPLES, self._last_us)
        new = sorted((one.timeStamp, typed(kind, one.sampleValue)) for one in found)
        new = [(stamp, share) for stamp, share in new if stamp > self._last_us and 0 <= share <= 100]
        if not new:
            raise nv.NVMLError(_NO_DATA)
        newest_us = new[-1][0]
        fitting = [(one, one()) for one in self._clocks if abs(one() - newest_us * _US) < FAR_NS]
        if not fitting:
            raise nv.NVMLError(_NO_DATA if self._last_us else min(NOT_SUPPORTED))
        chosen, now_ns = fitting[0]
        self._clocks = [chosen]
        self._last_us = newest_us
        if len(new) >= _ENOUGH:
            apart_us = median(later - sooner for (sooner, _), (later, _) in pairwise(new))
            self._window_ns = round(apart_us) * _US
        shift_ns = self._clock() - now_ns
        return Recent(tuple((stamp * _US + shift_ns, share) for stamp, share in new), self._window_ns)
