"""Peaks by name, by memory size and by the driver; names that must not match."""

from __future__ import annotations

import pytest

from tests.domain.worked import WORKED
from tui.domain.machine import Gpu
from tui.domain.peaks import GIB, bus_gb_s, dram_peak, peak_of


@pytest.mark.parametrize(
    ("name", "gb_s", "tflops"),
    [
        ("NVIDIA GeForce RTX 4090", 1008, 165.2),
        ("NVIDIA GeForce RTX 4090 Laptop GPU", 576, None),
        ("NVIDIA GeForce RTX 4060 Laptop GPU", 256, None),
        ("NVIDIA GeForce RTX 4070 Ti", 504, 80.2),
        ("NVIDIA GeForce RTX 4070 Ti SUPER", 672, 88.2),
        ("NVIDIA H100 80GB HBM3", 3350, 989),
        ("NVIDIA H200", 4800, 989),
        ("NVIDIA L4", 300, 121),
        ("NVIDIA L40S", 864, 362),
        ("NVIDIA GB10", 273, None),
        ("Apple M4", 120, 4.0),
        ("Apple M4 Pro", 273, 8.1),
        ("Apple M2 Ultra", 800, 27.2),
        ("AMD Radeon RX 7900 XTX", 960, 122.8),
        ("AMD Radeon 8060S Graphics", 256, 59.4),
        ("AMD Ryzen AI Max+ 395 w/ Radeon 8060S", 256, 59.4),
        ("Intel(R) Arc(TM) B580 Graphics", 456, 116),
    ],
)
def test_a_name_has_its_own_peak(name: str, gb_s: float | None, tflops: float | None) -> None:
    peak = peak_of(Gpu(name=name))
    assert (peak and peak.gb_s, peak and peak.tflops) == (gb_s, tflops)
    assert peak is None or peak.source


@pytest.mark.parametrize(
    "name",
    [
        "",
        "NVIDIA GeForce RTX 4050 Laptop GPU",  # not listed, and no laptop stands for another
        "NVIDIA GeForce RTX 3050 Ti Laptop GPU",
        "NVIDIA GeForce RTX 3090 Laptop GPU",
        "NVIDIA GeForce RTX 4090 D",
        "NVIDIA L40",
        "NVIDIA GH200 480GB",
        "NVIDIA GB200",
        "NVIDIA A100-SXM4-80GB MIG 3g.40gb",  # a slice has a part of the bandwidth
        "Apple M5 Ultra",
        "AMD Radeon RX 7900 GRE",
    ],
)
def test_another_model_does_not_borrow_a_peak(name: str) -> None:
    assert peak_of(Gpu(name=name)) is None


@pytest.mark.parametrize(
    ("name", "gib", "gb_s"),
    [
        ("NVIDIA GeForce RTX 3060", 12, 360),
        ("NVIDIA GeForce RTX 3060", 8, 240),
        ("NVIDIA GeForce RTX 3080", 10, 760),
        ("NVIDIA GeForce RTX 3080", 12, 912),
        ("NVIDIA GeForce RTX 3080", None, None),
        ("Intel(R) Arc(TM) A770 Graphics", 16, 560),
        ("Orin (nvgpu)", 64, 204.8),
        ("Orin (nvgpu)", 8, None),
    ],
)
def test_boards_of_one_name_differ_by_their_memory(name: str, gib: int | None, gb_s: float | None) -> None:
    peak = peak_of(Gpu(name=name, mem_total_bytes=gib * GIB if gib else None))
    assert (peak and peak.gb_s) == gb_s


@pytest.mark.parametrize(("cores", "gb_s"), [(32, 410), (40, 546), (None, None)])
def test_chips_of_one_name_differ_by_their_cores(cores: int | None, gb_s: float | None) -> None:
    peak = peak_of(Gpu(name="Apple M4 Max", cores=cores))
    assert (peak and peak.gb_s) == gb_s


def test_the_drivers_word_on_the_bus_goes_first() -> None:
    told = WORKED["bus_width_peak"]
    gb_s = bus_gb_s(told["width_bits"], told["max_mem_mhz"])
    assert gb_s == pytest.approx(told["gb_s"], abs=0.05)
    listed = peak_of(Gpu(name="NVIDIA GeForce RTX 4090", peak_gb_s=gb_s))
    assert listed is not None
    assert (listed.gb_s, listed.tflops, listed.confidence) == (gb_s, 165.2, "driver")
    unlisted = peak_of(Gpu(name="NVIDIA GeForce RTX 6090", peak_gb_s=2000.0))
    assert unlisted is not None
    assert (unlisted.gb_s, unlisted.tflops) == (2000.0, None)


def test_main_memory_has_a_peak_only_where_it_is_told() -> None:
    dual = dram_peak("32 GiB DDR5-5600 x2")
    assert dual is not None and dual.gb_s == pytest.approx(89.6)
    server = dram_peak("DDR5-4800 ×12")
    assert server is not None and server.gb_s == pytest.approx(460.8)
    assert dram_peak("62.7 GiB") is None
