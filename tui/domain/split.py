"""Over which memories the weights are split, and the peaks that hold for the whole chain."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tui.domain.bound import turns
from tui.domain.cost import PhaseCost
from tui.domain.gpu_use import working
from tui.domain.machine import Gpu, Reading
from tui.domain.offload import Part, ceiling, offload_pct, offload_text
from tui.domain.peaks import Peak, dram_peak, peak_of
from tui.domain.shape import ModelShape
from tui.domain.values import Value, absent, finite

_TOGETHER_PCT = 70.0  # GPUs that are all busier than this work at the same time
_NOT_LISTED = "the peak of this device is not known"


@dataclass(frozen=True, slots=True)
class Split:
    """`peak`: of one device. `gb_s` and `tflops`: of all that work together, None with `why`.

    `offload`: percent of the weights in RAM; `ceiling`: tokens/s at most with that split; `text`: what the
    split costs, in words.
    """

    peak: Peak | None
    gb_s: float | None
    tflops: float | None
    why: str
    offload: Value
    ceiling: Value
    text: str = ""


def split_of(
    conditions: Mapping[str, object],
    readings: Sequence[Reading],
    shape: ModelShape | None,
    cost: PhaseCost | None,
) -> Split:
    """The split of the model as the readings and the engine's own word tell it."""
    last = readings[-1] if readings else Reading(0)
    gpus = working(last)
    dram = dram_peak(" ".join(one for r in (*readings[:1], *readings[-1:]) for one in r.host.values()))
    if not last.gpus:
        gb_s = dram.gb_s if dram else None
        absent_split = absent("%", "no GPU is used")
        return Split(
            dram,
            gb_s,
            None,
            "" if dram else "the speed of the main memory and the number of its channels are not told",
            absent_split,
            absent("tok/s", "no GPU is used"),
        )
    offload = _offload(conditions, gpus, shape)
    peak, factor, why = _peaks(gpus, cost)
    if offload.number and shape is not None and shape.file_bytes:
        return _over_two(offload, shape, shape.file_bytes, peak, dram)
    whole = absent("tok/s", "all weights are on the GPU" if offload.number == 0 else offload.note)
    if peak is None or factor is None:
        return Split(peak, None, None, why, offload, whole)
    tflops = peak.tflops * factor if peak.tflops else None
    return Split(peak, peak.gb_s * factor, tflops, "", offload, whole)


def _over_two(
    offload: Value, shape: ModelShape, file_bytes: int, peak: Peak | None, dram: Peak | None
) -> Split:
    share = (offload.number or 0.0) / 100
    size = shape.weight_bytes or file_bytes
    gpu = Part(size * (1 - share), peak.gb_s if peak else None)
    ram = Part(size * share, dram.gb_s if dram else None)
    most = absent("tok/s", "the bytes read per token are not known")
    if shape.weight_bytes:
        most = ceiling([gpu, ram])
    return Split(
        peak, None, None, "the model is split over GPU and RAM", offload, most, offload_text(gpu, ram)
    )


def _offload(conditions: Mapping[str, object], gpus: Sequence[Gpu], shape: ModelShape | None) -> Value:
    held = [gpu.server_bytes for gpu in gpus]
    known = [one for one in held if one is not None]
    unified = any(gpu.unified for gpu in gpus)
    if unified:
        return absent("%", "GPU and processor share one memory")
    return offload_pct(
        shape.file_bytes if shape else None,
        sum(known) if known and len(known) == len(held) else None,
        finite(conditions.get("gpu_share")),
    )


def _peaks(gpus: Sequence[Gpu], cost: PhaseCost | None) -> tuple[Peak | None, float | None, str]:
    """(peak of one, how many of it work at once, why there is none).

    A model split by layers passes one GPU after the other: the chain is as fast as one. Split within the
    layers all work at once.
    """
    peaks = {peak.gb_s: peak for gpu in gpus if (peak := peak_of(gpu)) is not None}
    known = all(peak_of(gpu) is not None for gpu in gpus)
    if not gpus:
        return None, None, "which GPU the server uses is not known"
    if not known or len(peaks) != 1:
        return None, None, _NOT_LISTED if not known else "the GPUs are of different kinds"
    peak = next(iter(peaks.values()))
    if len(gpus) == 1:
        return peak, 1.0, ""
    each = cost.gpu_each if cost else ()
    if turns(each):
        return peak, 1.0, ""
    if each and min(each) >= _TOGETHER_PCT:
        return peak, float(len(gpus)), ""
    return peak, None, "how the model is split over the GPUs is not known"
