"""Which GPUs work for the server, and how long their drivers average."""

from __future__ import annotations

from tui.domain.flow import SECOND_NS
from tui.domain.machine import Gpu, Reading

WINDOW_NS = SECOND_NS  # of the drivers' gauges, where they don't tell


def identity(place: int, gpu: Gpu) -> str:
    """What tells a GPU from the others of its machine: its UUID, else its place among them."""
    return gpu.uuid or f"#{place}"


def working(reading: Reading) -> tuple[Gpu, ...]:
    """The GPUs the server works on: those that hold its memory, else the only one; none when unknown."""
    if len(reading.gpus) < 2:
        return reading.gpus
    return tuple(gpu for gpu in reading.gpus if gpu.server_bytes or gpu.serving)
