"""The memory of a machine whose GPU has none of its own: one pool, the GPU's part is inside what is used."""

from __future__ import annotations

from dataclasses import dataclass

from tui.domain.machine import Gpu, Reading
from tui.domain.sizes import gib


@dataclass(frozen=True, slots=True)
class Pool:
    """Bytes of RAM; `gpu_bytes` is a part of `used_bytes` and never added, `budget_bytes` most of it."""

    total_bytes: int
    used_bytes: int
    gpu_bytes: int | None = None
    budget_bytes: int | None = None

    @property
    def words(self) -> str:
        """ "46.0 GiB used, of which GPU 37.2 GiB"."""
        told = f"{gib(self.used_bytes)} used"
        return told if self.gpu_bytes is None else f"{told}, of which GPU {gib(self.gpu_bytes)}"


def pool_of(reading: Reading) -> Pool | None:
    """The one pool of a machine with unified memory, or plain RAM where no GPU shares it; None: not read."""
    total, available = reading.ram_total_bytes, reading.ram_available_bytes
    if total is None or available is None:
        return None
    used = total - available
    held = [size for gpu in reading.gpus if gpu.unified and (size := _held(gpu)) is not None]
    budgets = [gpu.mem_budget_bytes for gpu in reading.gpus if gpu.unified and gpu.mem_budget_bytes]
    # what the system counts as available may hold pages of the GPU: its part is never more than the whole
    return Pool(total, used, min(sum(held), used) if held else None, budgets[0] if budgets else None)


def _held(gpu: Gpu) -> int | None:
    """In use on the GPU; where its driver doesn't tell, what its processes hold."""
    return gpu.server_bytes if gpu.mem_used_bytes is None else gpu.mem_used_bytes
