"""The last two minutes of the machine, second by second, for the small histories in the panels."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, replace
from operator import attrgetter

from tui.domain.flow import Flow
from tui.domain.gpu_use import working
from tui.domain.machine import Gpu, Reading
from tui.domain.pressure import Pressure, step

SECONDS = 120
_S = 1_000_000_000


@dataclass(frozen=True, slots=True)
class Second:
    """The most of each value in one second. Shares are 0 to 1, rates bytes per second; None is not told."""

    ram: float | None = None
    stall: float | None = None
    swap_in: float | None = None
    disk: float | None = None
    cpu: float | None = None
    gpu: float | None = None
    power: float | None = None
    vram: float | None = None


_VALUES = attrgetter(*(field.name for field in fields(Second)))


class History:
    """Follows the readings of a live session, or those of a recording up to the moment that is played."""

    def __init__(self) -> None:
        self._seconds: deque[Second] = deque(maxlen=SECONDS)
        self._second: int | None = None
        self._latest: Reading | None = None
        self._played = Pressure()
        self._taken = 0
        self._shown: tuple[Second, ...] = ()

    def live(self, pressure: Pressure) -> Sequence[Second]:
        """The seconds up to the newest reading; the same ones while nothing new was read."""
        if pressure.latest is not None and pressure.latest is not self._latest:
            self._take(pressure.latest, pressure.flow)
            self._shown = tuple(self._seconds)
        return self._shown

    def played(self, samples: Sequence[Reading]) -> Sequence[Second]:
        """The seconds of `samples`; those that were there before are not looked at again."""
        again = len(samples) < self._taken or (self._taken and samples[self._taken - 1] is not self._latest)
        if again:
            self._seconds.clear()
            self._second, self._taken, self._played = None, 0, Pressure()
        if again or len(samples) > self._taken:
            for reading in samples[self._taken :]:
                self._played = step(self._played, reading, False)
                self._take(reading, self._played.flow)
            self._taken = len(samples)
            self._shown = tuple(self._seconds)
        return self._shown

    def _take(self, reading: Reading, flow: Flow | None) -> None:
        second, now = reading.at_ns // _S, _second(reading, flow)
        if second == self._second and self._seconds:
            self._seconds[-1] = _most(self._seconds[-1], now)
        else:
            self._seconds.append(now)
        self._latest, self._second = reading, second


def _second(now: Reading, flow: Flow | None) -> Second:
    gpus = [gpu for gpu in working(now) or now.gpus if not gpu.stale]
    used = _of(now.ram_total_bytes, now.ram_available_bytes)
    bare = Second(
        ram=None if used is None else 1 - used,
        gpu=_highest(gpus, lambda gpu: _of(100, gpu.util_pct)),
        power=_highest(gpus, lambda gpu: _of(gpu.power_limit_w, gpu.power_w)),
        vram=_highest(gpus, lambda gpu: _of(gpu.mem_total_bytes, gpu.mem_used_bytes)),
    )
    if flow is None:
        return bare
    return replace(
        bare,
        stall=flow.stall_some_pct,
        swap_in=flow.swap_in_bytes_s,
        disk=flow.disk_read_bytes_s,
        cpu=_of(now.cpu_cores, flow.cpu_busy_cores),
    )


def _of(whole: float | None, part: float | None) -> float | None:
    return part / whole if part is not None and whole else None


def _highest(gpus: Sequence[Gpu], share: Callable[[Gpu], float | None]) -> float | None:
    return max((one for gpu in gpus if (one := share(gpu)) is not None), default=None)


def _most(before: Second, now: Second) -> Second:
    pairs = zip(_VALUES(before), _VALUES(now), strict=True)
    return Second(*(new if old is None else old if new is None else max(old, new) for old, new in pairs))
