"""One NVIDIA card or slice of a card (MIG): its last known values, as long as it can be asked."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tui.domain.machine import Gpu
from tui.probes.metric import (
    GPU_LOST,
    NO_PERMISSION,
    NOT_SUPPORTED,
    CardGone,
    Metric,
    code_of,
    failures,
)
from tui.probes.nvidia_answers import AS_THEY_ARE, Answers
from tui.probes.nvidia_questions import TICK, of_card, of_slice
from tui.probes.nvidia_tenants import Held
from tui.probes.pace import SECOND

_OTHER_STRUCT = 25  # drivers 535.43 to 535.86 fill the list of processes with nonsense


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
        wall: Callable[[], int] = time.time_ns,
        proc: Path = Path("/proc"),
    ) -> None:
        """`handle` is the card, `part` its slice. Raises CardGone when the card is lost already."""
        self._nvml, self._clock, self._ram_bytes, self._proc = nvml, clock, ram_bytes, proc
        self._own = handle if part is None else part
        self.sliced = part is not None
        self._version2 = self._graphics = True  # until the driver says it has none
        self._handed_on: Any = None  # the driver's own samples that were told last
        self.lost = ""
        self.name = self._identity("nvmlDeviceGetName")
        self.uuid = self._identity("nvmlDeviceGetUUID")
        self._metrics = {
            "memory": Metric(self._memory, TICK),
            "processes": Metric(self._processes, SECOND),
        }
        if first:
            self._metrics |= of_card(nvml, handle, clock, wall)
        if self.sliced:
            self._metrics |= of_slice(nvml, handle, part, clock)

    def _identity(self, function: str) -> str:
        try:
            return str(getattr(self._nvml, function)(self._own))
        except failures(self._nvml) as error:
            if code_of(error) in NOT_SUPPORTED or code_of(error) == NO_PERMISSION:
                return ""
            raise CardGone(GPU_LOST) from error

    def refresh(self, edge: bool, before: Callable[[], None] = lambda: None) -> None:
        """Ask whatever is due; `before` is called before each question.

        After a loss no call is made on this card again; its last values stay.
        """
        try:
            for metric in self._metrics.values():
                if not self.lost:
                    before()
                    metric.refresh(self._nvml, self._clock, edge)
        except CardGone as gone:
            self.lost = str(gone)
            self._own = None
            self._metrics = {name: _frozen(metric) for name, metric in self._metrics.items()}

    @property
    def held(self) -> Held | None:
        """What each process holds, None where not told."""
        return self._answers().get("processes")  # type: ignore[no-any-return]

    def gpu(self, now_ns: int, pause_ns: int = 0) -> Gpu:
        """The last known values, with their age; `pause_ns` is how far apart rounds of questions are.

        The driver's own samples are handed on once, so this is for one reader.
        """
        told = self._answers()
        memory = told.memory()
        return Gpu(
            name=self.name,
            uuid=self.uuid,
            **memory,
            **told.load(memory["unified"]),
            **told.heat(),
            **told.slowed(),
            **told.bus(now_ns, memory["unified"]),
            **{name: told.get(name) for name in AS_THEY_ARE},
            **told.ages(now_ns),
            **self._recent(told, now_ns),
            stale=bool(self.lost) or told.stale(now_ns, pause_ns),
            absent=told.absent(),
            reason=self.lost,
            note=told.note(),
        )

    def _answers(self) -> Answers:
        return Answers(self._metrics, self.name, self.sliced, self._ram_bytes)

    def _recent(self, told: Answers, now_ns: int) -> dict[str, Any]:
        recent = told.get("history")
        if recent is None:
            return {}
        new = recent.samples if recent is not self._handed_on else ()
        self._handed_on = recent
        return {
            "util_window_ns": recent.window_ns,
            "util_recent": tuple((max(now_ns - at_ns, 0), share) for at_ns, share in new),
        }

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

    def _processes(self) -> Held:
        """Bytes held by each process, None where not told; pids are always those of the host."""
        nv = self._nvml
        found = list(nv.nvmlDeviceGetComputeRunningProcesses(self._own))
        try:
            if self._graphics:
                found += nv.nvmlDeviceGetGraphicsRunningProcesses(self._own)
        except failures(nv) as error:
            if code_of(error) not in NOT_SUPPORTED and code_of(error) != NO_PERMISSION:
                raise
            self._graphics = False
        sizes = {one.pid: one.usedGpuMemory for one in found}
        total = (self._answers().get("memory") or (0, 0))[1]
        if total and any(size and size > total for size in sizes.values()):
            raise nv.NVMLError(_OTHER_STRUCT)
        seen = not (self._proc / "self").exists() or any((self._proc / str(pid)).exists() for pid in sizes)
        return Held(sizes, bool(sizes) and seen)


def _frozen(metric: Metric) -> Metric:
    """The metric without its question, so that nothing keeps the handle of a lost card."""
    kept = Metric(lambda: None, 0)
    kept.answer, kept.absent = metric.answer, metric.absent
    return kept
