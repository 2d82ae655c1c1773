"""What the numbers of the memory and the GPU panel mean."""

from __future__ import annotations

from tui.settings.defining import MACHINE, Definition

_SYSTEM = "the system's counters, read ten times a second"
_DRIVER = "the GPU driver's"

OF_THE_MACHINE: tuple[Definition, ...] = (
    Definition(
        "ram", "RAM", MACHINE,
        "How much memory is in use, of all there is. Memory that the system would give back at once, such as"
        " files it keeps, counts as free.",
        "total − available", _SYSTEM,
        "A model larger than RAM leaves this healthy while it is read from disk again and again: look at"
        " stall, disk and the state word.",
    ),
    Definition(
        "memory_state", "state of the memory", MACHINE,
        "The worst that holds: OK, LOADING (the server reads its model), TIGHT, COMPRESSING, STALLED, PAGING"
        " (the model is read from disk while tokens are written), SWAPPING, OOM-KILLED.",
        "from stall, swap, disk and free memory; begins with two readings, ends with 2 s of quiet", _SYSTEM,
        "The limits are choices of this program; there is no standard.",
    ),
    Definition(
        "memory_stall", "memory stall", MACHINE,
        "The share of time in which at least one process could not go on because it waited for memory.",
        "growth of the system's pressure total (PSI, some) / time", _SYSTEM,
        "Only Linux tells it. A stall in the answer is another thing.",
    ),
    Definition(
        "swap", "swap", MACHINE,
        "How much is fetched back from swap. What was swapped out and is never needed again hurts nobody.",
        "growth of the counter of pages swapped in / time", _SYSTEM,
    ),
    Definition(
        "disk", "disk", MACHINE,
        "How much is read from the disks of the whole machine.",
        "growth of the counter of bytes read / time", _SYSTEM,
    ),
    Definition(
        "server", "server's memory", MACHINE,
        "The memory that the process that answers, with its children, holds in RAM. It is found by the port"
        " it listens on.",
        "sum of the resident memory of these processes", _SYSTEM,
        "Parts of a model file that are mapped count only while they are in RAM.",
    ),
    Definition(
        "cores", "busy cores", MACHINE,
        "How many of the cores work, whoever they work for.",
        "share of busy CPU time × cores", _SYSTEM,
    ),
    Definition(
        "clock", "CPU clock", MACHINE,
        "How fast the cores run now, beside the fastest they can.",
        "mean of the cores", _SYSTEM,
    ),
    Definition(
        "phase_cpu", "CPU of a phase", MACHINE,
        "How much CPU the machine spent while the prompt was read or the answer written: 100 % is one core.",
        "CPU time between the edges of the phase / its length", _SYSTEM,
        "There is none for a phase too short for the counters, or without a reading near its edges.",
    ),
    Definition(
        "gpu_use", "GPU use", MACHINE,
        "The share of time in which the GPU had any work, of the busiest GPU where there are more.",
        "as the driver told it, over its own window of up to 1 s", _DRIVER,
        "High is good, and full use is not full speed: decode keeps a GPU busy with waiting for its memory.",
    ),
    Definition(
        "gpu_power", "GPU power", MACHINE,
        "What the board draws, beside its limit.",
        "as the driver told it", _DRIVER,
    ),
    Definition(
        "vram", "VRAM", MACHINE,
        "How much of the GPU's own memory is in use, by all programs.",
        "as the driver told it", _DRIVER,
    ),
)  # fmt: skip
