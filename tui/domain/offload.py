"""A model split over GPU and RAM: which share lies where, and how fast it can decode at most.

Each token passes all parts one after the other: seconds per token = sum of bytes / bandwidth of each part.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tui.domain.bandwidth import GIGA
from tui.domain.values import Provenance, Value, absent

_WHOLE_PCT = 2.0  # below this the model counts as all in one place


@dataclass(frozen=True, slots=True)
class Part:
    """Weights that lie behind one memory: bytes, and that memory's peak in 10^9 bytes/s (None: not known)."""

    size: float
    gb_s: float | None


def ceiling(parts: Sequence[Part]) -> Value:
    """Most tokens per second with weights in these places."""
    unit = "tok/s"
    used = [part for part in parts if part.size > 0]
    if not used:
        return absent(unit, "where the weights lie is not known")
    if any(not part.gb_s for part in used):
        return absent(unit, "the bandwidth of the memory is not known")
    seconds = seconds_per_token(used)
    note = " + ".join(f"{part.size / GIGA:.1f} GB at {part.gb_s:g} GB/s" for part in used)
    return Value(1 / seconds, unit, Provenance.ESTIMATED, f"1 / ({note})")


def seconds_per_token(parts: Sequence[Part]) -> float:
    """Seconds to read all parts once; each needs a bandwidth."""
    return sum(part.size / (part.gb_s * GIGA) for part in parts if part.gb_s)


def offload_text(gpu: Part, ram: Part) -> str:
    """ "49 % of the weights in RAM cost 91 % of the time", the time only where both bandwidths are known."""
    share = f"{100 * ram.size / (gpu.size + ram.size):.0f} % of the weights in RAM"
    if not gpu.gb_s or not ram.gb_s:
        return share
    return f"{share} cost {100 * seconds_per_token([ram]) / seconds_per_token([gpu, ram]):.0f} % of the time"


def offload_pct(file_bytes: int | None, server_vram: int | None, told_share: float | None = None) -> Value:
    """Percent of the weights in RAM.

    `told_share` on the GPU (0 to 1) by the engine beats the guess from the GPU memory of its processes, which
    holds caches and buffers too: a process with more than the file has all of it there.
    """
    unit = "%"
    if told_share is not None:
        pct = 100 * (1 - min(max(told_share, 0.0), 1.0))
        return Value(pct, unit, Provenance.ESTIMATED, "the engine's own word on its split")
    if not file_bytes:
        return absent(unit, "the size of the model is not known")
    if server_vram is None:
        return absent(unit, "the server's part of the GPU memory is not known")
    pct = 100 * (1 - min(server_vram / file_bytes, 1.0))
    note = "1 - GPU memory of the server / file; its caches count as weights"
    return Value(pct if pct > _WHOLE_PCT else 0.0, unit, Provenance.ESTIMATED, note)
