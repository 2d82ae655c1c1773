"""Peak memory bandwidth and arithmetic of a device, from its driver or by its name from a table with sources.

The table lies beside this file in device_peaks.json. A name that is not in it, or that stands for several
boards which can't be told apart, has no peak.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from importlib import resources

from tui.domain.machine import Gpu
from tui.domain.values import finite

GIB = 2**30
# a name with one of these behind or before the model is another board than the one without
_SISTERS = (
    "laptop",
    "mobile",
    "max-q",
    "mig",
    "ti",
    "super",
    "d",
    "ultra",
    "max",
    "pro",
    "nvl",
    "gre",
    "xtx",
    "ada",
)
_DRAM = re.compile(r"(?:LP)?DDR\d\w?-(\d{4,5})\s*[x×]\s*(\d{1,2})\b", re.IGNORECASE)
_TRADEMARK = re.compile(r"\((?:r|tm)\)")
_BUS_BYTES = 8  # of one memory channel


@dataclass(frozen=True, slots=True)
class Peak:
    """`gb_s`: 10^9 bytes per second; `tflops`: dense FP16, None where no figure is published."""

    name: str
    gb_s: float
    tflops: float | None
    source: str
    confidence: str = "published"
    unified: bool = False
    note: str = ""


@dataclass(frozen=True, slots=True)
class _Entry:
    words: tuple[str, ...]
    peak: Peak
    variants: tuple[Mapping[str, object], ...] = ()


def bus_gb_s(width_bits: int, max_mem_mhz: float) -> float:
    """Bandwidth from the memory bus and its highest clock: width / 8 x 2 x clock, 10^9 bytes/s."""
    return width_bits / 8 * 2 * max_mem_mhz / 1000


def dram_peak(told: str) -> Peak | None:
    """The bandwidth of main memory told as "DDR5-5600 x2": transfers/s x 8 bytes x channels."""
    found = _DRAM.search(told)
    if found is None:
        return None
    gb_s = int(found[1]) * _BUS_BYTES * int(found[2]) / 1000
    return Peak(found[0], gb_s, None, "transfer rate x 8 bytes x channels", "derived", unified=True)


def peak_of(gpu: Gpu) -> Peak | None:
    """The peak of this GPU; what its driver tells about the bus goes before the table."""
    known = _named(gpu)
    if gpu.peak_gb_s:
        source = "bus width and memory clock, by the driver"
        base = known or Peak(gpu.name, gpu.peak_gb_s, None, source, unified=gpu.unified)
        return replace(base, gb_s=gpu.peak_gb_s, source=source, confidence="driver")
    return known


def _named(gpu: Gpu) -> Peak | None:
    entry = _entry_of(gpu.name)
    if entry is None:
        return None
    gb_s = _variant(entry, gpu) if entry.variants else entry.peak.gb_s
    return replace(entry.peak, gb_s=gb_s) if gb_s else None


@lru_cache(maxsize=64)
def _entry_of(told: str) -> _Entry | None:
    name = " ".join(_TRADEMARK.sub("", told.lower()).split())
    return next((entry for entry in _table() if any(_is(name, word.lower()) for word in entry.words)), None)


def _is(name: str, model: str) -> bool:
    """Whether `name` holds `model` as whole words and names no sister of it."""
    if model not in name:
        return False
    found = re.search(rf"(?<![a-z0-9]){re.escape(model)}(?![a-z0-9+])", name)
    if found is None:
        return False
    rest = set(
        (name[: found.start()] + " " + name[found.end() :]).replace("(", " ").replace(")", " ").split()
    )
    return rest.isdisjoint(_SISTERS)


def _variant(entry: _Entry, gpu: Gpu) -> float | None:
    total = gpu.mem_total_bytes
    for variant in entry.variants:
        below = finite(variant.get("below_gib"))
        if below is not None and total is not None and total < below * GIB:
            return finite(variant.get("gb_s"))
        if variant.get("cores") is not None and variant["cores"] == gpu.cores:
            return finite(variant.get("gb_s"))
    return None


@cache
def _table() -> tuple[_Entry, ...]:
    told = json.loads(resources.files("tui.domain").joinpath("device_peaks.json").read_text(encoding="utf-8"))
    return tuple(_entry(one) for one in told["devices"])


def _entry(one: Mapping[str, object]) -> _Entry:
    words, variants = one["match"], one.get("variants", [])
    assert isinstance(words, list) and isinstance(variants, list)
    peak = Peak(
        name=str(words[0]),
        gb_s=finite(one["gb_s"]) or 0.0,
        tflops=finite(one.get("tflops")),
        source=str(one["source"]),
        confidence=str(one.get("confidence", "")),
        unified=one.get("unified") is True,
        note=str(one.get("note", "")),
    )
    return _Entry(tuple(map(str, words)), peak, tuple(variants))
